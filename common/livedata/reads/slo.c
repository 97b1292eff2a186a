/* Measuring service levels, and the arithmetic of budgets. */
#include "livedata/reads/slo.h"

#include "base/number.h"
#include "db/query.h"
#include "livedata/journal/journal.h"
#include "livedata/timestamp.h"

#include <math.h>
#include <string.h>

static const char *const slo_states[] = {"healthy", "unknown", "at_risk", "breached"};

enum { DIAGNOSTIC_TEXT_MAX = 1024 };

static const double fast_burn = 14.4, slow_burn = 6, low_budget = 0.2;

static const struct statement count_latency = {
    .name = "slo_latency",
    .sql = "SELECT count(*), coalesce(sum(CASE WHEN duration_us <= ? THEN 1 ELSE 0 END), 0)"
           " FROM api_sessions WHERE tenant_id = ? AND at >= ?",
};
/* The newest row has no gap; the minimum of NULL and a number is a number only in one engine. */
static const struct statement sum_freshness = {
    .name = "slo_freshness",
    .sql = "SELECT min(processed_at), max(processed_at),"
           " CAST(coalesce(sum(CASE WHEN gap IS NULL THEN 0 ELSE {least}(gap, ?) END), 0)"
           " AS BIGINT) FROM (SELECT processed_at,"
           " lead(processed_at) OVER (ORDER BY processed_at) - processed_at AS gap"
           " FROM pipeline_events WHERE tenant_id = ? AND processed_at >= ?"
           " AND topic = 'events.validated') AS gaps",
};
static const struct statement count_errors = {
    .name = "slo_errors",
    .sql = "SELECT count(*), coalesce(sum(CASE WHEN topic = 'events.deadletter' THEN 1 ELSE 0 END),"
           " 0), count(status_code), coalesce(sum(CASE WHEN status_code >= 500 THEN 1 ELSE 0 END),"
           " 0) FROM pipeline_events WHERE tenant_id = ? AND processed_at >= ?",
};
static const struct statement rank_latency = {
    .name = "slo_latency_rank",
    .sql = "SELECT duration_us FROM api_sessions WHERE tenant_id = ? AND at >= ?"
           " ORDER BY duration_us LIMIT 2 OFFSET ?",
};

/* Of the service's own answers to the tenant, from the session log. */
static enum error measure_latency(const struct storage_call *call, const struct slo *slo,
                                  int64_t since, struct slo_window *window)
{
    struct query *query = db_query(call->db, &count_latency);

    query_bind_integer(query, (int64_t)(slo->threshold * 1e3));
    query_bind_text(query, call->tenant);
    query_bind_integer(query, since);
    if (query_next(query)) {
        window->valid = (double)query_integer(query, 0);
        window->good = (double)query_integer(query, 1);
    }
    window->known = window->valid > 0;
    return query_end(query, call->problem);
}

/* Fresh is the time up to the threshold after each event. */
static enum error measure_freshness(const struct storage_call *call, const struct slo *slo,
                                    int64_t since, struct slo_window *window)
{
    struct query *query = db_query(call->db, &sum_freshness);
    int64_t span = (int64_t)(slo->threshold * 1e6);

    query_bind_integer(query, span);
    query_bind_text(query, call->tenant);
    query_bind_integer(query, since);
    if (query_next(query) && !query_is_null(query, 0)) {
        int64_t first = query_integer(query, 0), last = query_integer(query, 1);
        int64_t tail = call->now - last;

        window->valid = timestamp_seconds(first, call->now);
        window->good = (double)(query_integer(query, 2) + (tail < span ? tail : span)) / 1e6;
        window->good = fmin(fmax(window->good, 0), window->valid);
        window->known = window->valid > 0;
        window->valid = fmax(window->valid, 0);
    }
    return query_end(query, call->problem);
}

static enum error measure_errors(const struct storage_call *call, int64_t since,
                                 struct slo_window *window)
{
    struct query *query = db_query(call->db, &count_errors);

    query_bind_text(query, call->tenant);
    query_bind_integer(query, since);
    if (query_next(query)) {
        bool coded = query_integer(query, 2) > 0;

        window->valid = (double)query_integer(query, coded ? 2 : 0);
        window->good = window->valid - (double)query_integer(query, coded ? 3 : 1);
    }
    window->known = window->valid > 0;
    return query_end(query, call->problem);
}

enum error slo_measure(const struct storage_call *call, const struct slo *slo, int64_t microseconds,
                       struct slo_window *window)
{
    int64_t since = call->now - microseconds;
    enum error error;

    *window = (struct slo_window){0};
    if (slo->measurement == SLO_LATENCY)
        error = measure_latency(call, slo, since, window);
    else if (slo->measurement == SLO_FRESHNESS)
        error = measure_freshness(call, slo, since, window);
    else
        error = measure_errors(call, since, window);
    if (window->known)
        window->share = window->good / window->valid;
    return error;
}

struct optional_number slo_budget(double target, struct optional_number current)
{
    if (!current.given)
        return current;
    if (target >= 1)
        return GIVEN_NUMBER(current.value >= 1 ? 1.0 : 0.0);
    return GIVEN_NUMBER(number_round(fmin(fmax(1 - (1 - current.value) / (1 - target), 0), 1), 4));
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
    if (!status->current.given)
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
    if (status->slo->measurement == SLO_ERRORS)
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

enum error slo_status(const struct storage_call *call, const struct slo *slo,
                      struct slo_status *status)
{
    static const int64_t burn_windows[] = {3600000000, 6 * 3600000000, 72 * 3600000000};
    enum error error;

