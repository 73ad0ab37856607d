#pragma once

/// What the C++ library that comes along asks of the C library, which need not be as new here as where it was built.
unsigned int arc4random(void);
