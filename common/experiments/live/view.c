/* Reads the aggregates that a design needs. */
#include "experiments/live/view.h"

#include "base/clock.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "experiments/live/rebuild.h"

#include <stdlib.h>
#include <string.h>

enum { MARK_BYTES_MAX = 64 * 1024 };

static void want(struct live_view *view, struct arena *arena, const char *name)
{
    if (name && *name)
        live_name_entry(arena, &view->metrics, "", name);
}

static void want_metrics(struct live_view *view, struct arena *arena)
{
    const struct payload_metrics *metrics = view->design->metrics;
    const struct guardrail_metric *guardrails = metrics->guardrail_metrics.items;

    want(view, arena, metrics->primary_metric_name);
    if (metrics->metric_type == METRIC_RATIO) {
        want(view, arena, metrics->numerator_metric_name);
        want(view, arena, metrics->denominator_metric_name);
    }
    for (size_t i = 0; i < metrics->guardrail_metrics.count; i++)
        want(view, arena, guardrails[i].name);
    for (size_t i = 0; i < metrics->secondary_metrics.count; i++)
        want(view, arena, metrics->secondary_metrics.items[i]);
    for (size_t i = 0; metrics->goals && i < metrics->goals->further.count; i++)
        want(view, arena, ((const struct payload_goal *)metrics->goals->further.items)[i].name);
    live_design_names(view->design, arena, &view->metrics);
}

/* The numbers of those that have events, presence before them, and those of capped means. */
static struct integer_list metric_numbers(const struct live_view *view, struct arena *arena)
{
    struct integer_list numbers = {
        1, ARENA_ARRAY(arena, int64_t, 1 + view->metrics.count + LIVE_ROBUST_MAX)};

    numbers.items[0] = LIVE_PRESENCE;
    for (size_t i = 0; i < view->metrics.count; i++)
        if (view->metrics.items[i].number)
            numbers.items[numbers.count++] = view->metrics.items[i].number;
    for (size_t i = 0; i < view->experiment.robust_count; i++)
        if (view->experiment.robust[i].capped)
            numbers.items[numbers.count++] = live_capped_metric(i);
    return numbers;
}

static enum error read_bins(const struct live_call *call, struct live_view *view)
{
    const struct live_experiment *experiment = &view->experiment;
    int64_t items[LIVE_ROBUST_MAX];
    struct integer_list binned = {0, items};

    for (size_t i = 0; i < experiment->robust_count; i++)
        if (!experiment->robust[i].capped)
            items[binned.count++] = experiment->robust[i].metric;
    return binned.count ? live_read_bins(call, &binned, &view->rollup) : ERROR_NONE;
}

static bool uses_strata(const struct live_view *view)
{
    return view->experiment.strata > 0 && view->experiment.strata <= LIVE_STRATA_MAX;
}

static enum error read_strata(const struct live_call *call, struct live_view *view)
{
    int64_t items[] = {LIVE_PRESENCE,
                       live_view_metric(view, view->design->metrics->primary_metric_name)};
    struct integer_list numbers = {items[1] ? 2 : 1, items};
    enum error error =
        live_read_slices(call, live_bucket_number(&view->experiment, 0), "", &view->strata);

    return error ? error : live_read_metrics(call, &numbers, "", &view->rollup);
}

static void note_unknown(const char *name, int64_t events, void *context)
{
    struct live_view *view = context;
    struct live_unknown *unknown = &view->unknown;

    if (live_view_metric(view, name))
        return;
    unknown->names++;
    unknown->events += events;
    if (unknown->count < LIVE_UNKNOWN_MAX)
        unknown->items[unknown->count++] = (struct live_unknown_metric){name, events};
}

static int name_order(const void *one, const void *other)
{
    return strcmp(((const struct live_name *)one)->name, ((const struct live_name *)other)->name);
}

/* Those in use that cover enough. */
static void choose_covariates(struct live_view *view, struct arena *arena)
{
    const struct live_covered_list *covered = &view->covered;
    int64_t wanted[LIVE_COVARIATES_MAX];

    view->covariates_wanted = (int64_t)live_wanted_covariates(covered, wanted);
    if (view->covariates_wanted > LIVE_COVARIATES_MAX)
        return;
    for (size_t i = 0; i < covered->count; i++)
        if (live_is_covering(covered, i))
            live_name_entry(arena, &view->covariates, "", covered->items[i].name)->number =
                covered->items[i].number;
    if (view->covariates.count)
        qsort(view->covariates.items, view->covariates.count, sizeof view->covariates.items[0],
              name_order);
}

/* Of dimensions that the design names after the data there may be more than places: none is read
 * then. */
