#pragma once

/// Functions of the C library that the bundled C++ library needs and an older system may lack.
unsigned int arc4random(void);
