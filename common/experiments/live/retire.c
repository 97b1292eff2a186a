/* Works on one experiment at a time, under its lock. */
#include "experiments/live/retire.h"

#include "db/query.h"
#include "experiments/live/live_store.h"
#include "experiments/live/rollup_store.h"
#include "experiments/live/source_store.h"

static const struct statement count_exposures = {
    .name = "live_old_exposures",
    .sql = "SELECT count(*) FROM live_units WHERE experiment = ? AND exposed_at < ?",
};
static const struct statement count_conversions = {
    .name = "live_old_conversions",
    .sql = "SELECT count(*) FROM live_conversions WHERE experiment = ? AND created_at < ?",
};
static const struct statement delete_conversions = {
    .name = "live_old_conversions_delete",
    .sql = "DELETE FROM live_conversions WHERE experiment = ? AND created_at < ?",
};
static const struct statement forget_exposures = {
    .name = "live_old_exposures_forget",
    .sql = "UPDATE live_units SET variation = NULL, occurred_at = NULL, exposed_at = NULL,"
           " exposure_sequence = NULL, dimensions = NULL, cluster = NULL, cluster_crossed = 0"
           " WHERE experiment = ? AND exposed_at < ?",
};
/* In this order: values without events, then ids without anything. */
static const struct statement clean[] = {
    {"live_values_clean",
     "DELETE FROM live_unit_metrics WHERE experiment = ? AND NOT EXISTS (SELECT 1 FROM"
     " live_conversions c WHERE c.experiment = live_unit_metrics.experiment"
     " AND c.unit = live_unit_metrics.unit AND c.metric = live_unit_metrics.metric)"},
    {"live_units_clean",
     "DELETE FROM live_units WHERE experiment = ? AND variation IS NULL AND canonical_id IS NULL"
     " AND exclusion_reason IS NULL AND stratum IS NULL AND NOT EXISTS (SELECT 1 FROM"
     " live_conversions c WHERE c.experiment = live_units.experiment AND c.unit = live_units.unit)"
     " AND NOT EXISTS (SELECT 1 FROM live_unit_covariates v WHERE v.experiment ="
     " live_units.experiment AND v.unit = live_units.unit) AND NOT EXISTS (SELECT 1 FROM live_units"
     " a WHERE a.experiment = live_units.experiment AND a.canonical_id = live_units.user_id)"},
};

static const struct statement note_taken = {
    .name = "live_old_exposures_note",
    .sql = "UPDATE live_experiments SET exposures_taken = exposures_taken + 1"
           " WHERE experiment_id = ?",
};

static const struct statement read_pace = {
    .name = "live_old_pace",
    .sql = "SELECT min(occurred_at), max(occurred_at) FROM live_units WHERE experiment = ?"
           " AND variation >= 0",
};

static enum error count_old(const struct live_call *call, const struct statement *statement,
                            int64_t experiment, int64_t before, int64_t *count)
{
    struct query *query;

    *count = 0;
    if (before == 0)
        return ERROR_NONE;
    query = db_query(call->db, statement);
    query_bind_integer(query, experiment);
    query_bind_integer(query, before);
    if (query_next(query))
        *count = query_integer(query, 0);
    return query_end(query, call->problem);
}

static enum error take_old(const struct live_call *call, const struct statement *statement,
                           int64_t experiment, int64_t before)
{
    struct query *query;

    if (before == 0)
        return ERROR_NONE;
    query = db_query(call->db, statement);
    query_bind_integer(query, experiment);
    query_bind_integer(query, before);
    return query_end(query, call->problem);
}

/* What is kept of the experiment no longer fits: its aggregates, and how far its exposures reach.
 */
static enum error age(const struct live_call *call, struct live_experiment *experiment)
{
    struct query *query = db_query(call->db, &read_pace);
    enum error error;

