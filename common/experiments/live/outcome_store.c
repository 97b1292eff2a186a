/* The decisions of people about an experiment, and the notes that came with them. Contains all SQL
 * about them. */
#include "experiments/live/outcome_store.h"

#include "base/json.h"
#include "base/list.h"
#include "base/text.h"
#include "db/query.h"

enum { DIFF_BYTES_MAX = 64 * 1024 };

const char *const outcome_decision_names[OUTCOME__MAX] = {"ship", "stop", "reopen"};

static const char *const actions[OUTCOME__MAX] = {"experiment.ship", "experiment.stop",
                                                  "experiment.reopen"};

static const struct statement lock_project = {
    .name = "outcome_project_lock",
    .sql = "SELECT project_name, archived, decision FROM projects WHERE id = ? {for_update}",
};
static const struct statement insert_outcome = {
    .name = "outcome_insert",
    .sql = "INSERT INTO experiment_outcomes (experiment_id, decision, variation_index, note,"
           " verdict, headline, actor, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
};
static const struct statement note_outcome = {
    .name = "outcome_note",
    .sql = "UPDATE projects SET decision = ?, decided_at = ? WHERE id = ?",
};
/* Values from live data are as fresh as they were at the decision, whatever the list says so far.
 */
static const struct statement forget_summary = {
    .name = "outcome_summary_forget",
    .sql = "DELETE FROM live_summaries WHERE experiment_id = ? AND source_at IS NOT NULL",
};
static const struct statement list_outcomes = {
    .name = "outcomes_list",
    .sql = "SELECT id, decision, variation_index, note, verdict, headline, actor, created_at"
           " FROM experiment_outcomes WHERE experiment_id = ? ORDER BY id DESC LIMIT ?",
};

#define OWNER struct outcome
static const struct field outcome_fields[] = {
    INTEGER(OWNER, id),
    CHOICE(OWNER, decision, outcome_decision_names, .choice_count = OUTCOME__MAX),
    NULLABLE_INTEGER(OWNER, variation_index, .help = "The variation that was shipped."),
    STRING(OWNER, note),
    STRING(OWNER, verdict, .help = "What the service recommended then."),
    STRING(OWNER, headline, .help = "The same in detail, as in the decision."),
    STRING(OWNER, actor, .nullable = true),
    STRING(OWNER, created_at),
};
#undef OWNER
SCHEMA(outcome_schema, struct outcome, "ExperimentOutcome", outcome_fields,
       .help = "What somebody decided about an experiment.");

/* The row of the project, locked. */
struct row {
    bool found, archived;
    const char *name, *decision;
};

static enum error lock(const struct live_call *call, const char *id, struct row *row)
{
    struct query *query = db_query(call->db, &lock_project);

    *row = (struct row){0};
    query_bind_text(query, id);
    row->found = query_next(query);
    if (row->found) {
        row->name = query_text(query, 0, call->arena);
        row->archived = query_boolean(query, 1);
        row->decision = query_text_or_null(query, 2, call->arena);
    }
    return query_end(query, call->problem);
}

static enum error check(const struct live_call *call, const struct row *row, int decision)
{
    if (!row->found)
        return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "Experiment not found");
    if (row->archived)
        return problem_set(call->problem, ERROR_INVALID, "project_archived",
                           "Project is archived; restore it first");
    if (decision == OUTCOME_REOPEN && !row->decision)
        return problem_set(call->problem, ERROR_CONFLICT, "not_decided",
                           "The experiment has no decision that could be reopened");
    return ERROR_NONE;
}

static void write_change(struct json_writer *writer, const char *key, const char *before,
                         const char *after)
{
    writer_key(writer, key);
    writer_open_array(writer);
    if (before)
        writer_string(writer, before);
    else
        writer_null(writer);
    if (after)
        writer_string(writer, after);
    else
        writer_null(writer);
    writer_close_array(writer);
}

/* The decision as a difference of the audit log. */
static const char *difference(const struct live_call *call, const struct row *row,
                              const struct outcome *outcome)
{
    const char *decision =
        outcome->decision == OUTCOME_REOPEN ? NULL : outcome_decision_names[outcome->decision];
    struct json_writer writer;
    struct text text;

    text_start(&text, call->arena, DIFF_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    write_change(&writer, "decision", row->decision, decision);
    write_change(&writer, "note", NULL, outcome->note);
    write_change(&writer, "recommendation", NULL, outcome->headline);
    if (outcome->variation_index.given)
        write_change(&writer, "variation_index", NULL,
                     arena_print(call->arena, "%lld", (long long)outcome->variation_index.value));
    writer_close_object(&writer);
    return text.bytes;
}

static enum error insert(const struct live_call *call, const char *id, struct outcome *outcome)
{
    struct query *query = db_query(call->db, &insert_outcome);

    query_bind_text(query, id);
    query_bind_text(query, outcome_decision_names[outcome->decision]);
    query_bind_optional_integer(query, outcome->variation_index);
    query_bind_text(query, outcome->note);
    query_bind_text(query, outcome->verdict);
    query_bind_text(query, outcome->headline);
    query_bind_text(query, outcome->actor);
    query_bind_text(query, outcome->created_at);
    if (query_next(query))
        outcome->id = query_integer(query, 0);
    return query_end(query, call->problem);
}

static enum error note(const struct live_call *call, const char *id, const struct outcome *outcome)
{
    struct query *query = db_query(call->db, &note_outcome);
    bool open = outcome->decision == OUTCOME_REOPEN;

    query_bind_text(query, open ? NULL : outcome_decision_names[outcome->decision]);
    query_bind_text(query, open ? NULL : outcome->created_at);
    query_bind_text(query, id);
    return query_end(query, call->problem);
}

static enum error forget(const struct live_call *call, const char *id)
{
    struct query *query = db_query(call->db, &forget_summary);

    query_bind_text(query, id);
    return query_end(query, call->problem);
}

static enum error record(const struct live_call *call, const struct actor *actor, const char *id,
                         struct outcome *outcome)
{
    struct row row;
    enum error error = lock(call, id, &row);

    if (!error)
        error = check(call, &row, outcome->decision);
    if (error)
        return error;
    outcome->actor = actor->name;
    outcome->created_at = store_now(call->arena);
    error = insert(call, id, outcome);
    if (!error)
        error = note(call, id, outcome);
    if (!error)
        error = forget(call, id);
    if (!error)
        error = audit_record(call->db, call->arena, actor,
                             &(struct audit_event){.action = actions[outcome->decision],
                                                   .project_id = id,
                                                   .project_name = row.name,
                                                   .diff = difference(call, &row, outcome)},
                             call->problem);
    return error;
}

enum error outcome_record(const struct live_call *call, const struct actor *actor, const char *id,
                          struct outcome *outcome)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, record(call, actor, id, outcome), call->problem);
}

enum error outcome_list(const struct live_call *call, const char *id, struct object_list *outcomes)
{
    struct query *query = db_query(call->db, &list_outcomes);
    struct outcome *items = NULL;

    *outcomes = (struct object_list){0};
    query_bind_text(query, id);
    query_bind_integer(query, OUTCOMES_SHOWN);
    while (query_next(query))
        query_read(query, &outcome_schema, ARRAY_ADD(call->arena, items, outcomes->count),
                   call->arena);
    outcomes->items = items;
    return query_end(query, call->problem);
}