static enum error read_declared(const struct live_call *call, struct live_view *view,
                                const struct integer_list *numbers)
{
    const struct object_list *dimensions = &view->design->setup->dimensions;
    const struct payload_dimension *items = dimensions->items;
    int64_t any = live_bucket_number(&view->experiment, 0);
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < dimensions->count; i++) {
        size_t before = view->slices.count;

        error = live_read_slices(call, any, items[i].name, &view->slices);
        if (!error && view->slices.count - before <= LIVE_SLICES_MAX)
            error = live_read_metrics(call, numbers, items[i].name, &view->rollup);
    }
    return error;
}

/* The rounds with their slices, and the cells of presence and the primary metric in them. */
static enum error read_rounds(const struct live_call *call, struct live_view *view)
{
    const struct adaptive_call rounds = {call->db, call->arena, call->problem};
    int64_t items[] = {LIVE_PRESENCE,
                       live_view_metric(view, view->design->metrics->primary_metric_name)};
    struct integer_list numbers = {items[1] ? 2 : 1, items};
    struct live_name_list slices = {0};
    struct object_list list = {0};
    struct live_round *read;
    enum error error = adaptive_read_rounds(&rounds, view->experiment.id, &list);

    if (!error && view->experiment.number)
        error = live_read_slices(call, live_bucket_number(&view->experiment, 0), ADAPTIVE_DIMENSION,
                                 &slices);
    if (!error && slices.count)
        error = live_read_metrics(call, &numbers, ADAPTIVE_DIMENSION, &view->rollup);
    read = ARENA_ARRAY(call->arena, struct live_round, list.count);
    for (size_t i = 0; i < list.count; i++) { /* oldest first */
        const struct adaptive_round *round =
            (const struct adaptive_round *)list.items + (list.count - 1 - i);

        read[i] = (struct live_round){.round = round};
        for (size_t k = 0; k < slices.count; k++)
            if (adaptive_round_of(slices.items[k].name) == round->round)
                read[i].slice = slices.items[k].number;
    }
    view->rounds = (struct object_list){list.count, read};
    return error;
}

static enum error read_parts(const struct live_call *call, const struct live_view_options *options,
                             struct live_view *view)
{
    struct integer_list numbers = metric_numbers(view, call->arena);
    int64_t any = live_bucket_number(&view->experiment, 0); /* all have the names */
    enum error error = live_read_arms(call, true, &view->rollup);

    if (!error)
        error = live_read_metrics(call, &numbers, NULL, &view->rollup);
    if (!error && view->experiment.cluster_plan.kept)
        error = live_read_clusters(call, &numbers, &view->rollup, &view->clusters);
    if (!error && view->experiment.cluster_plan.periods)
        error = live_read_cluster_names(call, &view->experiment, &view->cluster_names);
    if (!error && options->bins)
        error = read_bins(call, view);
    if (!error && uses_strata(view))
        error = read_strata(call, view);
    choose_covariates(view, call->arena);
    if (!error && options->unknown)
        error = live_visit_metrics(call, &view->experiment, note_unknown, view);
    if (!error && options->dimension)
        error = live_read_slices(call, any, options->dimension, &view->slices);
    if (!error && view->adaptive.found)
        error = read_rounds(call, view);
    if (!error && view->slices.count > 0 && view->slices.count <= LIVE_SLICES_MAX)
        error = live_read_metrics(call, &numbers, options->dimension, &view->rollup);
    return error || !options->declared ? error : read_declared(call, view, &numbers);
}

static enum error read_source(const struct live_call *call, struct live_view *view)
{
    enum error error;

    if (!view->design->metrics->catalog_metric)
        return ERROR_NONE;
    error = live_read_source(call, view->experiment.id, &view->source, &view->has_source);
    if (!error && view->has_source)
        view->source_state = live_source_state(&view->source, clock_unix_microseconds());
    return error;
}

/* In one snapshot; `stale` says that the aggregates are for another design. */
static enum error read_view(const struct live_call *call, const char *id,
                            const struct live_view_options *options, struct live_view *view,
                            bool *stale)
{
    struct live_reading reading;
    enum error error = live_read_experiment(call, id, &reading);

    if (error)
        return error;
    *view = (struct live_view){.experiment = reading.experiment,
                               .design = reading.design,
                               .updated_at = reading.updated_at,
                               .dimension = options->dimension,
                               .arm_count = (size_t)reading.design->setup->variants_count};
    live_rollup_start(&view->rollup, &view->experiment, call->arena);
    want_metrics(view, call->arena);
    error = adaptive_find(&(struct adaptive_call){call->db, call->arena, call->problem}, id, 0,
                          &view->adaptive);
    if (!error)
        error = read_source(call, view);
    if (!error)
        error = alarm_read_all(&(struct alarm_call){call->db, call->arena, call->problem}, id,
                               clock_unix_microseconds(), &view->alarms);
    if (error || view->experiment.number == 0)
        return error;
    if (view->design->constraints->planned_looks || view->design->constraints->hybrid)
        error = live_read_looks(call, id, &view->looks);
    if (error)
        return error;
    error = live_find_names(call, live_bucket_number(&view->experiment, 0), LIVE_METRIC_NAMES,
                            &view->metrics);
    if (error)
        return error;
    if (view->experiment.covariates > 0)
        error = live_read_covered(call, &view->experiment, &view->covered);
    if (error)
        return error;
    *stale = live_is_stale(call, &reading, &view->metrics, &view->covered);
    return *stale ? ERROR_NONE : read_parts(call, options, view);
}

