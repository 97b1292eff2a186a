/* Measuring service levels, and the arithmetic of budgets. */
#include "livedata/reads/slo_buckets.h"

#include "base/number.h"
#include "db/query.h"
#include "livedata/journal/journal.h"
#include "livedata/timestamp.h"

#include <math.h>
#include <string.h>

static const char *const slo_states[] = {"healthy", "unknown", "at_risk", "breached"};

enum { DIAGNOSTIC_TEXT_MAX = 1024, BURN_DAYS_MAX = 3 };

static const double fast_burn = 14.4, slow_burn = 6, low_budget = 0.2;

static const struct statement rank_latency = {
    .name = "slo_latency_rank",
    .sql = "SELECT duration_us FROM api_sessions WHERE tenant_id = ? AND at >= ?"
           " ORDER BY duration_us LIMIT 2 OFFSET ?",
};

struct optional_number slo_budget(double target, const struct slo_window *window)
{
    double current = number_round(window->share, 4); /* as the contract of the route has it */

    if (!window->known)
        return (struct optional_number){0};
    if (target >= 1)
        return GIVEN_NUMBER(current >= 1 ? 1.0 : 0.0);
    return GIVEN_NUMBER(number_round(fmin(fmax(1 - (1 - current) / (1 - target), 0), 1), 4));
}

struct optional_number slo_burn(double target, const struct slo_window *window)
{
    if (!window->known || target >= 1)
        return (struct optional_number){0};
    return GIVEN_NUMBER(number_round((1 - window->share) / (1 - target), 2));
}

static bool above(struct optional_number value, double limit)
{
    return value.given && value.value > limit;
}

/* Fewer failures than the least prove nothing, whatever share they are: the level counts as kept.
 */
static bool too_few_failures(const struct slo_status *status)
{
    return status->slo->measurement != SLO_FRESHNESS &&
           status->window.valid - status->window.good < (double)status->slo->min_failures;
}

static bool too_few_events(const struct slo *slo, const struct slo_window *window)
{
    return slo->measurement != SLO_FRESHNESS && window->valid < (double)slo->min_events;
}

static enum slo_state state_of(const struct slo_status *status)
{
    if (!status->window.known)
        return SLO_UNKNOWN;
    if (too_few_failures(status))
        return SLO_HEALTHY;
    if (too_few_events(status->slo, &status->window))
        return SLO_UNKNOWN;
    if (status->current.value < status->slo->target)
        return SLO_BREACHED;
    if ((above(status->burn[0], fast_burn) && above(status->burn[1], fast_burn)) ||
        (above(status->burn[1], slow_burn) && above(status->burn[2], slow_burn)) ||
        (status->budget.given && status->budget.value < low_budget))
        return SLO_AT_RISK;
    return SLO_HEALTHY;
}

/* The 0.95 quantile, linear between its neighbors. */
static enum error quantile(const struct storage_call *call, const struct slo_status *status,
                           int64_t since, struct optional_number *value)
{
    double position = 0.95 * (status->window.valid - 1);
    struct query *query = db_query(call->db, &rank_latency);
    double low = 0, high;

    query_bind_text(query, call->tenant);
    query_bind_integer(query, since);
    query_bind_integer(query, (int64_t)floor(position));
    if (query_next(query)) {
        low = high = (double)query_integer(query, 0) / 1e3;
        if (query_next(query))
            high = (double)query_integer(query, 0) / 1e3;
        *value = GIVEN_NUMBER(low + (high - low) * (position - floor(position)));
    }
    return query_end(query, call->problem);
}

static enum error diagnose(const struct storage_call *call, struct slo_status *status)
{
    const struct slo_window *window = &status->window;

    if (!window->known)
        return ERROR_NONE;
    if (status->slo->measurement == SLO_LATENCY)
        return quantile(call, status, call->now - status->slo->window_days * us_per_day,
                        &status->diagnostic);
    if (status->slo->measurement != SLO_FRESHNESS)
        status->diagnostic = GIVEN_NUMBER(100 * (1 - window->share));
    return ERROR_NONE;
}

