/* SQL of guardrail alarms. */
#include "experiments/alarms/alarm_store.h"

#include "base/json.h"
#include "base/list.h"
#include "base/timestamp.h"
#include "crypto/token.h"
#include "db/query.h"

#include <string.h>

enum { DIFF_BYTES_MAX = 4096 };

static const struct actor the_reader = {.name = "livedata_alarm"};

#define COLUMNS                                                                                    \
    "SELECT a.id, a.project_id, a.metric, a.metric_window, a.condition, a.threshold, a.reference," \
    " a.reference_at, a.value, a.unit, a.read_at, a.event_age_seconds, a.stale_seconds,"           \
    " a.event_age_seconds_max, a.raised_at, a.failed_at, a.failure, a.actor, a.created_at,"        \
    " p.archived_at FROM experiment_alarms a JOIN projects p ON p.id = a.project_id"

static const struct statement read_all = {
    .name = "alarms_read",
    .sql = COLUMNS " WHERE a.project_id = ? ORDER BY a.created_at, a.id",
};
static const struct statement list_running = {
    .name = "alarms_running",
    .sql = COLUMNS " WHERE a.id > ? AND p.archived = 0 ORDER BY a.id LIMIT ?",
};
static const struct statement lock_project = {
    .name = "alarm_project_lock",
    .sql = "SELECT project_name, archived, (SELECT count(*) FROM experiment_alarms a"
           " WHERE a.project_id = projects.id) AS alarms FROM projects WHERE id = ? {for_update}",
};
static const struct statement insert_alarm = {
    .name = "alarm_insert",
    .sql = "INSERT INTO experiment_alarms (id, project_id, metric, metric_window, condition,"
           " threshold, reference, actor, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement delete_alarm = {
    .name = "alarm_delete",
    .sql = "DELETE FROM experiment_alarms WHERE project_id = ? AND id = ?",
};
static const struct statement save_alarm = {
    .name = "alarm_save",
    .sql = "UPDATE experiment_alarms SET reference = ?, reference_at = ?, value = ?, unit = ?,"
           " read_at = ?, event_age_seconds = ?, stale_seconds = ?, event_age_seconds_max = ?,"
           " raised_at = ?, failed_at = NULL, failure = NULL"
           " WHERE id = ? AND (read_at IS NULL OR read_at <= ?)",
};
static const struct statement fail_alarm = {
    .name = "alarm_fail",
    .sql = "UPDATE experiment_alarms SET stale_seconds = ?, event_age_seconds_max = ?,"
           " failed_at = ?, failure = ? WHERE id = ?",
};

static int64_t integer_or_zero(struct query *query, int column)
{
    struct optional_integer value = query_optional_integer(query, column);

    return value.given ? value.value : 0;
}

static int condition_named(const char *name)
{
    for (int i = 0; i < ALARM_CONDITION__MAX; i++)
        if (strcmp(alarm_condition_names[i], name) == 0)
            return i;
    return ALARM_CHANGED;
}

static void take(struct query *query, struct arena *arena, struct alarm *alarm)
{
    const char *archived_at;

    *alarm = (struct alarm){.id = query_text(query, 0, arena),
                            .project_id = query_text(query, 1, arena),
                            .metric = query_text(query, 2, arena),
                            .window = query_text(query, 3, arena),
                            .condition = condition_named(query_text(query, 4, arena)),
                            .threshold = query_number(query, 5),
                            .reference = query_optional_number(query, 6),
                            .reference_at = integer_or_zero(query, 7),
                            .value = query_optional_number(query, 8),
                            .unit = query_text_or_null(query, 9, arena),
                            .read_at = integer_or_zero(query, 10),
                            .event_age_seconds = query_optional_number(query, 11),
                            .stale_seconds = query_optional_number(query, 12),
                            .event_age_seconds_max = query_optional_number(query, 13),
                            .raised_at = integer_or_zero(query, 14),
                            .failed_at = integer_or_zero(query, 15),
                            .failure = query_text_or_null(query, 16, arena),
                            .actor = query_text_or_null(query, 17, arena),
                            .created_at = query_text(query, 18, arena)};
    archived_at = query_text_or_null(query, 19, arena);
    if (archived_at)
        (void)timestamp_from_text(archived_at, &alarm->archived_at);
}

