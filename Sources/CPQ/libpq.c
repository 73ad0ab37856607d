#include "shim.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

/// The address of each function of libpq, once the library is open.
static struct {
#define FUNCTION(result, name, parameters, arguments) typeof(name) *name;
#include "functions.h"
#undef FUNCTION
} libpq;

static const char *problem;

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
}

const char *usher_open_libpq(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_once);
    return problem;
}

// The wrappers are hidden, so that libpq calls its own functions and not the wrappers.
#define FUNCTION(result, name, parameters, arguments)                                                                  \
    __attribute__((visibility("hidden"))) result name parameters { return libpq.name arguments; }
#include "functions.h"
#undef FUNCTION
