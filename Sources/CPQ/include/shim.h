#pragma once

// Debian keeps the headers of clients in a folder of their own.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

/// Opens libpq, once; what is wrong with it, or a null pointer. Nothing of libpq may be called before.
///
/// It brings some twenty libraries with it, which take longer to load than the rest of the program, and which a machine
/// need not have to show help or check a file.
const char *usher_open_libpq(void);
