/* Lists experiments by their newest exposures. */
#include "experiments/interactions/running_store.h"

#include "base/list.h"
#include "db/query.h"

static const struct statement running = {
    .name = "running_experiments",
    .sql = "SELECT e.experiment_id FROM live_experiments e"
           " JOIN projects p ON p.id = e.experiment_id"
           " WHERE p.archived = 0 AND p.decision IS NULL AND e.first_exposed_at IS NOT NULL"
           " AND e.experiment_id <> ? ORDER BY e.last_exposed_at DESC, e.experiment_id LIMIT ?",
};

enum error running_experiments(const struct live_call *call, const char *but, int64_t limit,
                               struct string_list *ids)
{
    struct query *query = db_query(call->db, &running);

    *ids = (struct string_list){0};
    query_bind_text(query, but);
    query_bind_integer(query, limit);
    while (query_next(query))
        *LIST_ADD(call->arena, ids) = query_text(query, 0, call->arena);
    return query_end(query, call->problem);
}