static enum error read_all(const struct live_call *call, const char *id,
                           const struct live_view_options *options, struct live_view *view,
                           bool *stale)
{
    enum error error = read_view(call, id, options, view, stale);

    if (error || *stale || !options->also)
        return error;
    return options->also(call, &view->experiment, options->context);
}

enum error live_view_load(const struct live_call *call, const char *id,
                          const struct live_view_options *options, struct live_view *view)
{
    struct live_rebuild rebuild = {.only_if_stale = true};
    bool stale = true;
    enum error error = ERROR_NONE;

    /* Repeats once if the design changed in between; then returns the result in any case. */
    for (int tries = 0; !error && stale && tries < 4; tries++) {
        stale = false;
        error = db_begin(call->db, DB_READ, call->problem);
        if (error)
            return error;
        error = db_finish(call->db, read_all(call, id, options, view, &stale), call->problem);
        if (!error && stale)
            error = live_rebuild_experiment(call, id, &rebuild);
    }
    if (!error && stale)
        return problem_set(call->problem, ERROR_BUSY, "database_busy",
                           "the design of %s keeps changing", id);
    return error;
}

static const char *version_text(const struct live_call *call,
                                const struct live_experiment *experiment, const char *updated_at,
                                const struct adaptive *adaptive)
{
    const char *text =
        arena_print(call->arena, "%lld.%lld.%lld.%s", (long long)experiment->number,
                    (long long)experiment->version, (long long)call->spike_events, updated_at);

    return adaptive->found ? arena_print(call->arena, "%s.%lld.%d.%.17g", text,
                                         (long long)adaptive->newest.round,
                                         adaptive->settings.paused, adaptive->settings.floor)
                           : text;
}

static enum error read_version(const struct live_call *call, const char *id, const char **version)
{
    const struct adaptive_call rounds = {call->db, call->arena, call->problem};
    struct live_reading reading;
    struct adaptive adaptive;
    enum error error = live_read_experiment(call, id, &reading);

    if (!error)
        error = adaptive_find(&rounds, id, 0, &adaptive);
    if (!error)
        *version = version_text(call, &reading.experiment, reading.updated_at, &adaptive);
    return error;
}

enum error live_read_version(const struct live_call *call, const char *id, const char **version)
{
    enum error error = db_begin(call->db, DB_READ, call->problem);

    return error ? error : db_finish(call->db, read_version(call, id, version), call->problem);
}

/* Short, whatever their number. */
static const char *mark_of_alarms(const struct live_call *call, const struct alarm_list *alarms)
{
    char digest[DIGEST_SHA256_TEXT];
    struct text text;

    if (!alarms->count)
        return "";
    text_start(&text, call->arena, MARK_BYTES_MAX);
    for (size_t i = 0; i < alarms->count; i++)
        text_append_format(&text, "%s.%d.%lld.%lld.", alarms->items[i].id, alarms->items[i].status,
                           (long long)alarms->items[i].read_at,
                           (long long)alarms->items[i].failed_at);
    digest_sha256_hex(text.bytes, text.length, digest);
    return arena_print(call->arena, ".a%.16s", digest);
}

enum error live_source_mark(const struct live_call *call, const char *id, const char **mark)
{
    const struct alarm_call reading = {call->db, call->arena, call->problem};
    int64_t now = clock_unix_microseconds();
    struct alarm_list alarms = {0};
    struct live_source source;
    bool found = false;
    enum error error = live_read_source(call, id, &source, &found);

    if (!error)
        error = alarm_read_all(&reading, id, now, &alarms);
    if (error)
        return error;
    *mark = mark_of_alarms(call, &alarms);
    if (found)
        *mark = arena_print(call->arena, ".s%d.%lld.%lld%s", (int)live_source_state(&source, now),
                            (long long)source.read_at, (long long)source.failed_at, *mark);
    return ERROR_NONE;
}