    query_bind_integer(query, experiment->number);
    if (query_next(query)) {
        experiment->first_exposed_at = query_optional_integer(query, 0);
        experiment->last_exposed_at = query_optional_integer(query, 1);
    }
    error = query_end(query, call->problem);
    experiment->stale = true;
    experiment->version++;
    return error ? error : live_save_experiment(call, experiment);
}

static enum error take_away(const struct live_call *call, struct live_experiment *experiment,
                            const struct live_retirement *retirement)
{
    enum error error =
        take_old(call, &delete_conversions, experiment->number, retirement->conversions_before);

    if (!error)
        error = take_old(call, &forget_exposures, experiment->number, retirement->exposures_before);
    for (size_t i = 0; !error && i < sizeof clean / sizeof clean[0]; i++) {
        struct query *query = db_query(call->db, &clean[i]);

        query_bind_integer(query, experiment->number);
        error = query_end(query, call->problem);
    }
    return error ? error : age(call, experiment);
}

/* Of an experiment, or of a bucket of one. */
static enum error retire_part(const struct live_call *call, struct live_experiment *part,
                              bool dry_run, struct live_retirement *retirement)
{
    int64_t exposures, conversions;
    enum error error =
        count_old(call, &count_exposures, part->number, retirement->exposures_before, &exposures);

    if (!error)
        error = count_old(call, &count_conversions, part->number, retirement->conversions_before,
                          &conversions);
    if (error)
        return error;
    retirement->exposures += exposures;
    retirement->conversions += conversions;
    if (dry_run || exposures + conversions == 0)
        return ERROR_NONE;
    return take_away(call, part, retirement);
}

/* The digest of all exposures (certificates/exposed_users.h) does not hold any more. */
static enum error note_exposures(const struct live_call *call, const char *id)
{
    struct query *query = db_query(call->db, &note_taken);

    query_bind_text(query, id);
    return query_end(query, call->problem);
}

/* A change of a row whose value is gone must not be recorded as a difference to it. */
static enum error lock_and_retire_rows(const struct live_call *call, const char *id,
                                       const struct live_retirement *retirement)
{
    enum error error = live_lock_source(call, id);

    if (error || !retirement->conversions_before)
        return error;
    return live_retire_source_rows(call, id, retirement->conversions_before);
}

/* Keys lie in other buckets than their events; the events of one batch have the same age. */
static enum error retire_one(const struct live_call *call, const char *id, bool dry_run,
                             struct live_retirement *retirement)
{
    struct live_reading reading;
    struct live_parts parts = {0};
    int64_t before = retirement->exposures;
    enum error error = dry_run ? ERROR_NONE : lock_and_retire_rows(call, id, retirement);

    if (!error)
        error = dry_run ? live_read_experiment(call, id, &reading)
                        : live_lock_experiment(call, id, &reading, &parts);
    if (!error && dry_run)
        error = live_read_parts(call, &reading.experiment, NULL, &parts);
    for (size_t i = 0; !error && i < parts.count; i++)
        error = retire_part(call, &parts.items[i], dry_run, retirement);
    if (!error && !dry_run && retirement->exposures > before)
        error = note_exposures(call, id);
    for (size_t i = 0; !error && !dry_run && retirement->conversions_before && i < parts.count; i++)
        error = live_clear_keys(call, parts.items[i].number, retirement->conversions_before);
    return error;
}

enum error live_retire(struct db *db, struct arena *arena, bool dry_run,
                       struct live_retirement *retirement, struct problem *problem)
{
    const struct live_call call = {.db = db, .arena = arena, .problem = problem};
    struct live_names experiments = {.arena = arena};
    enum error error;

    retirement->exposures = retirement->conversions = 0;
    if (retirement->exposures_before == 0 && retirement->conversions_before == 0)
        return ERROR_NONE;
    error = live_list_experiments(&call, &experiments);
    for (size_t i = 0; !error && i < experiments.count; i++)
        error = retire_one(&call, experiments.items[i], dry_run, retirement);
    return error;
}
