/* Ingests a batch: loads its subjects, subtracts them from the sums, changes them, adds them
 * back. */
#include "experiments/live/ingest.h"

#include "base/clock.h"
#include "experiments/live/batch.h"
#include "experiments/live/cluster_store.h"
#include "experiments/live/slices.h"

#include <string.h>

/* The user ids of every record. */
struct live_names live_batch_users(const struct live_batch_run *batch)
{
    struct live_names ids = {.arena = batch->call->arena};
    const void *items = batch->records->items;

    for (size_t i = 0; i < batch->records->count; i++) {
        switch (batch->kind) {
        case LIVE_EXPOSURES:
            live_names_add(&ids, ((const struct live_exposure *)items)[i].user_id);
            break;
        case LIVE_CONVERSIONS:
            live_names_add(&ids, ((const struct live_conversion *)items)[i].user_id);
            break;
        case LIVE_IDENTITIES:
            live_names_add(&ids, ((const struct live_identity *)items)[i].anonymous_id);
            live_names_add(&ids, ((const struct live_identity *)items)[i].canonical_id);
            break;
        case LIVE_EXCLUSIONS:
            live_names_add(&ids, ((const struct live_exclusion *)items)[i].user_id);
            break;
        case LIVE_HOLDOUTS:
            live_names_add(&ids, ((const struct live_holdout_member *)items)[i].user_id);
            break;
        case LIVE_PRE_PERIODS:
            live_names_add(&ids, ((const struct live_pre_period *)items)[i].user_id);
            break;
        default:
            live_names_add(&ids, ((const struct live_stratum *)items)[i].user_id);
        }
    }
    return ids;
}

enum error live_batch_number_metrics(struct live_batch_run *batch)
{
    const struct live_conversion *records = batch->records->items;

    for (size_t i = 0; i < batch->records->count; i++)
        live_name_entry(batch->call->arena, &batch->names, "", records[i].metric);
    return live_number_names(batch->call, &batch->experiment, LIVE_METRIC_NAMES, &batch->names);
}

/* A new name is used at once while there is space; a later read drops it if too few subjects have
 * it. Its values begin with this batch, so the sums over subjects with all covariates restart from
 * the subjects of this batch. */
enum error live_batch_number_covariates(struct live_batch_run *batch)
{
    const struct live_pre_period *records = batch->records->items;
    int64_t before = batch->experiment.covariates;
    enum error error;

    for (size_t i = 0; i < batch->records->count; i++)
        live_name_entry(batch->call->arena, &batch->names, "", records[i].covariate_name);
    error = live_number_names(batch->call, &batch->experiment, LIVE_COVARIATE_NAMES, &batch->names);
    for (size_t i = 0; i < batch->names.count; i++) {
        if (batch->names.items[i].number <= before ||
            batch->experiment.used_count == LIVE_COVARIATES_MAX)
            continue;
        batch->experiment.used[batch->experiment.used_count++] = batch->names.items[i].number;
        batch->covariates_grew = true;
    }
    for (int64_t i = 0;
         !error && batch->covariates_grew && i < live_bucket_count(&batch->experiment); i++)
        error = live_clear_covariance(batch->call, live_bucket_number(&batch->experiment, i));
    return error;
}

/* Whether the record will be dropped: the user already has one, possibly earlier in the batch. */
static bool is_dropped(enum live_kind kind, const struct live_units *units, const char *user_id,
                       struct live_units *seen)
{
    const struct live_unit *unit = live_units_find(units, user_id);

    if ((kind == LIVE_STRATA ? unit->stratum != 0 : unit->exposed) ||
        live_units_find(seen, user_id))
        return true;
    live_units_add(seen, user_id);
    return false;
}

/* Only names that will be stored are names of the experiment. */
enum error live_batch_number_slices(struct live_batch_run *batch, const struct live_units *units)
{
    struct arena *arena = batch->call->arena;
    struct live_units seen;

    live_units_start(&seen, arena, batch->records->count);
    for (size_t i = 0; i < batch->records->count; i++) {
        const struct live_stratum *strata = batch->records->items;
        const struct live_exposure *exposures = batch->records->items;
        const struct live_dimension *dimension;

        if (batch->kind == LIVE_STRATA) {
            if (!is_dropped(batch->kind, units, strata[i].user_id, &seen))
                live_name_entry(arena, &batch->names, "", strata[i].stratum);
            continue;
        }
        dimension = exposures[i].dimensions.items;
        if (exposures[i].dimensions.count == 0 ||
            is_dropped(batch->kind, units, exposures[i].user_id, &seen))
            continue;
        for (size_t k = 0; k < exposures[i].dimensions.count; k++)
            live_name_entry(arena, &batch->names, dimension[k].name, dimension[k].value);
    }
    if (batch->kind == LIVE_STRATA)
        return live_number_names(batch->call, &batch->experiment, LIVE_SLICE_NAMES, &batch->names);
    return live_number_slices(batch->call, &batch->experiment, &batch->names);
}

