/* SQL of the uses of segments. */
#include "experiments/projects/segment_uses.h"
#include "db/query.h"
#include "experiments/assignment/targeting.h"
#include "experiments/projects/metric_uses.h"

#include <string.h>

static const struct statement forget_uses = {
    .name = "segment_use_forget",
    .sql = "DELETE FROM segment_uses WHERE project_id = ?",
};
static const struct statement note_use = {
    .name = "segment_use_note",
    .sql = "INSERT INTO segment_uses (project_id, segment)"
           " SELECT ?, number FROM segments WHERE name = ?",
};
static const struct statement find_name = {
    .name = "segment_use_find",
    .sql = "SELECT 1 FROM segments WHERE name = ?",
};

static enum error forget(const struct project_call *call, const char *project_id)
{
    struct query *query = db_query(call->db, &forget_uses);

    query_bind_text(query, project_id);
    return query_end(query, call->problem);
}

static bool is_named(const struct string_list *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

static enum error note(const struct project_call *call, const char *project_id, const char *name,
                       bool *noted)
{
    struct query *query = db_query(call->db, &note_use);

    query_bind_text(query, project_id);
    query_bind_text(query, name);
    *noted = query_changes(query) > 0;
    return query_end(query, call->problem);
}

enum error segment_is_missing(const struct project_call *call,
                              const struct experiment_payload *payload, bool *missing)
{
    struct string_list names = targeting_segment_names(payload->setup, call->arena);
    enum error error = ERROR_NONE;

    *missing = false;
    for (size_t i = 0; !error && !*missing && i < names.count; i++) {
        struct query *query = db_query(call->db, &find_name);

        query_bind_text(query, names.items[i]);
        *missing = !query_next(query);
        error = query_end(query, call->problem);
    }
    return error;
}

enum error segment_use_note(const struct project_call *call, const char *project_id,
                            const struct experiment_payload *payload,
                            const struct experiment_payload *before)
{
    struct string_list names = targeting_segment_names(payload->setup, call->arena), known = {0};
    enum error error = forget(call, project_id);

    if (error || names.count == 0)
        return error;
    if (before)
        known = targeting_segment_names(before->setup, call->arena);
    error = db_lock(call->db, SEGMENTS_LOCK, call->problem);
    for (size_t i = 0; !error && i < names.count; i++) {
        bool noted = false;

        error = note(call, project_id, names.items[i], &noted);
        if (!error && !noted && !is_named(&known, names.items[i]))
            error =
                problem_set(call->problem, ERROR_INVALID, "segment_unknown",
                            "setup.targeting_rules: there is no segment \"%s\"", names.items[i]);
    }
    return error;
}

enum error project_note_uses(const struct project_call *call, const char *project_id,
                             const struct experiment_payload *payload,
                             const struct experiment_payload *before)
{
    enum error error = metric_use_note(call, project_id, payload, before);

    return error ? error : segment_use_note(call, project_id, payload, before);
}
