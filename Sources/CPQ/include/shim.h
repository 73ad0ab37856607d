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
/// libpq loads some twenty libraries, which takes longer than the rest of the program. A machine that only shows help
/// or checks a file need not have them.
const char *usher_open_libpq(void);