static enum error take_all(const struct alarm_call *call, struct query *query,
                           struct alarm_list *alarms)
{
    while (query_next(query))
        take(query, call->arena, ARRAY_ADD(call->arena, alarms->items, alarms->count));
    return query_end(query, call->problem);
}

enum error alarm_read_all(const struct alarm_call *call, const char *project_id, int64_t now,
                          struct alarm_list *alarms)
{
    struct query *query = db_query(call->db, &read_all);
    enum error error;

    *alarms = (struct alarm_list){0};
    query_bind_text(query, project_id);
    error = take_all(call, query, alarms);
    for (size_t i = 0; !error && i < alarms->count; i++)
        alarms->items[i].status = (int)alarm_status_at(&alarms->items[i], now);
    return error;
}

enum error alarm_list_running(const struct alarm_call *call, const char *after, int most,
                              struct alarm_list *alarms)
{
    struct query *query = db_query(call->db, &list_running);

    *alarms = (struct alarm_list){0};
    query_bind_text(query, after);
    query_bind_integer(query, most);
    return take_all(call, query, alarms);
}

/* Locks the project; its name, and the number of its alarms. */
static enum error lock(const struct alarm_call *call, const char *project_id, const char **name,
                       int64_t *count)
{
    struct query *query;
    bool found, archived = false;
    enum error error;

    if (!store_is_id(project_id))
        return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "Experiment not found");
    query = db_query(call->db, &lock_project);
    query_bind_text(query, project_id);
    found = query_next(query);
    if (found) {
        *name = query_text(query, 0, call->arena);
        archived = query_boolean(query, 1);
        *count = query_integer(query, 2);
    }
    error = query_end(query, call->problem);
    if (error)
        return error;
    if (!found)
        return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "Experiment not found");
    if (archived)
        return problem_set(call->problem, ERROR_INVALID, "project_archived",
                           "Project is archived; restore it first");
    return ERROR_NONE;
}

/* {"alarm": [null, "revenue 1h"]}, the other way round when it goes. */
static const char *difference(struct arena *arena, const char *metric, const char *window,
                              bool added)
{
    const char *what = arena_print(arena, "%s %s", metric, window);
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, DIFF_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key(&writer, "alarm");
    writer_open_array(&writer);
    if (added)
        writer_null(&writer);
    writer_string(&writer, what);
    if (!added)
        writer_null(&writer);
    writer_close_array(&writer);
    writer_close_object(&writer);
    return text.bytes;
}

static enum error record(const struct alarm_call *call, const struct actor *actor,
                         const struct audit_event *event)
{
    return audit_record(call->db, call->arena, actor, event, call->problem);
}

static enum error insert(const struct alarm_call *call, const struct alarm *alarm)
{
    struct query *query = db_query(call->db, &insert_alarm);

    query_bind_text(query, alarm->id);
    query_bind_text(query, alarm->project_id);
    query_bind_text(query, alarm->metric);
    query_bind_text(query, alarm->window);
    query_bind_text(query, alarm_condition_names[alarm->condition]);
    query_bind_number(query, alarm->threshold);
    query_bind_optional_number(query, alarm->reference);
    query_bind_text(query, alarm->actor);
    query_bind_text(query, alarm->created_at);
    return query_end(query, call->problem);
}

static enum error add(const struct alarm_call *call, const struct actor *actor, int64_t limit,
                      const struct alarm *alarm)
{
    const char *name = NULL;
    int64_t count = 0;
    enum error error = lock(call, alarm->project_id, &name, &count);

    if (!error && count >= limit)
        error =
            problem_set(call->problem, ERROR_CONFLICT, "alarm_limit_reached",
                        "The experiment has %lld alarms, as many as it may have", (long long)count);
    if (!error)
        error = insert(call, alarm);
    if (error)
        return error;
    return record(
        call, actor,
        &(struct audit_event){.action = "experiment.alarm_add",
                              .project_id = alarm->project_id,
                              .project_name = name,
                              .diff = difference(call->arena, alarm->metric, alarm->window, true)});
}

