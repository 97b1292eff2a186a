/*
 * The SQL guard: parses a statement and accepts only what the parser understands and allows: one
 * SELECT (or several joined by UNION and the like), listed tables and functions, nothing that
 * writes, configures or reads files. The grammar allows a table name only in known positions, so
 * none is missed. Accepted SQL is scoped (scope.h) and run by db/sandbox.h, which checks again.
 */
#ifndef ASSAY_LIVEDATA_SANDBOX_SQL_GUARD_H
#define ASSAY_LIVEDATA_SANDBOX_SQL_GUARD_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"

enum { GUARD_TABLES_MAX = 32 };

enum { GUARD_ORDER_MAX = 16 };

struct guard_finding {
    struct string_list tables; /* physical tables, distinct, in order of appearance */
    bool ordered;              /* ends with its own ORDER BY */
    size_t order_count; /* columns of the ORDER BY; 0 when it orders by anything other than names */
    struct {
        const char *column;
        bool descending;
    } order[GUARD_ORDER_MAX];
    size_t length; /* length of the statement without trailing text */
};

/* ERROR_FORBIDDEN unsafe_query with the reason as text: "Unknown tables: ['api_keys']". */
MUST_CHECK enum error guard_check(struct arena *arena, const char *sql,
                                  const struct string_list *allowed, struct guard_finding *finding,
                                  struct problem *problem);

/* The allowed functions, in lower case; NULL ends the list. */
extern const char *const guard_functions[];

#endif
