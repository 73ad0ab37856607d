#include "shim.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

/// Where each function of libpq stands, once it is open.
static struct {
#define FUNCTION(result, name, parameters, arguments) typeof(name) *name;
#include "functions.h"
#undef FUNCTION
} libpq;

static const char *problem;

/// Where each function of the library stands that libpq encrypts by; null where it is another library, or an early one.
static struct {
    void *(*peer)(const void *connection);
    void (*free)(void *certificate);
    const void *(*not_before)(const void *certificate);
    const void *(*not_after)(const void *certificate);
    int (*compare)(const void *time, time_t *instant);
    void *(*issuer)(const void *certificate);
    void *(*subject)(const void *certificate);
    char *(*name)(const void *name, char *text, int size);
    const void *(*authorities)(const void *connection);
    int (*count)(const void *stack);
    const void *(*own)(const void *connection);
} tls;

static void find_tls(void *libpq) {
    // Among what libpq has brought along.
    tls.peer = dlsym(libpq, "SSL_get1_peer_certificate");
    if (tls.peer == NULL) tls.peer = dlsym(libpq, "SSL_get_peer_certificate");
    tls.free = dlsym(libpq, "X509_free");
    tls.not_before = dlsym(libpq, "X509_get0_notBefore");
    tls.not_after = dlsym(libpq, "X509_get0_notAfter");
    tls.compare = dlsym(libpq, "X509_cmp_time");
    tls.issuer = dlsym(libpq, "X509_get_issuer_name");
    tls.subject = dlsym(libpq, "X509_get_subject_name");
    tls.name = dlsym(libpq, "X509_NAME_oneline");
    tls.authorities = dlsym(libpq, "SSL_get_client_CA_list");
    tls.count = dlsym(libpq, "OPENSSL_sk_num");
    tls.own = dlsym(libpq, "SSL_get_certificate");
}

struct usher_certificate usher_certificate(PGconn *connection) {
    struct usher_certificate found = {0};
    void *encrypted = PQsslStruct(connection, "OpenSSL");
    if (encrypted == NULL || tls.peer == NULL || tls.free == NULL || tls.not_before == NULL || tls.not_after == NULL ||
        tls.compare == NULL || tls.issuer == NULL || tls.subject == NULL || tls.name == NULL)
        return found;
    void *certificate = tls.peer(encrypted);
    if (certificate == NULL) return found;
    found.is_read = 1;
    found.is_early = tls.compare(tls.not_before(certificate), NULL) > 0;
    found.is_expired = tls.compare(tls.not_after(certificate), NULL) < 0;
    tls.name(tls.issuer(certificate), found.issuer, sizeof found.issuer);
    tls.name(tls.subject(certificate), found.subject, sizeof found.subject);
    tls.free(certificate);
    return found;
}

enum usher_own_certificate usher_own_certificate(PGconn *connection) {
    void *encrypted = PQsslStruct(connection, "OpenSSL");
    if (encrypted == NULL || tls.authorities == NULL || tls.count == NULL || tls.own == NULL) return USHER_UNASKED;
    // Whoever asks for a certificate names the authorities that it may be from.
    const void *authorities = tls.authorities(encrypted);
    if (authorities == NULL || tls.count(authorities) < 1) return USHER_UNASKED;
    return tls.own(encrypted) == NULL ? USHER_MISSING : USHER_SENT;
}

static void open_once(void) {
    void *library = dlopen("libpq.so.5", RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        problem = dlerror();
        return;
    }
#define FUNCTION(result, name, parameters, arguments)                                                                  \
    libpq.name = (typeof(name) *)dlsym(library, #name);                                                                \
    if (libpq.name == NULL) {                                                                                          \
        problem = "libpq.so.5 is too old: it lacks " #name;                                                            \
        return;                                                                                                        \
    }
#include "functions.h"
#undef FUNCTION
    find_tls(library);
}

const char *usher_open_libpq(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_once);
    return problem;
}

// Hidden, so that libpq itself goes on to call its own.
#define FUNCTION(result, name, parameters, arguments)                                                                  \
    __attribute__((visibility("hidden"))) result name parameters { return libpq.name arguments; }
#include "functions.h"
#undef FUNCTION