/* Whether the traffic is why there is no burn rate, or no judgement of what failed. */
static bool is_thin(const struct slo_status *status)
{
    const struct slo_window *window = &status->window;

    return window->known && (too_few_events(status->slo, window) ||
                             (window->good < window->valid && too_few_failures(status)));
}

/* All windows from one reading, in buckets that end now: of an hour, or of a metric's checks, the
 * last of which is the last whole one. */
static enum error read_windows(const struct storage_call *call, const struct slo *slo,
                               struct slo_buckets *buckets)
{
    bool checks = slo->measurement == SLO_METRIC;
    int64_t step = checks ? slo->every : us_per_hour, days = slo->window_days;
    int64_t end = checks ? call->now / step * step : call->now;
    int64_t count = (days > BURN_DAYS_MAX ? days : BURN_DAYS_MAX) * (us_per_day / step);

    return slo_buckets_read(call, slo, end - count * step, step, count, !checks, buckets);
}

/* The last `microseconds` of the buckets. */
static struct slo_window last_of(const struct slo_buckets *buckets, int64_t microseconds)
{
    return slo_buckets_window(buckets, buckets->count - microseconds / buckets->step,
                              buckets->count);
}

enum error slo_check(const struct slo *slo, struct problem *problem)
{
    if (slo->measurement != SLO_UNSUPPORTED)
        return ERROR_NONE;
    return problem_set(problem, ERROR_SYSTEM, "slo_measurement",
                       "Unsupported SLO measurement '%s'.", slo->measurement_name);
}

enum error slo_status(const struct storage_call *call, const struct slo *slo,
                      struct slo_status *status)
{
    static const int64_t burn_windows[] = {3600000000, 6 * 3600000000, BURN_DAYS_MAX * 86400000000};
    struct slo_buckets buckets;
    enum error error = slo_check(slo, call->problem);

    *status = (struct slo_status){.slo = slo};
    if (!error)
        error = read_windows(call, slo, &buckets);
    if (error)
        return error;
    status->window = last_of(&buckets, slo->window_days * us_per_day);
    if (status->window.known)
        status->current = GIVEN_NUMBER(number_round(status->window.share, 4));
    for (size_t i = 0; i < COUNT_OF(burn_windows); i++) {
        struct slo_window window = last_of(&buckets, burn_windows[i]);

        if (!too_few_events(slo, &window))
            status->burn[i] = slo_burn(slo->target, &window);
    }
    status->budget = slo_budget(slo->target, &status->window);
    status->state = state_of(status);
    status->reason = buckets.reason    ? buckets.reason
                     : is_thin(status) ? "not_enough_traffic"
                                       : NULL;
    return diagnose(call, status);
}

#define OWNER struct burn_rates
#define NUMBER_ROW(title, member)                                                                  \
    {                                                                                              \
        .name = (title), .type = FIELD_NUMBER, .nullable = true, .offset = offsetof(OWNER, member) \
    }
static const struct field burn_fields[] = {NUMBER_ROW("1h", hour), NUMBER_ROW("6h", six_hours),
                                           NUMBER_ROW("3d", three_days)};
#undef OWNER
static SCHEMA(burn_schema, struct burn_rates, "SLOBurnRates", burn_fields);

#define OWNER struct slo_diagnostic
static const struct field latency_fields[] = {NUMBER_ROW("p95_latency_ms", value)};
static const struct field freshness_fields[] = {NUMBER_ROW("age_seconds", value),
                                                NULLABLE_NUMBER(OWNER, event_age_seconds)};
