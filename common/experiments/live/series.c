/* Goes over all subjects, a thousand at a time, and adds up by day what each of them changes. */
#include "experiments/live/series.h"

#include "base/clock.h"
#include "base/list.h"
#include "experiments/live/series_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUBJECTS_AT_A_TIME = 1000,
    CHUNK_MEMORY_MAX = 1024 * 1024 * 1024,
    DAYS_MAX = 366, /* with more of them, a row covers twice as many days */
    AGE_FACTOR = 20 /* an outdated series stays for that many times the time that it took */
};

static const int64_t day_length = INT64_C(86400) * 1000000;

/* The sums of one arm on one day. */
struct growth {
    int64_t people, converted, huge, crossed;
    struct sum value, value_squares, other, other_squares, products;
};
struct step {
    int64_t day;
    struct growth arms[LIVE_ARMS_MAX];
};

/* A counted event of one of the two metrics. */
struct gathered {
    const struct live_unit *root;
    int64_t day;
    int age; /* days since the exposure; -1 = too many */
    bool is_other;
    double value;
};

struct pass {
    const struct live_call *call;
    struct live_experiment part; /* the experiment, or a bucket of it */
    int64_t metric, other;       /* numbers; `other` is the denominator of a ratio, else 0 */
    bool is_rate;
    struct live_ages ages;
    int64_t length; /* days of a step */
    size_t step_count;
    struct step *steps; /* by day */
    struct arena *arena;
    size_t event_count; /* of the current chunk */
    struct gathered *events;
};

static int64_t floor_to(int64_t value, int64_t unit)
{
    int64_t rest = value % unit;

    return value - (rest < 0 ? rest + unit : rest);
}

static void add_growth(struct growth *to, const struct growth *from)
{
    to->people += from->people;
    to->converted += from->converted;
    to->huge += from->huge;
    to->crossed += from->crossed;
    sum_merge(&to->value, &from->value);
    sum_merge(&to->value_squares, &from->value_squares);
    sum_merge(&to->other, &from->other);
    sum_merge(&to->other_squares, &from->other_squares);
    sum_merge(&to->products, &from->products);
}

/* Steps of twice the length, so that their number stays small. */
static void lengthen(struct pass *pass)
{
    size_t count = 0;

    pass->length *= 2;
    for (size_t i = 0; i < pass->step_count; i++) {
        int64_t day = floor_to(pass->steps[i].day, pass->length);

        if (count == 0 || pass->steps[count - 1].day != day) {
            pass->steps[count] = pass->steps[i];
            pass->steps[count++].day = day;
            continue;
        }
        for (size_t arm = 0; arm < LIVE_ARMS_MAX; arm++)
            add_growth(&pass->steps[count - 1].arms[arm], &pass->steps[i].arms[arm]);
    }
    pass->step_count = count;
}