enum error live_batch_number_clusters(struct live_batch_run *batch)
{
    const struct live_exposure *records = batch->records->items;

    live_clusters_of(records, batch->records->count, batch->call->arena, &batch->clusters);
    if (batch->clusters.count == 0)
        return ERROR_NONE;
    return live_number_clusters(batch->call, &batch->experiment, !batch->part, &batch->clusters);
}

static enum error number_names(struct live_batch_run *batch)
{
    enum error error;

    switch (batch->kind) {
    case LIVE_CONVERSIONS:
        return batch->part ? ERROR_NONE : live_batch_number_metrics(batch);
    case LIVE_PRE_PERIODS:
        return batch->part ? ERROR_NONE : live_batch_number_covariates(batch);
    case LIVE_STRATA:
        return live_batch_number_slices(batch, &batch->units);
    case LIVE_EXPOSURES:
        error = live_batch_number_slices(batch, &batch->units);
        return error ? error : live_batch_number_clusters(batch);
    default:
        return ERROR_NONE;
    }
}

static int64_t number_of(struct live_batch_run *batch, const char *dimension, const char *name)
{
    return live_name_entry(batch->call->arena, &batch->names, dimension, name)->number;
}

/* Subtracts the subject from the sums until the end of the batch. */
static void open_subject(struct live_batch_run *batch, struct live_unit *root)
{
    if (root->open)
        return;
    batch->rollup.off[LIVE_COVARIANCE] = batch->covariates_grew;
    live_rollup_subject(&batch->rollup, root, -1);
    root->open = true;
    live_names_add(&batch->opened, root->user_id);
}

/* The place of the current record among all that were received. */
static int64_t take_sequence(struct live_batch_run *batch)
{
    return batch->part ? batch->part->sequences[batch->at] : batch->experiment.next_sequence++;
}

/* How far the exposures of the arms reach. */
static void note_pace(struct live_experiment *experiment, int64_t moment)
{
    struct optional_integer *first = &experiment->first_exposed_at;
    struct optional_integer *last = &experiment->last_exposed_at;

    if (!first->given || moment < first->value)
        *first = GIVEN_INTEGER(moment);
    if (!last->given || moment > last->value)
        *last = GIVEN_INTEGER(moment);
}

/* Keeps the first exposure of the id; records whether there was one in another arm. */
static void note_crossing(struct live_batch_run *batch, struct live_unit *unit, int64_t variation)
{
    if (unit->variation == variation || unit->crossed)
        return;
    open_subject(batch, unit->root);
    unit->crossed = unit->changed = batch->crossed = true;
}

static int64_t cluster_of(const struct live_batch_run *batch, const struct live_exposure *record)
{
    return record->cluster ? live_units_find(&batch->clusters, record->cluster)->number : 0;
}

/* Keeps the first cluster of the id, which may come after its first exposure; records whether there
 * was another one. */
static void note_cluster(struct live_batch_run *batch, struct live_unit *unit,
                         const struct live_exposure *record)
{
    if (!record->cluster || unit->cluster_crossed || unit->cluster == cluster_of(batch, record))
        return;
    open_subject(batch, unit->root);
    if (unit->cluster)
        unit->cluster_crossed = true;
    else
        unit->cluster = cluster_of(batch, record);
    unit->changed = batch->crossed = true;
}

static void take_exposure(struct live_batch_run *batch, const struct live_exposure *record)
{
    struct live_unit *unit = live_units_find(&batch->units, record->user_id);

    if (unit->exposed) {
        batch->outcome->deduplicated++;
        note_crossing(batch, unit, record->variation_index);
        note_cluster(batch, unit, record);
        return;
    }
    open_subject(batch, unit->root);
    unit->exposed = unit->changed = true;
    unit->variation = record->variation_index;
    unit->occurred_at = record->occurred_at.given ? record->occurred_at.value : batch->now;
    if (record->variation_index != LIVE_HOLDOUT)
        note_pace(&batch->experiment, unit->occurred_at);
    unit->exposed_at = batch->now;
    unit->exposure_sequence = take_sequence(batch);
    unit->dimensions = live_slices_text(batch->call->arena, &batch->names, record);
    unit->cluster = cluster_of(batch, record);
    unit->root->retime = true;
    batch->outcome->recorded++;
}