static const struct field errors_fields[] = {NUMBER_ROW("error_rate_percent", value)};
static const struct field checks_fields[] = {NUMBER_ROW("out_of_bounds_percent", value)};
#undef OWNER
static SCHEMA(latency_schema, struct slo_diagnostic, "SLOLatency", latency_fields);
static SCHEMA(freshness_schema, struct slo_diagnostic, "SLOFreshness", freshness_fields);
static SCHEMA(errors_schema, struct slo_diagnostic, "SLOErrors", errors_fields);
static SCHEMA(checks_schema, struct slo_diagnostic, "SLOChecks", checks_fields);
static const struct schema *const diagnostic_schemas[] = {[SLO_LATENCY] = &latency_schema,
                                                          [SLO_FRESHNESS] = &freshness_schema,
                                                          [SLO_ERRORS] = &errors_schema,
                                                          [SLO_METRIC] = &checks_schema};

#define OWNER struct slo_answer
static const struct field slo_fields[] = {
    STRING(OWNER, name),
    NUMBER(OWNER, target),
    NULLABLE_NUMBER(OWNER, current),
    NULLABLE_NUMBER(OWNER, error_budget_remaining),
    CHOICE(OWNER, status, slo_states, .choice_count = COUNT_OF(slo_states)),
    INTEGER(OWNER, window_days),
    NULLABLE_NUMBER(OWNER, good),
    NULLABLE_NUMBER(OWNER, valid),
    STRING(OWNER, unit),
    STRING(OWNER, reason, .omit_if_null = true,
           .help = "not_enough_traffic: too few requests, events or failures to judge by. Else why "
                   "its metric cannot be computed."),
    OBJECT(OWNER, burn_rates, burn_schema),
    WRITTEN_JSON(OWNER, diagnostic, .help = "What was measured, by kind of service level."),
    STRING(OWNER, description, .omit_if_null = true),
    STRING(OWNER, measurement),
    NULLABLE_NUMBER(OWNER, threshold, .omit_if_null = true),
    STRING(OWNER, entity, .omit_if_null = true, .help = "Whose events count."),
    STRING(OWNER, metric, .omit_if_null = true, .help = "Whose events count, or whose values."),
    NULLABLE_NUMBER(OWNER, minimum, .omit_if_null = true,
                    .help = "Of metric_value: the least value that is good."),
    NULLABLE_NUMBER(OWNER, maximum, .omit_if_null = true),
    NULLABLE_NUMBER(OWNER, every_seconds, .omit_if_null = true,
                    .help = "Of metric_value: how often it is checked."),
};
#undef OWNER
SCHEMA(slo_schema, struct slo_answer, "SLOStatus", slo_fields);

#define OWNER struct slo_answers
static const struct field slos_fields[] = {
    OBJECTS(OWNER, slos, slo_schema),
    CHOICE(OWNER, status, slo_states, .choice_count = COUNT_OF(slo_states)),
    NULLABLE_NUMBER(OWNER, error_budget_remaining)};
#undef OWNER
SCHEMA(slos_schema, struct slo_answers, "SLOResponse", slos_fields);

static bool is_whole(const struct slo *slo)
{
    return !slo->entity && !slo->metric;
}

/* The age of what a level of freshness is about. */
static enum error ages_of(const struct storage_call *call, const struct slo *slo,
                          struct data_ages *ages)
{
    struct event_mark newest;
    enum error error;

    if (slo->entity) {
        const char *table = slo->entity->table->name;
        const struct string_list tables = {1, &table};

        return ages_of_tables(call, &tables, ages);
    }
    error = slo->metric ? newest_of_types(call, &slo->metric->source_events, &newest)
                        : newest_applied(call, &newest);
    if (!error)
        *ages = data_ages(newest, call->now);
    return error;
}

