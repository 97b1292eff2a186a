/* Private to common/support/sources: the rules of a robots.txt for one program (RFC 9309). */
#ifndef ASSAY_SUPPORT_SOURCES_ROBOTS_H
#define ASSAY_SUPPORT_SOURCES_ROBOTS_H

#include "base/arena.h"
#include "base/optional.h"

#include <stdbool.h>
#include <stddef.h>

struct robots_rule {
    const char *pattern; /* of paths; `*` is anything, `$` at its end is the end of the path */
    bool allows;
};

struct robots {
    struct robots_rule *items;
    size_t count;
    double delay; /* seconds between requests; 0 = none */
    struct string_list sitemaps;
};

/* The rules of all groups for `agent` (a name such as "assay", in any case), else of those for
 * `*`. Rules that cannot be read are passed over. */
void robots_read(struct arena *arena, const char *bytes, size_t length, const char *agent,
                 struct robots *robots);

/* Whether a path with its query may be fetched: the rule with the longest pattern decides, of two
 * as long the one that allows. */
bool robots_allow(const struct robots *robots, const char *path);

#endif