    *status = (struct slo_status){.slo = slo};
    if (slo->measurement == SLO_UNSUPPORTED)
        return problem_set(call->problem, ERROR_SYSTEM, "slo_measurement",
                           "Unsupported SLO measurement '%s'.", slo->measurement_name);
    error = slo_measure(call, slo, slo->window_days * us_per_day, &status->window);
    if (!error && status->window.known)
        status->current = GIVEN_NUMBER(number_round(status->window.share, 4));
    for (size_t i = 0; !error && i < 3; i++) {
        struct slo_window window;

        error = slo_measure(call, slo, burn_windows[i], &window);
        if (!too_few_events(slo, &window))
            status->burn[i] = slo_burn(slo->target, &window);
    }
    if (error)
        return error;
    status->budget = slo_budget(slo->target, status->current);
    status->state = state_of(status);
    status->thin = is_thin(status);
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
#undef OWNER
static SCHEMA(latency_schema, struct slo_diagnostic, "SLOLatency", latency_fields);
static SCHEMA(freshness_schema, struct slo_diagnostic, "SLOFreshness", freshness_fields);
static SCHEMA(errors_schema, struct slo_diagnostic, "SLOErrors", errors_fields);
static const struct schema *const diagnostic_schemas[] = {[SLO_LATENCY] = &latency_schema,
                                                          [SLO_FRESHNESS] = &freshness_schema,
                                                          [SLO_ERRORS] = &errors_schema};

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
           .help = "not_enough_traffic: too few requests, events or failures to judge by."),
    OBJECT(OWNER, burn_rates, burn_schema),
    WRITTEN_JSON(OWNER, diagnostic, .help = "What was measured, by kind of service level."),
};
#undef OWNER
static SCHEMA(slo_schema, struct slo_answer, "SLOStatus", slo_fields);

#define OWNER struct slo_answers
static const struct field slos_fields[] = {
    OBJECTS(OWNER, slos, slo_schema),
    CHOICE(OWNER, status, slo_states, .choice_count = COUNT_OF(slo_states)),
    NULLABLE_NUMBER(OWNER, error_budget_remaining)};
#undef OWNER
SCHEMA(slos_schema, struct slo_answers, "SLOResponse", slos_fields);

static const char *diagnostic_of(struct arena *arena, const struct slo_status *status,
                                 struct data_ages ages)
{
    struct slo_diagnostic diagnostic = {.value = status->diagnostic,
                                        .event_age_seconds = ages.event_age_seconds};

    if (status->slo->measurement == SLO_FRESHNESS)
        diagnostic.value = ages.freshness_seconds;
    return schema_json(arena, DIAGNOSTIC_TEXT_MAX, diagnostic_schemas[status->slo->measurement],
                       &diagnostic);
}

static struct slo_answer answer_of(struct arena *arena, const struct slo_status *status,
                                   struct data_ages ages)
{
    static const char *const units[] = {"requests", "seconds", "events"};
    struct burn_rates *burn_rates = ARENA_NEW(arena, struct burn_rates);
    bool known = status->window.known;

    *burn_rates = (struct burn_rates){
        .hour = status->burn[0], .six_hours = status->burn[1], .three_days = status->burn[2]};
    return (struct slo_answer){.name = status->slo->name,
                               .target = status->slo->target,
                               .current = status->current,
                               .error_budget_remaining = status->budget,
                               .status = status->state,
                               .window_days = status->slo->window_days,
                               .good = {known, number_round(status->window.good, 2)},
                               .valid = {known, number_round(status->window.valid, 2)},
                               .unit = units[status->slo->measurement],
                               .reason = status->thin ? "not_enough_traffic" : NULL,
                               .burn_rates = burn_rates,
                               .diagnostic = diagnostic_of(arena, status, ages)};
}

enum error slo_read_all(const struct storage_call *call, const struct catalog *catalog,
                        const char *path, struct slo_answers *answer)
{
    struct slo_answer *items = ARENA_ARRAY(call->arena, struct slo_answer, catalog->slo_count);
    struct optional_number least = {0};
    enum slo_state worst = SLO_HEALTHY;
    struct event_mark newest;
    enum error error;

    if (!catalog->slo_file_found)
        return problem_set(call->problem, ERROR_UNAVAILABLE, "slo_file_missing",
                           "SLO config '%s' was not found.", path);
    error = newest_applied(call, &newest);
    for (size_t i = 0; !error && i < catalog->slo_count; i++) {
        struct slo_status status;

        error = slo_status(call, &catalog->slos[i], &status);
        if (error)
            break;
        items[i] = answer_of(call->arena, &status, data_ages(newest, call->now));
        worst = status.state > worst ? status.state : worst;
        if (status.budget.given && (!least.given || status.budget.value < least.value))
            least = status.budget;
    }
    *answer = (struct slo_answers){
        .slos = {catalog->slo_count, items}, .status = (int)worst, .error_budget_remaining = least};
    return error;
}