static enum error show_diagnostic(const struct storage_call *call, const struct slo_status *status,
                                  const char **text)
{
    const struct slo *slo = status->slo;
    struct slo_diagnostic diagnostic = {.value = status->diagnostic};
    struct data_ages ages = {0};
    enum error error = slo->measurement == SLO_FRESHNESS ? ages_of(call, slo, &ages) : ERROR_NONE;

    if (slo->measurement == SLO_FRESHNESS)
        diagnostic = (struct slo_diagnostic){ages.freshness_seconds, ages.event_age_seconds};
    *text = schema_json(call->arena, DIAGNOSTIC_TEXT_MAX, diagnostic_schemas[slo->measurement],
                        &diagnostic);
    return error;
}

static struct slo_answer answer_of(struct arena *arena, const struct slo_status *status)
{
    static const char *const units[] = {"requests", "seconds", "events", "checks"};
    struct burn_rates *burn_rates = ARENA_NEW(arena, struct burn_rates);
    const struct slo *slo = status->slo;
    bool known = status->window.known, checks = slo->measurement == SLO_METRIC;

    *burn_rates = (struct burn_rates){
        .hour = status->burn[0], .six_hours = status->burn[1], .three_days = status->burn[2]};
    return (struct slo_answer){.name = slo->name,
                               .target = slo->target,
                               .current = status->current,
                               .error_budget_remaining = status->budget,
                               .status = status->state,
                               .window_days = slo->window_days,
                               .good = {known, number_round(status->window.good, 2)},
                               .valid = {known, number_round(status->window.valid, 2)},
                               .unit = units[slo->measurement],
                               .reason = status->reason,
                               .burn_rates = burn_rates,
                               .description = slo->description,
                               .measurement = slo->measurement_name,
                               .threshold = {!checks, slo->threshold},
                               .entity = slo->entity ? slo->entity->name : NULL,
                               .metric = slo->metric ? slo->metric->name : NULL,
                               .minimum = slo->minimum,
                               .maximum = slo->maximum,
                               .every_seconds = {checks, (double)slo->every / 1e6}};
}

bool slo_is_seen(const struct reading *reading, const struct slo *slo)
{
    if (is_whole(slo))
        return true;
    if (slo->entity)
        return may_see_table(reading, slo->entity->table);
    return slo->measurement == SLO_METRIC
               ? may_see_tables_of(reading, slo->metric, slo->metric->measure)
               : may_see_metric(reading, slo->metric->name);
}

enum error slo_file_missing(const struct reading *reading)
{
    if (reading->catalog->slo_file_found)
        return ERROR_NONE;
    return problem_set(reading->storage.problem, ERROR_UNAVAILABLE, "slo_file_missing",
                       "SLO config '%s' was not found.", reading->settings->slo_file);
}

enum error slo_show(const struct storage_call *call, const struct slo_status *status,
                    struct slo_answer *answer)
{
    *answer = answer_of(call->arena, status);
    return show_diagnostic(call, status, &answer->diagnostic);
}

enum error slo_read_all(const struct reading *reading, struct slo_answers *answer)
{
    const struct storage_call *call = &reading->storage;
    const struct catalog *catalog = reading->catalog;
    struct slo_answer *items = ARENA_ARRAY(call->arena, struct slo_answer, catalog->slo_count);
    enum error error = slo_file_missing(reading);

    *answer = (struct slo_answers){.slos = {0, items}, .status = SLO_HEALTHY};
    for (size_t i = 0; !error && i < catalog->slo_count; i++) {
        struct slo_answer *one = &items[answer->slos.count];
        const struct optional_number *least = &answer->error_budget_remaining;
        struct slo_status status;

        if (!slo_is_seen(reading, &catalog->slos[i]))
            continue;
        error = slo_status(call, &catalog->slos[i], &status);
        if (!error)
            error = slo_show(call, &status, one);
        if (error)
            break;
        answer->slos.count++;
        answer->status = one->status > answer->status ? one->status : answer->status;
        if (one->error_budget_remaining.given &&
            (!least->given || one->error_budget_remaining.value < least->value))
            answer->error_budget_remaining = one->error_budget_remaining;
    }
    return error;
}
