/* Contains the SQL of starting anew. The row of the experiment stays: its version goes on counting,
 * so that no reader takes an old answer for the current one. */
#include "experiments/live/clear.h"

#include "base/json.h"
#include "base/text.h"
#include "db/query.h"
#include "experiments/live/look_store.h"
#include "experiments/live/source_store.h"

enum { DIFF_BYTES_MAX = 1024 };

static const struct statement find_name = {
    .name = "live_clear_project",
    .sql = "SELECT project_name FROM projects WHERE id = ?",
};
static const struct statement count_exposures = {
    .name = "live_clear_exposures",
    .sql = "SELECT count(*) FROM live_units WHERE experiment = ? AND variation IS NOT NULL",
};
static const struct statement count_conversions = {
    .name = "live_clear_conversions",
    .sql = "SELECT count(*) FROM live_conversions WHERE experiment = ?",
};
static const struct statement clear_part[] = {
    {"live_clear_events", "DELETE FROM live_conversions WHERE experiment = ?"},
    {"live_clear_values", "DELETE FROM live_unit_metrics WHERE experiment = ?"},
    {"live_clear_before", "DELETE FROM live_unit_covariates WHERE experiment = ?"},
    {"live_clear_units", "DELETE FROM live_units WHERE experiment = ?"},
    {"live_clear_cells", "DELETE FROM live_cells WHERE experiment = ?"},
    {"live_clear_arms", "DELETE FROM live_arms WHERE experiment = ?"},
    {"live_clear_products", "DELETE FROM live_products WHERE experiment = ?"},
    {"live_clear_metrics", "DELETE FROM live_metrics WHERE experiment = ?"},
    {"live_clear_covariates", "DELETE FROM live_covariates WHERE experiment = ?"},
    {"live_clear_slices", "DELETE FROM live_slices WHERE experiment = ?"},
    {"live_clear_clusters", "DELETE FROM live_clusters WHERE experiment = ?"},
};
static const struct statement clear_row = {
    .name = "live_clear_row",
    .sql = "UPDATE live_experiments SET version = version + 1, metrics = 0, covariates = 0,"
           " slices = 0, strata = 0, links = 0, alias_exposures = 0, alias_conversions = 0,"
           " merged_people = 0, primary_metric = 0, numerator = 0, denominator = 0,"
           " covariates_used = '', robust = '', clusters = 0, cluster_plan = '',"
           " first_exposed_at = NULL, last_exposed_at = NULL,"
           " exposures_taken = exposures_taken + 1, stale = 1 WHERE experiment = ?",
};
static const struct statement clear_course[] = {
    {"live_clear_ages", "DELETE FROM live_ages WHERE experiment_id = ?"},
    {"live_clear_days", "DELETE FROM live_days WHERE experiment_id = ?"},
    {"live_clear_series", "DELETE FROM live_series WHERE experiment_id = ?"},
    /* The number of the order stays: its job finds that it is not wanted any more. */
    {"live_clear_error_rates",
     "UPDATE error_rates SET state = 'none', failure = NULL, running = NULL, result = NULL"
     " WHERE experiment_id = ?"},
};

static enum error count(const struct live_call *call, const struct statement *statement,
                        const struct live_parts *parts, int64_t *found)
{
    enum error error = ERROR_NONE;

    *found = 0;
    for (size_t i = 0; !error && i < parts->count; i++) {
        struct query *query = db_query(call->db, statement);

        query_bind_integer(query, parts->items[i].number);
        *found += query_next(query) ? query_integer(query, 0) : 0;
        error = query_end(query, call->problem);
    }
    return error;
}

static enum error delete_rows(const struct live_call *call, const struct statement *statements,
                              size_t statement_count, int64_t experiment)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < statement_count; i++) {
        struct query *query = db_query(call->db, &statements[i]);

        query_bind_integer(query, experiment);
        error = query_end(query, call->problem);
    }
    return error;
}

/* What an experiment, or a bucket of one, has collected. */
static enum error delete_part(const struct live_call *call, const struct live_experiment *part)
{
    struct live_experiment *cleared = ARENA_NEW(call->arena, struct live_experiment);
    enum error error =
        delete_rows(call, clear_part, sizeof clear_part / sizeof clear_part[0], part->number);

    if (error || !part->whole)
        return error;
    *cleared = *part;
    cleared->version++;
    cleared->links = cleared->alias_exposures = cleared->alias_conversions = 0;
    cleared->merged_people = 0;
    cleared->first_exposed_at = cleared->last_exposed_at = (struct optional_integer){0};
    error = live_clear_keys(call, part->number, 0);
    return error ? error : live_save_experiment(call, cleared);
}

static enum error delete_all(const struct live_call *call, const struct live_experiment *experiment,
                             const struct live_parts *parts, const char *id)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < parts->count; i++)
        error = delete_part(call, &parts->items[i]);
    if (!error)
        error = delete_rows(call, &clear_row, 1, experiment->number);
    if (!error)
        error = live_clear_places(call, experiment);
    if (!error)
        error = live_clear_looks(call, id);
    if (!error)
        error = live_forget_source(call, id);
    for (size_t i = 0; !error && i < sizeof clear_course / sizeof clear_course[0]; i++) {
        struct query *query = db_query(call->db, &clear_course[i]);

        query_bind_text(query, id);
        error = query_end(query, call->problem);
    }
    return error;
}

static void write_change(struct json_writer *writer, const char *key, int64_t before)
{
    writer_key(writer, key);
    writer_open_array(writer);
    writer_integer(writer, before);
    writer_integer(writer, 0);
    writer_close_array(writer);
}

static enum error note(const struct live_call *call, const struct actor *actor,
                       const struct live_clearing *clearing)
{
    struct query *query = db_query(call->db, &find_name);
    struct audit_event event = {.action = "experiment.clear",
                                .project_id = clearing->experiment_id};
    struct json_writer writer;
    struct text text;
    enum error error;

    query_bind_text(query, clearing->experiment_id);
    if (query_next(query))
        event.project_name = query_text(query, 0, call->arena);
    error = query_end(query, call->problem);
    if (error)
        return error;
    text_start(&text, call->arena, DIFF_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    write_change(&writer, "exposures", clearing->exposures);
    write_change(&writer, "conversions", clearing->conversions);
    writer_close_object(&writer);
    event.diff = text.bytes;
    return audit_record(call->db, call->arena, actor, &event, call->problem);
}

static enum error clear(const struct live_call *call, const struct actor *actor,
                        struct live_clearing *clearing)
{
    struct live_reading reading;
    struct live_parts parts;
    enum error error = live_lock_source(call, clearing->experiment_id);

    if (!error)
        error = live_lock_experiment(call, clearing->experiment_id, &reading, &parts);
    if (!error)
        error = count(call, &count_exposures, &parts, &clearing->exposures);
    if (!error)
        error = count(call, &count_conversions, &parts, &clearing->conversions);
    if (!error)
        error = delete_all(call, &reading.experiment, &parts, clearing->experiment_id);
    return error ? error : note(call, actor, clearing);
}

enum error live_clear(const struct live_call *call, const struct actor *actor, const char *id,
                      struct live_clearing *clearing)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    *clearing = (struct live_clearing){.experiment_id = id};
    return error ? error : db_finish(call->db, clear(call, actor, clearing), call->problem);
}
