#pragma once

// Debian keeps the headers of clients in a separate folder.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

/// Opens libpq once, and returns an error text or a null pointer.
///
/// Call it before any function of libpq.
///
/// Loading libpq and the twenty libraries that it needs takes longer than the rest of the program. Commands that don't
/// connect, such as `help`, work without libpq.
const char *usher_open_libpq(void);
