/* Private to common/db: the parts of a URL, for target.c and for showing it without credentials. */
#ifndef ASSAY_DB_URL_H
#define ASSAY_DB_URL_H

#include "base/arena.h"

#include <stdbool.h>

/* A span of bytes inside a longer text. */
struct span {
    const char *start;
    size_t length;
};

/* `scheme://authority/path?query`, each part as it stands there. */
struct url {
    struct span scheme;
    struct span user; /* up to the last `@` of the authority; empty without one */
    struct span host; /* the rest of the authority */
    struct span path; /* with its slash */
    struct span query;
};

/* False when there is no `scheme://`. */
bool url_split(const char *text, struct url *url);

/* A raw `/`, `?` or `#` in a password ends the authority early and leaves its `@` behind, or a port
 * that is no number: nobody can tell where the password ends. */
bool url_ambiguous(const struct url *url);

/* Percent-decoded copy; NULL when that would make a NUL byte. A `%` without two digits stays. */
char *url_decode(struct arena *arena, struct span span);

#endif
