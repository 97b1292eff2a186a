/* What there is of everything before and after a request, as tests/faults/walk.c counts it: the
 * rows that statements tell of, and files; and how rows come to be there. */
#ifndef ASSAY_COUNTS_H
#define ASSAY_COUNTS_H

#include "db/query.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTS_MAX = 48 };

struct counts {
    int64_t rows[COUNTS_MAX];
    int64_t files; /* in the folder that the service keeps what it is asked to in */
};

static const struct counts nothing;

static inline struct counts counts_read(struct db *db, const struct statement *statements,
                                        size_t count, int64_t files)
{
    struct counts counts = {.files = files};
    struct problem problem;

    for (size_t i = 0; i < count; i++) {
        struct query *query = db_query(db, &statements[i]);

        counts.rows[i] = query_next(query) ? query_integer(query, 0) : -1;
        if (query_end(query, &problem)) {
            printf("%s: %s\n", statements[i].name, problem.text);
            exit(2);
        }
    }
    return counts;
}

/* Statements that have to succeed before there is anything to walk. */
static inline void do_all(struct db *db, const struct statement *statements, size_t count)
{
    struct problem problem;

    for (size_t i = 0; i < count; i++)
        if (query_end(db_query(db, &statements[i]), &problem)) {
            printf("%s: %s\n", statements[i].name, problem.text);
            exit(2);
        }
}

static inline struct counts difference(struct counts after, struct counts before)
{
    for (size_t i = 0; i < COUNTS_MAX; i++)
        after.rows[i] -= before.rows[i];
    after.files -= before.files;
    return after;
}

static inline bool is_same(struct counts a, struct counts b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

#endif
