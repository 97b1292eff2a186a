/*
 * The guard of queries: SQL is parsed, and only what the parser understands and allows passes: one
 * SELECT (or several joined by UNION and the like), tables of a list, functions of a list, nothing
 * that writes, configures or reads outside. A table can be named only where the parser expects one,
 * so none is overlooked. What passes is scoped (scope.h) and run by db/sandbox.h, which
 * checks once more.
 */
#ifndef ASSAY_LIVEDATA_SANDBOX_SQL_GUARD_H
#define ASSAY_LIVEDATA_SANDBOX_SQL_GUARD_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"

enum { GUARD_TABLES_MAX = 32 };

enum { GUARD_ORDER_MAX = 16 };

struct guard_finding {
    struct string_list tables; /* physical ones, distinct, in the order of appearance */
    bool ordered;              /* ends with an ORDER BY of its own */
    size_t order_count;        /* its columns; 0 where it orders by anything but names */
    struct {
        const char *column;
        bool descending;
    } order[GUARD_ORDER_MAX];
    size_t length; /* of the statement without what follows its end */
};

/* ERROR_FORBIDDEN unsafe_query with the reason as text: "Unknown tables: ['api_keys']". */
MUST_CHECK enum error guard_check(struct arena *arena, const char *sql,
                                  const struct string_list *allowed, struct guard_finding *finding,
                                  struct problem *problem);

/* The functions that may be called, in lower case; NULL at the end. */
extern const char *const guard_functions[];

#endif
