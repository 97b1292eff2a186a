/* Names that are taken, and audit entries of what has one. */
#include "experiments/projects/named.h"

enum error named_record(const struct project_call *call, const char *action, const char *name)
{
    const struct audit_event event = {.action = action, .project_name = name};

    return audit_record(call->db, call->arena, call->actor, &event, call->problem);
}

enum error named_check_free(const struct project_call *call, const struct statement *find,
                            const char *id, const char *folded, const char *reason,
                            const char *what)
{
    struct query *query = db_query(call->db, find);
    enum error error;
    bool taken;

    query_bind_text(query, folded);
    query_bind_text(query, id);
    taken = query_next(query);
    error = query_end(query, call->problem);
    if (error || !taken)
        return error;
    return problem_set(call->problem, ERROR_CONFLICT, reason, "name: another %s has this name",
                       what);
}
