/* Rows of evaluator_switches. */
#include "support/traces/evaluator_switch.h"
#include "db/query.h"

#include <string.h>

static const struct statement read_switches = {
    .name = "evaluator_switches",
    .sql = "SELECT evaluator, switched_off_at, switched_off_by FROM evaluator_switches"
           " WHERE tenant_id = ?",
};
static const struct statement put_switch = {
    .name = "evaluator_switch_off",
    .sql =
        "INSERT INTO evaluator_switches (tenant_id, evaluator, switched_off_at,"
        " switched_off_by) VALUES (?, ?, {now}, ?) ON CONFLICT (tenant_id, evaluator) DO NOTHING",
};
static const struct statement remove_switch = {
    .name = "evaluator_switch_on",
    .sql = "DELETE FROM evaluator_switches WHERE tenant_id = ? AND evaluator = ?",
};

enum error evaluator_switches(const struct trace_call *call, struct evaluator_off off[EVALUATORS])
{
    struct query *query = db_query(call->db, &read_switches);

    memset(off, 0, EVALUATORS * sizeof *off);
    query_bind_text(query, call->tenant);
    while (query_next(query)) {
        int place = evaluator_of_name(query_text(query, 0, call->arena));

        if (place < EVALUATORS)
            off[place] = (struct evaluator_off){true, query_text(query, 1, call->arena),
                                                query_text(query, 2, call->arena)};
    }
    return query_end(query, call->problem);
}

enum error evaluator_switch(const struct trace_call *call, const char *evaluator, bool on,
                            const char *by, bool *changed)
{
    struct query *query = db_query(call->db, on ? &remove_switch : &put_switch);

    query_bind_text(query, call->tenant);
    query_bind_text(query, evaluator);
    if (!on)
        query_bind_text(query, by);
    *changed = query_changes(query) > 0;
    return query_end(query, call->problem);
}

size_t evaluations_left(const struct evaluator_off off[EVALUATORS],
                        struct evaluation evaluations[EVALUATORS])
{
    size_t count = 0;

    for (size_t i = 0; i < EVALUATORS; i++) {
        if (!off[i].off)
            evaluations[count++] = evaluations[i];
    }
    return count;
}

enum error evaluator_is_on(const struct trace_call *call, const char *evaluator, bool *on)
{
    struct evaluator_off off[EVALUATORS];
    int place = evaluator_of_name(evaluator);
    enum error error = evaluator_switches(call, off);

    *on = place == EVALUATORS || !off[place].off;
    return error;
}
