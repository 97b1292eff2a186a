/* What tests/faults/of_<service>.h need not say: included behind it by tests/faults/walk.c. */
#ifndef ASSAY_DEFAULTS_H
#define ASSAY_DEFAULTS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From the first on, allocations are those of one loop: every 1/256 further. A service whose
 * requests take long says something else. */
#ifndef WALK_EVERY_ONE
#define WALK_EVERY_ONE 1500
#define WALK_STRIDE 256
#endif

/* Headers that a service wants to know a caller or to prove a body by, and variables of the request
 * of a service whose callers show no token. NULL = as for the others. */
#ifndef WALK_PROOF
#define WALK_PROOF(name, body) NULL
#endif
#ifndef WALK_VARIABLE
#define WALK_VARIABLE(name) NULL
#endif

/* The handle that the requests use. */
#ifndef WALK_DATABASE
#define WALK_DATABASE service_database
#endif

/* The member of an answer that holds what was made, where the answer is more than that. */
#ifndef WALK_INSIDE
#define WALK_INSIDE ""
#endif

/* The member of an answer that names what was made, where it has no `id`. */
#ifndef WALK_ID
#define WALK_ID "id"
#endif

/* What stands in the place of a path ("doc_id") that no POST above it makes; make_room() keeps it.
 */
#ifndef WALK_PLACE
#define WALK_PLACE(name) "00000000-0000-4000-8000-000000000000"
#endif

/* What a route is asked for behind its path, and the type of its body. */
#ifndef WALK_QUERY
#define WALK_QUERY(route) ""
#endif
#ifndef WALK_TYPE
#define WALK_TYPE(route) "application/json"
#endif

/* Two answers to the same request differ, by the time that they tell. */
#ifndef WALK_ANSWERS_VARY
#define WALK_ANSWERS_VARY false
#endif

/* How many files there are whose number a request may change. */
#ifndef WALK_FILES
#define WALK_FILES() 0
#endif

/* Whether a request has to change what this statement counts whenever it succeeds, and never when
 * it fails. */
#ifndef WALK_COUNTS
#define WALK_COUNTS(route, name) ((void)(route), true)
#endif

/* How the last frame of a stream begins, where its frames have no names. */
#ifndef WALK_LAST_FRAME
#define WALK_LAST_FRAME "data: [DONE]\n\n"
#endif

/* What stands in the places of a path that nothing makes. */
static inline void fill_places(const char *pattern, char *path, size_t size)
{
    size_t length = 0;
    char name[64];

    while (*pattern && length < size - 1) {
        const char *end = *pattern == '{' ? strchr(pattern, '}') : NULL;

        if (!end) {
            path[length++] = *pattern++;
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)(end - pattern - 1), pattern + 1);
        length += (size_t)snprintf(path + length, size - length, "%s", WALK_PLACE(name));
        pattern = end + 1;
    }
    path[length] = '\0';
}

/* How much further the next fault is: `make soak` takes larger numbers in smaller steps. */
static inline size_t step_after(size_t n)
{
    bool soak = getenv("ASSAY_TEST_SOAK");
    size_t every_one = soak || WALK_EVERY_ONE < 150 ? WALK_EVERY_ONE : 150;
    size_t stride = soak || WALK_STRIDE < 16 ? WALK_STRIDE : 16;

    return n < every_one ? 1 : n / stride;
}

#endif