static void take_holdout(struct live_batch_run *batch, const struct live_holdout_member *record)
{
    const struct live_exposure exposure = {.user_id = record->user_id,
                                           .variation_index = LIVE_HOLDOUT};

    take_exposure(batch, &exposure);
}

static void take_conversion(struct live_batch_run *batch, const struct live_conversion *record)
{
    struct live_unit *unit = live_units_find(&batch->units, record->user_id);
    int64_t metric = number_of(batch, "", record->metric);
    int64_t moment = record->occurred_at.given ? record->occurred_at.value : batch->now;
    const struct live_timed_value timed = {record->value, moment,
                                           live_metric_window(&batch->experiment, metric)};
    struct live_values *values;

    open_subject(batch, unit->root);
    values = live_unit_values(&batch->units, unit, metric);
    live_values_count(values, record->value);
    live_values_classify(values, &timed, live_subject_exposure(unit->root));
    values->changed = true;
    batch->events[batch->event_count++] =
        (struct live_event){.unit = unit,
                            .sequence = take_sequence(batch),
                            .metric = metric,
                            .value = record->value,
                            .occurred_at = moment,
                            .idempotency_key = record->idempotency_key};
    batch->outcome->recorded++;
}

enum live_link live_judge_link(const struct live_unit *alias, const struct live_unit *canonical)
{
    if (alias == canonical || canonical->canonical_id || alias->aliases)
        return LIVE_LINK_REFUSED;
    return alias->canonical_id ? LIVE_LINK_KNOWN : LIVE_LINK_NEW;
}

static void take_identity(struct live_batch_run *batch, const struct live_identity *record)
{
    struct live_unit *alias = live_units_find(&batch->units, record->anonymous_id);
    struct live_unit *canonical = live_units_find(&batch->units, record->canonical_id);

    switch (live_judge_link(alias, canonical)) {
    case LIVE_LINK_REFUSED:
        return;
    case LIVE_LINK_KNOWN:
        batch->outcome->deduplicated++;
        return;
    case LIVE_LINK_NEW:
        break;
    }
    open_subject(batch, alias);
    open_subject(batch, canonical);
    alias->canonical_id = canonical->user_id;
    alias->linked_at = batch->now;
    alias->changed = true;
    live_unit_join(alias, canonical);
    canonical->retime = true;
    batch->experiment.links++;
    batch->outcome->recorded++;
}

static void take_exclusion(struct live_batch_run *batch, const struct live_exclusion *record)
{
    struct live_unit *unit = live_units_find(&batch->units, record->user_id);

    if (unit->exclusion_reason) {
        batch->outcome->deduplicated++;
        return;
    }
    open_subject(batch, unit->root);
    unit->exclusion_reason = record->exclusion_reason;
    unit->excluded_at = batch->now;
    unit->changed = true;
    batch->outcome->recorded++;
}

static void take_pre_period(struct live_batch_run *batch, const struct live_pre_period *record)
{
    struct live_unit *unit = live_units_find(&batch->units, record->user_id);
    int64_t number = number_of(batch, "", record->covariate_name);

    if (live_unit_covariate(unit, number)) {
        batch->outcome->deduplicated++;
        return;
    }
    open_subject(batch, unit->root);
    live_unit_add_covariate(&batch->units, unit, number, record->value, false);
    batch->outcome->recorded++;
}

static void take_stratum(struct live_batch_run *batch, const struct live_stratum *record)
{
    struct live_unit *unit = live_units_find(&batch->units, record->user_id);

    if (unit->stratum) {
        batch->outcome->deduplicated++;
        return;
    }
    open_subject(batch, unit->root);
    unit->stratum = number_of(batch, "", record->stratum);
    unit->stratified_at = batch->now;
    unit->stratum_sequence = take_sequence(batch);
    unit->changed = true;
    batch->outcome->recorded++;
}

static void take_records(struct live_batch_run *batch)
{
    const void *items = batch->records->items;

    for (size_t i = 0; i < batch->records->count; i++) {
        batch->at = i;
        switch (batch->kind) {
        case LIVE_EXPOSURES:
            take_exposure(batch, (const struct live_exposure *)items + i);
            break;
        case LIVE_IDENTITIES:
            take_identity(batch, (const struct live_identity *)items + i);
            break;
        case LIVE_EXCLUSIONS:
            take_exclusion(batch, (const struct live_exclusion *)items + i);
            break;
        case LIVE_HOLDOUTS:
            take_holdout(batch, (const struct live_holdout_member *)items + i);
            break;
        case LIVE_PRE_PERIODS:
            take_pre_period(batch, (const struct live_pre_period *)items + i);
            break;
        default:
            take_stratum(batch, (const struct live_stratum *)items + i);
        }
    }
}

