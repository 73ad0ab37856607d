#pragma once

#include <stddef.h>

/// A file of the folders sql/ and completions/, as it was when the program was built.
struct embedded_sql {
    /// Its path below sql/, or its path with completions/.
    const char *path;
    const unsigned char *bytes;
    size_t length;
};

/// The file at an index, a null pointer behind the last.
const struct embedded_sql *embedded_sql_at(size_t index);

/// The file of a path, a null pointer where there is none.
const struct embedded_sql *embedded_sql_named(const char *path);