enum error alarm_create(const struct alarm_call *call, const struct actor *actor,
                        const char *project_id, const struct alarm_rule *rule, int64_t limit,
                        struct alarm *alarm)
{
    char *id = arena_alloc(call->arena, TOKEN_UUID_TEXT);
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    token_uuid(id);
    *alarm = (struct alarm){.id = id,
                            .project_id = project_id,
                            .metric = rule->metric,
                            .window = rule->window,
                            .condition = rule->condition,
                            .threshold = rule->threshold,
                            .reference = rule->reference,
                            .status = ALARM_UNREAD,
                            .actor = actor->name,
                            .created_at = store_now(call->arena)};
    return error ? error : db_finish(call->db, add(call, actor, limit, alarm), call->problem);
}

static const struct alarm *alarm_in(const struct alarm_list *alarms, const char *id)
{
    for (size_t i = 0; i < alarms->count; i++)
        if (strcmp(alarms->items[i].id, id) == 0)
            return &alarms->items[i];
    return NULL;
}

static enum error take_away(const struct alarm_call *call, const struct actor *actor,
                            const char *project_id, const char *id)
{
    const struct alarm *alarm;
    struct alarm_list alarms = {0};
    const char *name = NULL;
    struct query *query;
    int64_t count = 0;
    enum error error = lock(call, project_id, &name, &count);

    if (!error)
        error = alarm_read_all(call, project_id, 0, &alarms);
    if (error)
        return error;
    alarm = alarm_in(&alarms, id);
    if (!alarm)
        return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "Alarm not found");
    query = db_query(call->db, &delete_alarm);
    query_bind_text(query, project_id);
    query_bind_text(query, id);
    error = query_end(query, call->problem);
    if (error)
        return error;
    return record(call, actor,
                  &(struct audit_event){
                      .action = "experiment.alarm_remove",
                      .project_id = project_id,
                      .project_name = name,
                      .diff = difference(call->arena, alarm->metric, alarm->window, false)});
}

enum error alarm_delete(const struct alarm_call *call, const struct actor *actor,
                        const char *project_id, const char *id)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error
                 : db_finish(call->db, take_away(call, actor, project_id, id), call->problem);
}

static struct optional_integer unless_zero(int64_t value)
{
    return (struct optional_integer){value != 0, value};
}

static enum error update(const struct alarm_call *call, const struct alarm *alarm, bool *stored)
{
    struct query *query = db_query(call->db, &save_alarm);

    query_bind_optional_number(query, alarm->reference);
    query_bind_optional_integer(query, unless_zero(alarm->reference_at));
    query_bind_optional_number(query, alarm->value);
    query_bind_text(query, alarm->unit);
    query_bind_integer(query, alarm->read_at);
    query_bind_optional_number(query, alarm->event_age_seconds);
    query_bind_optional_number(query, alarm->stale_seconds);
    query_bind_optional_number(query, alarm->event_age_seconds_max);
    query_bind_optional_integer(query, unless_zero(alarm->raised_at));
    query_bind_text(query, alarm->id);
    query_bind_integer(query, alarm->read_at);
    *stored = query_changes(query) > 0;
    return query_end(query, call->problem);
}

static enum error save(const struct alarm_call *call, const struct alarm *alarm, bool was_raised)
{
    bool raised = alarm->raised_at != 0, stored = false;
    const char *name = NULL;
    int64_t count = 0;
    enum error error = lock(call, alarm->project_id, &name, &count);

    if (!error)
        error = update(call, alarm, &stored);
    if (error || !stored || raised == was_raised)
        return error;
    return record(call, &the_reader,
                  &(struct audit_event){
                      .action = raised ? "experiment.alarm_raised" : "experiment.alarm_ended",
                      .project_id = alarm->project_id,
                      .project_name = name,
                      .diff = difference(call->arena, alarm->metric, alarm->window, raised)});
}

enum error alarm_save(const struct alarm_call *call, const struct alarm *alarm, bool was_raised)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, save(call, alarm, was_raised), call->problem);
}

enum error alarm_fail(const struct alarm_call *call, const struct alarm *alarm, int64_t now,
                      const char *failure)
{
    struct query *query = db_query(call->db, &fail_alarm);

    query_bind_optional_number(query, alarm->stale_seconds);
    query_bind_optional_number(query, alarm->event_age_seconds_max);
    query_bind_integer(query, now);
    query_bind_text(query, failure);
    query_bind_text(query, alarm->id);
    return query_end(query, call->problem);
}
