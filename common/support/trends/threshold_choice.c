/* Rows of threshold_choices. */
#include "support/trends/threshold_choice.h"
#include "db/query.h"
#include "support/trends/labels.h"
#include "support/trends/risk.h"

#include <math.h>
#include <string.h>

enum { CHOICES_MOST = THRESHOLD__MAX, PROMISES_MOST = 4096 };

const char *const threshold_source_names[4] = {"risk", "f1", "manual", NULL};

#define OWNER struct threshold_choice
static const struct field choice_fields[] = {
    STRING(OWNER, metric),
    NUMBER(OWNER, cutoff),
    STRING(OWNER, source),
    NULLABLE_NUMBER(OWNER, risk),
    NULLABLE_NUMBER(OWNER, confidence),
    NULLABLE_NUMBER(OWNER, coverage),
    STRING(OWNER, chosen_at, .nullable = true),
    STRING(OWNER, chosen_by),
    STRING(OWNER, state, .nullable = true, .help = "holds, undecided or broken; null: not yet."),
    STRING(OWNER, checked_at, .nullable = true),
    NULLABLE_INTEGER(OWNER, given),
    NULLABLE_INTEGER(OWNER, wrong),
};
#undef OWNER
SCHEMA(threshold_choice_schema, struct threshold_choice, "ThresholdChoice", choice_fields);

struct promise {
    const char *tenant_id, *metric;
    double cutoff, risk, confidence;
    const char *chosen_at;
};

#define OWNER struct promise
static const struct field promise_fields[] = {STRING(OWNER, tenant_id),  STRING(OWNER, metric),
                                              NUMBER(OWNER, cutoff),     NUMBER(OWNER, risk),
                                              NUMBER(OWNER, confidence), STRING(OWNER, chosen_at)};
#undef OWNER
static SCHEMA(promise_schema, struct promise, "ThresholdPromise", promise_fields);

static const struct statement put_choice = {
    .name = "threshold_choose",
    .sql = "INSERT INTO threshold_choices (tenant_id, metric, cutoff, source, risk, confidence,"
           " coverage, chosen_at, chosen_by) VALUES (?, ?, ?, ?, ?, ?, ?, {now}, ?)"
           " ON CONFLICT (tenant_id, metric) DO UPDATE SET cutoff = excluded.cutoff,"
           " source = excluded.source, risk = excluded.risk, confidence = excluded.confidence,"
           " coverage = excluded.coverage, chosen_at = excluded.chosen_at,"
           " chosen_by = excluded.chosen_by, state = NULL, checked_at = NULL, given = NULL,"
           " wrong = NULL",
};
static const struct statement remove_choice = {
    .name = "threshold_unchoose",
    .sql = "DELETE FROM threshold_choices WHERE tenant_id = ? AND metric = ?",
};
static const struct statement read_choices = {
    .name = "threshold_choices",
    .sql = "SELECT metric, cutoff, source, risk, confidence, coverage, chosen_at, chosen_by, state,"
           " checked_at, given, wrong FROM threshold_choices WHERE tenant_id = ? ORDER BY metric",
};
static const struct statement read_promises = {
    .name = "threshold_promises",
    .sql = "SELECT tenant_id, metric, cutoff, risk, confidence, chosen_at FROM threshold_choices"
           " WHERE risk IS NOT NULL AND confidence IS NOT NULL ORDER BY tenant_id, metric LIMIT ?",
};
/* Not where it was chosen anew meanwhile. */
static const struct statement note_state = {
    .name = "threshold_state",
    .sql = "UPDATE threshold_choices SET state = ?, checked_at = {now}, given = ?, wrong = ?"
           " WHERE tenant_id = ? AND metric = ? AND chosen_at = ?",
};

bool threshold_is_choosable(const char *metric, enum threshold_metric *which)
{
    for (int i = THRESHOLD_QUALITY; i <= THRESHOLD_FACTS; i++) {
        if (strcmp(threshold_kinds[i].name, metric) == 0) {
            *which = (enum threshold_metric)i;
            return true;
        }
    }
    return false;
}

enum error threshold_choose(const struct trace_call *call, const struct threshold_choice *choice)
{
    struct query *query = db_query(call->db, &put_choice);