/* Skips conversions with a used key. The table of seen keys is a table of subjects, which maps
 * texts. */
static enum error take_conversions(struct live_batch_run *batch)
{
    const struct live_conversion *records = batch->records->items;
    struct arena *arena = batch->call->arena;
    struct live_names keys = {.arena = arena}, taken = {.arena = arena};
    struct live_units seen;
    enum error error;

    for (size_t i = 0; i < batch->records->count; i++)
        if (records[i].idempotency_key)
            live_names_add(&keys, records[i].idempotency_key);
    error =
        batch->part ? ERROR_NONE : live_find_keys(batch->call, &batch->experiment, &keys, &taken);
    if (error)
        return error;
    live_units_start(&seen, arena, keys.count);
    for (size_t i = 0; i < taken.count; i++)
        live_units_add(&seen, taken.items[i]);
    batch->events = ARENA_ARRAY(arena, struct live_event, batch->records->count);
    for (size_t i = 0; i < batch->records->count; i++) {
        const char *key = records[i].idempotency_key;

        batch->at = i;
        if (key && live_units_find(&seen, key)) {
            batch->outcome->deduplicated++;
            continue;
        }
        if (key)
            live_units_add(&seen, key);
        take_conversion(batch, &records[i]);
    }
    return ERROR_NONE;
}

/* Adds every subtracted subject back, except those merged into another one. */
static void close_people(struct live_batch_run *batch)
{
    batch->rollup.off[LIVE_COVARIANCE] = false;
    for (size_t i = 0; i < batch->opened.count; i++) {
        const struct live_unit *unit = live_units_find(&batch->units, batch->opened.items[i]);

        if (unit->root == unit)
            live_rollup_subject(&batch->rollup, unit, 1);
    }
}

static enum error save(struct live_batch_run *batch)
{
    const struct live_call *call = batch->call;
    enum error error = live_save_units(call, &batch->experiment, &batch->units);

    if (!error)
        error = live_save_events(call, &batch->experiment, batch->now, batch->events,
                                 batch->event_count);
    if (!error)
        error = live_save_rollup(call, &batch->experiment, &batch->rollup);
    batch->experiment.version++;
    return error ? error : live_save_experiment(call, &batch->experiment);
}

enum error live_run_batch(struct live_batch_run *batch)
{
    int64_t before = batch->outcome->recorded;
    const struct live_call *call = batch->call;
    struct live_names ids = live_batch_users(batch);
    const struct live_load load = {.call = call,
                                   .experiment = &batch->experiment,
                                   .units = &batch->units,
                                   .linked = batch->experiment.links > 0 ||
                                             batch->kind == LIVE_IDENTITIES,
                                   .create = true,
                                   .covariates = batch->experiment.covariates > 0};
    enum error error;

    live_units_start(&batch->units, call->arena, ids.count);
    live_rollup_start(&batch->rollup, &batch->experiment, call->arena);
    batch->opened.arena = call->arena;
    error = live_load_units(&load, &ids);
    if (!error)
        error = number_names(batch);
    if (error)
        return error;
    if (batch->kind == LIVE_CONVERSIONS)
        error = take_conversions(batch);
    else
        take_records(batch);
    if (!error)
        error = live_load_times(&load);
    if (error)
        return error;
    if (batch->outcome->recorded == before && !batch->crossed) /* a name was new, at the most */
        return live_save_experiment(call, &batch->experiment);
    close_people(batch);
    return save(batch);
}

enum error live_ingest(const struct live_call *call, const char *experiment_id, enum live_kind kind,
                       const struct object_list *records, struct live_outcome *outcome)
{
    struct live_batch_run batch = {.call = call,
                                   .kind = kind,
                                   .records = records,
                                   .outcome = outcome,
                                   .now = clock_unix_microseconds()};
    enum error error;

    *outcome = (struct live_outcome){.received = (int64_t)records->count};
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = live_open_experiment(call, experiment_id, &batch.experiment);
    if (!error && records->count > 0)
        error = batch.experiment.buckets > 1 ? live_run_divided(&batch) : live_run_batch(&batch);
    outcome->skipped = outcome->received - outcome->recorded - outcome->deduplicated;
    return db_finish(call->db, error, call->problem);
}
