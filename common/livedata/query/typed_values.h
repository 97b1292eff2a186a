/* Computes what a plan selects over rows: values, by groups, ordered, and beside those of another
 * period. */
#ifndef ASSAY_LIVEDATA_QUERY_TYPED_VALUES_H
#define ASSAY_LIVEDATA_QUERY_TYPED_VALUES_H

#include "db/sandbox.h"
#include "livedata/query/typed_plan.h"
#include "livedata/storage_call.h"

enum { TYPED_GROUPS_MAX = 10000 };

/* All rows in their order. Columns: the groups, the value, and with `compare` the other period's
 * value as `compared` and the difference as `change`. `sql` = the statements that ran: two of a
 * ratio, and those of the other period. ERROR_INVALID too_many_groups; otherwise the errors of
 * measure_compute(). */
MUST_CHECK enum error typed_values(const struct storage_call *call,
                                   const struct plan_context *context,
                                   const struct compiled_plan *compiled,
                                   struct sandbox_answer *answer, const char **sql);

/* The first of them, without running it. */
MUST_CHECK enum error typed_values_sql(const struct storage_call *call,
                                       const struct plan_context *context,
                                       const struct compiled_plan *compiled, const char **sql);

/* The rows of one page: `limit` after the row that has the values `after` (NULL = from the first);
 * false when those are no values of such a row. `next` = the values of the last row, or NULL when
 * no row follows. */
bool typed_values_page(struct arena *arena, const struct compiled_plan *compiled,
                       const struct sandbox_answer *all, int64_t limit, const char *after,
                       struct sandbox_answer *page, const char **next);

#endif
