#include "CRuntime.h"

#include <stdlib.h>
#include <sys/random.h>

// The function is hidden, so that other libraries call their own `arc4random`.
__attribute__((visibility("hidden"))) unsigned int arc4random(void) {
    unsigned int number;
    // For 256 bytes or less, getrandom returns all bytes at once.
    if (getrandom(&number, sizeof number, 0) != sizeof number) abort();
    return number;
}