    query_bind_text(query, call->tenant);
    query_bind_text(query, choice->metric);
    query_bind_number(query, choice->cutoff);
    query_bind_text(query, choice->source);
    query_bind_optional_number(query, choice->risk);
    query_bind_optional_number(query, choice->confidence);
    query_bind_optional_number(query, choice->coverage);
    query_bind_text(query, choice->chosen_by);
    return query_end(query, call->problem);
}

enum error threshold_unchoose(const struct trace_call *call, const char *metric, bool *removed)
{
    struct query *query = db_query(call->db, &remove_choice);

    query_bind_text(query, call->tenant);
    query_bind_text(query, metric);
    *removed = query_changes(query) > 0;
    return query_end(query, call->problem);
}

enum error threshold_choices(const struct trace_call *call, struct object_list *rows)
{
    struct threshold_choice *items =
        ARENA_ARRAY(call->arena, struct threshold_choice, CHOICES_MOST);
    struct query *query = db_query(call->db, &read_choices);

    *rows = (struct object_list){.items = items};
    query_bind_text(query, call->tenant);
    while (rows->count < CHOICES_MOST && query_next(query))
        query_read(query, &threshold_choice_schema, &items[rows->count++], call->arena);
    return query_end(query, call->problem);
}

enum error threshold_in_force(const struct trace_call *call,
                              const struct support_settings *settings,
                              const struct support_settings **in_force)
{
    struct support_settings *changed;
    struct object_list rows;
    enum error error = threshold_choices(call, &rows);

    *in_force = settings;
    if (error || rows.count == 0)
        return error;
    changed = ARENA_NEW(call->arena, struct support_settings);
    *changed = *settings;
    for (size_t i = 0; i < rows.count; i++) {
        const struct threshold_choice *choice = &((const struct threshold_choice *)rows.items)[i];
        enum threshold_metric which;

        if (!threshold_is_choosable(choice->metric, &which))
            continue;
        if (which == THRESHOLD_QUALITY)
            changed->quality_threshold = (int64_t)choice->cutoff;
        else
            changed->fact_verification_min_score = (int64_t)choice->cutoff;
    }
    *in_force = changed;
    return ERROR_NONE;
}

static enum error read_all(const struct trace_call *call, struct object_list *rows)
{
    struct promise *items = ARENA_ARRAY(call->arena, struct promise, PROMISES_MOST);
    struct query *query = db_query(call->db, &read_promises);

    *rows = (struct object_list){.items = items};
    query_bind_integer(query, PROMISES_MOST);
    while (rows->count < PROMISES_MOST && query_next(query))
        query_read(query, &promise_schema, &items[rows->count++], call->arena);
    return query_end(query, call->problem);
}

static enum error check(const struct trace_call *all, const struct promise *promise, bool *broken)
{
    struct trace_call call = *all;
    enum threshold_metric which;
    int64_t given = 0, wrong = 0;
    enum risk_state state;
    struct query *query;
    enum error error;

    *broken = false;
    call.tenant = promise->tenant_id;
    if (!threshold_is_choosable(promise->metric, &which))
        return ERROR_NONE;
    error = labelled_count(&call, which, promise->cutoff, promise->chosen_at, &given, &wrong);
    if (error)
        return error;
    state = risk_state_of(wrong, given, promise->risk, promise->confidence);
    *broken = state == RISK_BROKEN;
    query = db_query(call.db, &note_state);
    query_bind_text(query, risk_state_names[state]);
    query_bind_integer(query, given);
    query_bind_integer(query, wrong);
    query_bind_text(query, promise->tenant_id);
    query_bind_text(query, promise->metric);
    query_bind_text(query, promise->chosen_at);
    return query_end(query, call.problem);
}

enum error threshold_check_choices(const struct trace_call *call, int64_t *looked_at,
                                   int64_t *broken)
{
    struct object_list rows;
    enum error error = read_all(call, &rows);

    *looked_at = *broken = 0;
    for (size_t i = 0; i < rows.count && !error; i++) {
        bool is_broken;

        error = check(call, &((const struct promise *)rows.items)[i], &is_broken);
        *looked_at += 1;
        *broken += is_broken;
    }
    return error;
}
