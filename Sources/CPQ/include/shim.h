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

/// What a certificate says, as far as anybody could read it.
struct usher_certificate {
    int is_read, is_early, is_expired;
    char issuer[200], subject[200];
};

/// The certificate of the server at the other end of an encrypted connection.
struct usher_certificate usher_certificate(PGconn *connection);

/// Whether the server at the other end of an encrypted connection asked for a certificate of ours, and got one.
enum usher_own_certificate { USHER_UNASKED, USHER_MISSING, USHER_SENT };

enum usher_own_certificate usher_own_certificate(PGconn *connection);