bool live_view_is_fresh(const struct live_view *view)
{
    return !view->has_source || view->source_state == LIVE_SOURCE_FRESH;
}

const char *live_view_version(const struct live_call *call, const struct live_view *view)
{
    return version_text(call, &view->experiment, view->updated_at, &view->adaptive);
}

int64_t live_view_metric(const struct live_view *view, const char *name)
{
    return live_name_number(&view->metrics, name);
}

struct live_moments live_view_moments(const struct live_view *view, int64_t metric, int64_t slice,
                                      int arm)
{
    struct live_rollup *rollup = (struct live_rollup *)&view->rollup; /* absent cells are added */
    struct live_moments moments = {.defined = true};
    const struct live_cell *cell;
    struct sum sum, squares;

    moments.n = live_rollup_cell(rollup, LIVE_PRESENCE, slice, arm)->people;
    if (!metric || moments.n == 0)
        return moments;
    cell = live_rollup_cell(rollup, metric, slice, arm);
    sum = cell->sum;
    squares = cell->squares;
    moments.converted = cell->people;
    moments.defined = cell->huge == 0;
    moments.sum = sum_value(&sum);
    moments.mean = moments.sum / (double)moments.n;
    moments.squares = sum_about_means(&squares, &sum, &sum, (double)moments.n);
    /* What rounding leaves of values that are all the same. */
    if (moments.squares < 0x1p-90 * sum_value(&squares))
        moments.squares = 0;
    return moments;
}

static int64_t count_exposures(const struct live_rollup *rollup, struct arena *arena,
                               struct object_list *list)
{
    struct live_variation_count *counts =
        ARENA_ARRAY(arena, struct live_variation_count, 1 + LIVE_ARMS_MAX);
    int64_t total = 0;

    list->items = counts;
    for (int i = 0; i < 1 + LIVE_ARMS_MAX; i++) {
        if (rollup->arms[i].exposures == 0)
            continue;
        counts[list->count++] = (struct live_variation_count){i - 1, rollup->arms[i].exposures};
        total += rollup->arms[i].exposures;
    }
    return total;
}

/* `names` are in order, the totals by number. */
static int64_t count_conversions(struct live_rollup *rollup, const struct live_name_list *names,
                                 struct arena *arena, struct object_list *list)
{
    struct live_metric_count *counts = ARENA_ARRAY(arena, struct live_metric_count, names->count);
    const struct live_total **by_number =
        ARENA_ARRAY(arena, const struct live_total *, 1 + (size_t)rollup->experiment->metrics);
    int64_t total = 0;

    for (size_t i = 0; i < rollup->total_count; i++)
        by_number[rollup->totals[i].metric] = &rollup->totals[i];
    list->items = counts;
    for (size_t i = 0; i < names->count; i++) {
        const struct live_total *found = by_number[names->items[i].number];

        if (!found || found->events == 0)
            continue;
        counts[list->count] = (struct live_metric_count){names->items[i].name, found->events};
        if (found->huge == 0)
            counts[list->count].value_sum = GIVEN_NUMBER(sum_value(&found->sum));
        list->count++;
        total += found->events;
    }
    return total;
}

static enum error read_ingestion(const struct live_call *call, const char *id,
                                 struct live_ingestion *ingestion, bool *stale)
{
    struct live_name_list names = {0};
    struct live_rollup rollup;
    struct live_reading reading;
    enum error error = live_read_experiment(call, id, &reading);

    if (error)
        return error;
    *stale = reading.experiment.stale;
    live_rollup_start(&rollup, &reading.experiment, call->arena);
    if (reading.experiment.number) {
        error = live_read_totals(call, &rollup);
        if (!error)
            error = live_read_names(call, live_bucket_number(&reading.experiment, 0),
                                    LIVE_METRIC_NAMES, &names);
    }
    *ingestion = (struct live_ingestion){.experiment_id = id};
    ingestion->exposures_total = count_exposures(&rollup, call->arena, &ingestion->exposure_counts);
    ingestion->conversions_total =
        count_conversions(&rollup, &names, call->arena, &ingestion->conversion_counts);
    return error;
}

enum error live_read_ingestion(const struct live_call *call, const char *id,
                               struct live_ingestion *ingestion)
{
    struct live_rebuild rebuild = {.only_if_stale = true};
    bool stale = false;
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    error = db_finish(call->db, read_ingestion(call, id, ingestion, &stale), call->problem);
    if (error || !stale)
        return error;
    error = live_rebuild_experiment(call, id, &rebuild);
    if (!error)
        error = db_begin(call->db, DB_READ, call->problem);
    return error ? error
                 : db_finish(call->db, read_ingestion(call, id, ingestion, &stale), call->problem);
}
