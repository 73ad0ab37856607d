#include "CRuntime.h"

#include <stdlib.h>
#include <sys/random.h>

// Hidden, so that libraries continue to call their own.
__attribute__((visibility("hidden"))) unsigned int arc4random(void) {
    unsigned int number;
    // So few bytes always arrive complete.
    if (getrandom(&number, sizeof number, 0) != sizeof number) abort();
    return number;
}