/* The position of the first step that does not end before `day`. */
static size_t position_of(const struct pass *pass, int64_t day)
{
    size_t low = 0, high = pass->step_count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (pass->steps[middle].day < day)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct growth *growth_at(struct pass *pass, int64_t day, int64_t arm)
{
    int64_t start = floor_to(day, pass->length);
    size_t position = position_of(pass, start);

    if (position < pass->step_count && pass->steps[position].day == start)
        return &pass->steps[position].arms[arm];
    while (pass->step_count == DAYS_MAX) {
        lengthen(pass);
        start = floor_to(day, pass->length);
        position = position_of(pass, start);
        if (position < pass->step_count && pass->steps[position].day == start)
            return &pass->steps[position].arms[arm];
    }
    memmove(&pass->steps[position + 1], &pass->steps[position],
            (pass->step_count - position) * sizeof pass->steps[0]);
    pass->step_count++;
    pass->steps[position] = (struct step){.day = start};
    return &pass->steps[position].arms[arm];
}

static int64_t day_of(int64_t at)
{
    return floor_to(at, day_length) / day_length;
}

static int64_t later(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

/* Whether the design counts an event of a subject. */
static bool is_counted(const struct live_timed_value *event, const struct live_unit *exposure)
{
    struct live_values values = {0};

    if (event->window == LIVE_WINDOW_ALL)
        return true;
    live_values_classify(&values, event, exposure);
    return values.counted > 0;
}

static void gather(struct live_unit *unit, int64_t metric, const struct live_timed_value *event,
                   void *context)
{
    struct pass *pass = context;
    const struct live_unit *exposure = live_subject_exposure(unit->root);

    if ((metric != pass->metric && metric != pass->other) || !exposure ||
        !is_counted(event, exposure))
        return;
    *ARRAY_ADD(pass->arena, pass->events, pass->event_count) =
        (struct gathered){.root = unit->root,
                          .day = day_of(later(event->at, exposure->occurred_at)),
                          .age = live_age_of(&pass->ages, event->at, exposure->occurred_at),
                          .is_other = metric != pass->metric,
                          .value = event->value};
}

static int gathered_order(const void *one, const void *other)
{
    const struct gathered *first = one, *second = other;

    if (first->root != second->root)
        return first->root->number < second->root->number ? -1 : 1;
    return (first->day > second->day) - (first->day < second->day);
}

/* Values of a subject as they grow. */
struct running {
    double value, other;
    bool converted, huge;
};

/* As it counts. */
static struct running capped(const struct pass *pass, const struct running *running)
{
    struct running counted = *running;

    counted.value = live_capped_value(&pass->part, pass->metric, running->value);
    counted.other = live_capped_value(&pass->part, pass->other, running->other);
    return counted;
}

static void add_sums(struct growth *growth, const struct running *running, int sign)
{
    sum_add(&growth->value, sign * running->value);
    sum_add(&growth->other, sign * running->other);
    sum_add_product(&growth->value_squares, sign * running->value, running->value);
    sum_add_product(&growth->other_squares, sign * running->other, running->other);
    sum_add_product(&growth->products, sign * running->value, running->other);
}

/* The events of one subject and one day: what they change. */
static void add_events(const struct pass *pass, struct growth *growth, struct running *running,
                       const struct gathered *events, size_t count)
{
    struct running after = *running, before = capped(pass, running);
    struct sum value = {running->value, 0}, other = {running->other, 0};

    for (size_t i = 0; i < count; i++) {
        after.converted = after.converted || !events[i].is_other;
        if (!(fabs(events[i].value) <= LIVE_VALUE_MAX))
            after.huge = true;
        else
            sum_add(events[i].is_other ? &other : &value, events[i].value);
    }
    after.value = sum_value(&value);
    after.other = sum_value(&other);
    after.huge =
        after.huge || fabs(after.value) > LIVE_VALUE_MAX || fabs(after.other) > LIVE_VALUE_MAX;
    growth->converted += after.converted && !running->converted;
    growth->huge += after.huge && !running->huge;
    if (!after.huge) {
        const struct running counted = capped(pass, &after);

        add_sums(growth, &before, -1);
        add_sums(growth, &counted, 1);
    }
    *running = after;
}

/* A day of a rate has 1 where it has events; caps hold for each day. */
static void add_ages(struct pass *pass, const struct live_unit *exposure,
                     const struct gathered *events, size_t count)
{
    double values[LIVE_AGES_MAX] = {0};

    if (pass->ages.count == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        if (events[i].age < 0)
            continue;
        if (pass->is_rate)
            values[events[i].age] = 1;
        else
            values[events[i].age] += events[i].value;
    }
    for (size_t i = 0; i < LIVE_AGES_MAX && !pass->is_rate; i++)
        values[i] = live_capped_value(&pass->part, pass->metric, values[i]);
    live_ages_add(&pass->ages, exposure->variation, exposure->occurred_at, values);
}

static void add_subject(struct pass *pass, const struct live_unit *root,
                        const struct gathered *events, size_t count)
{
    const struct live_unit *exposure = live_subject_exposure(root);
    struct running running = {0};
    struct growth *growth;
    size_t next;

    if (!live_subject_counts(root, &pass->part) || exposure->variation < 0)
        return;
    growth = growth_at(pass, day_of(exposure->occurred_at), exposure->variation);
    growth->people++;
    growth->crossed += live_subject_crossed(root);
    add_ages(pass, exposure, events, count);
    for (size_t i = 0; i < count; i = next) {
        for (next = i + 1; next < count && events[next].day == events[i].day;)
            next++;
        add_events(pass, growth_at(pass, events[i].day, exposure->variation), &running, &events[i],
                   next - i);
    }
}

static int unit_order(const void *one, const void *other)
{
    const struct live_unit *const *first = one, *const *second = other;

    return ((*first)->number > (*second)->number) - ((*first)->number < (*second)->number);
}

static void add_chunk(struct pass *pass, struct live_units *units)
{
    size_t at = 0;

    if (pass->event_count)
        qsort(pass->events, pass->event_count, sizeof pass->events[0], gathered_order);
    if (units->count)
        qsort(units->items, units->count, sizeof(struct live_unit *), unit_order);
    for (size_t i = 0; i < units->count; i++) {
        const struct live_unit *unit = units->items[i];
        size_t first = at;

        if (unit->root != unit)
            continue;
        while (at < pass->event_count && pass->events[at].root == unit)
            at++;
        add_subject(pass, unit, &pass->events[first], at - first);
    }
}

static enum error pass_over(struct pass *pass, const struct live_names *roots)
{
    struct live_call call = *pass->call;
    struct live_units units;
    const struct live_load load = {
        .call = &call, .experiment = &pass->part, .units = &units, .linked = true};
    enum error error;

    call.arena = pass->arena;
    pass->events = NULL;
    pass->event_count = 0;
    live_units_start(&units, pass->arena, roots->count);
    error = live_load_units(&load, roots);
    if (!error)
        error = live_visit_events(&load, gather, pass);
    if (!error)
        add_chunk(pass, &units);
    return error;
}

/* Of a bucket, or of an experiment that is not divided. */
static enum error go_over_part(struct pass *pass)
{
    char last[LIVE_USER_MAX * 4 + 1] = "";
    enum error error = ERROR_NONE;
    size_t count = 1;

    while (!error && count > 0) {
        struct live_names roots = {.arena = pass->arena};

        error = live_next_roots(pass->call, pass->part.number, last, SUBJECTS_AT_A_TIME, &roots);
        count = roots.count;
        if (error || count == 0)
            break;
        snprintf(last, sizeof last, "%s", roots.items[count - 1]);
        error = pass_over(pass, &roots);
        arena_reset(pass->arena);
    }
    return error;
}

static enum error go_over_everybody(struct pass *pass, const struct live_experiment *whole)
{
    enum error error = ERROR_NONE;

    pass->part = *whole;
    pass->part.buckets = 1;
    for (int64_t i = 0; !error && i < live_bucket_count(whole); i++) {
        pass->part.number = live_bucket_number(whole, i);
        error = go_over_part(pass);
    }
    return error;
}

static bool has_grown(const struct growth *growth)
{
    return growth->people || growth->converted || growth->huge || growth->value.high != 0 ||
           growth->other.high != 0 || growth->value_squares.high != 0 ||
           growth->other_squares.high != 0;
}

static struct object_list days_of(const struct pass *pass)
{
    struct live_day *days = NULL;
    size_t count = 0;

    for (size_t i = 0; i < pass->step_count; i++) {
        for (int64_t arm = 0; arm < LIVE_ARMS_MAX; arm++) {
            const struct growth *growth = &pass->steps[i].arms[arm];

            if (!has_grown(growth))
                continue;
            *ARRAY_ADD(pass->call->arena, days, count) =
                (struct live_day){.day = pass->steps[i].day,
                                  .arm = arm,
                                  .people = growth->people,
                                  .converted = growth->converted,
                                  .huge = growth->huge,
                                  .value_sum = sum_value(&growth->value),
                                  .value_squares = sum_value(&growth->value_squares),
                                  .other_sum = sum_value(&growth->other),
                                  .other_squares = sum_value(&growth->other_squares),
                                  .products = sum_value(&growth->products),
                                  .crossed = growth->crossed};
        }
    }
    return (struct object_list){count, days};
}

static void choose_metrics(struct pass *pass, const struct live_view *view)
{
    const struct payload_metrics *metrics = view->design->metrics;

    pass->metric = live_view_metric(view, metrics->primary_metric_name);
    if (metrics->metric_type != METRIC_RATIO)
        return;
    pass->metric =
        metrics->numerator_metric_name ? live_view_metric(view, metrics->numerator_metric_name) : 0;
    pass->other = metrics->denominator_metric_name
                      ? live_view_metric(view, metrics->denominator_metric_name)
                      : 0;
}

/* Days since the exposure are over when the data are that old, so that an experiment that has ended
 * does not seem to lose its effect; of rows of live data those days that were read. */
static enum error start_ages(struct pass *pass, const struct live_view *view)
{
    const struct live_experiment *whole = &view->experiment;
    int64_t until = 0, now = clock_unix_microseconds();
    enum error error = ERROR_NONE;

    for (int64_t i = 0; !error && i < live_bucket_count(whole); i++)
        error = live_newest_moment(pass->call, live_bucket_number(whole, i), &until);
    if (view->has_source && view->source.complete_at < until)
        until = view->source.complete_at;
    pass->is_rate = view->design->metrics->metric_type == METRIC_BINARY;
    live_ages_start(&pass->ages, until < now ? until : now,
                    view->design->metrics->metric_type == METRIC_RATIO
                        ? 0
                        : live_ages_in_window(live_metric_window(whole, pass->metric)),
                    pass->call->arena);
    return error;
}

static enum error go_over(struct pass *pass, const struct live_view *view)
{
    enum error error = db_begin(pass->call->db, DB_READ, pass->call->problem);

    if (error)
        return error;
    error = start_ages(pass, view);
    if (!error)
        error = go_over_everybody(pass, &view->experiment);
    return db_finish(pass->call->db, error, pass->call->problem);
}

static enum error compute(const struct live_call *call, const struct live_view *view,
                          struct live_series *series)
{
    struct pass pass = {.call = call, .length = 1};
    enum error error;

    pass.arena = arena_create(CHUNK_MEMORY_MAX);
    if (!pass.arena)
        return problem_set(call->problem, ERROR_SYSTEM, "out_of_memory",
                           "no memory to go over the people of an experiment");
    pass.steps = ARENA_ARRAY(call->arena, struct step, DAYS_MAX + 1);
    choose_metrics(&pass, view);
    error = go_over(&pass, view);
    arena_destroy(pass.arena);
    series->known = series->current = true;
    series->step = pass.length;
    series->days = days_of(&pass);
    series->ages = live_ages_rows(&pass.ages, call->arena);
    return error;
}

static enum error make(const struct live_call *call, const struct live_view *view,
                       const char *version, struct live_series *series)
{
    int64_t start = clock_monotonic_microseconds();
    struct live_series_row row = {.version = version};
    enum error error = compute(call, view, series);

    if (error)
        return error;
    row.computed_at = series->computed_at = clock_unix_microseconds();
    row.took = clock_monotonic_microseconds() - start;
    row.step = series->step;
    return live_series_save(call, view->experiment.id, &row, series);
}

static int64_t people_of(const struct live_view *view)
{
    int64_t people = 0;

    for (int i = 0; i < 1 + LIVE_ARMS_MAX; i++)
        people += view->rollup.arms[i].people;
    return people;
}

enum error live_series_load(const struct live_call *call, const struct live_view *view,
                            int64_t people_max, struct live_series *series)
{
    const char *version = live_view_version(call, view);
    struct live_series_row row;
    bool fresh, young;
    enum error error;

    *series = (struct live_series){.known = true, .current = true, .step = 1};
    if (view->experiment.number == 0)
        return ERROR_NONE;
    error = live_series_read(call, view->experiment.id, &row);
    if (error)
        return error;
    fresh = row.version && strcmp(row.version, version) == 0;
    young = row.version && clock_unix_microseconds() - row.computed_at < AGE_FACTOR * row.took;
    if (!fresh && !young && people_of(view) <= people_max)
        return make(call, view, version, series);
    *series = (struct live_series){.known = row.version != NULL,
                                   .current = fresh,
                                   .step = row.version ? row.step : 1,
                                   .computed_at = row.computed_at};
    if (!row.version)
        return ERROR_NONE;
    error = live_days_read(call, view->experiment.id, &series->days);
    return error ? error : live_ages_read(call, view->experiment.id, &series->ages);
}

enum error live_series_renew(const struct live_call *call)
{
    struct live_names experiments;
    enum error error = live_series_large(call, LIVE_SERIES_PEOPLE_MAX, &experiments);

    for (size_t i = 0; !error && i < experiments.count; i++) {
        struct live_view *view = ARENA_NEW(call->arena, struct live_view);
        struct live_series series;

        error = live_view_load(call, experiments.items[i], &(struct live_view_options){0}, view);
        if (!error)
            error = live_series_load(call, view, INT64_MAX, &series);
    }
    return error;
}
