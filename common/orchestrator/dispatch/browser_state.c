/* State and figures of the browser's breaker, and its budget of submits. */
#include "orchestrator/dispatch/browser_state.h"

#include "base/clock.h"
#include "orchestrator/storage/times.h"
#include "shm/rate.h"
#include "shm/semaphore.h"

#include <string.h>

enum { PROBE_MARGIN_SECONDS = 60 /* in the queue, and for ending a previous session */ };

static const char submits_key[] = "browser:submits";

/* Each submit holds a semaphore ticket of its task until the task ends, so that all workers see the
 * counts and tickets of dead workers are reclaimed. */
static const char submits_of_task[] = "submits:";
struct browser_submits {
    struct shm_region *region;
    size_t count;
    struct semaphore_ticket tickets[RUN_CALLS_MAX];
};

const char browser_adapter_name[] = "browser.web_provider";
const char *const browser_breaker_names[] = {"disabled",  "closed",  "open",
                                             "half-open", "unknown", NULL};

struct breaker_rule browser_breaker_rule(const struct orchestrator_settings *settings)
{
    return (struct breaker_rule){
        .failures =
            settings->browser_breaker_enabled ? (uint32_t)settings->browser_breaker_failures : 0,
        .open_ms = (uint32_t)(settings->browser_breaker_seconds * 1000),
        .probe_ms = (uint32_t)((settings->browser_call_seconds + PROBE_MARGIN_SECONDS) * 1000),
        .is_own = true};
}

const char *browser_breaker_read(const struct worker_context *worker,
                                 struct breaker_figures *figures)
{
    static const char *const names[BREAKER_STATE__MAX] = {"closed", "open", "half-open"};
    const struct breaker_rule rule = browser_breaker_rule(worker->settings);

    *figures = (struct breaker_figures){0};
    if (!rule.failures)
        return browser_breaker_names[0];
    if (worker->region)
        breaker_read(worker->region, browser_adapter_name, &rule, figures);
    return names[figures->state];
}

#define OWNER struct breaker_shape
static const struct field breaker_fields[] = {
    STRING(OWNER, adapter_status, .omit_if_null = true),
    BOOLEAN(OWNER, enabled),
    STRING(OWNER, state),
    INTEGER(OWNER, failure_threshold),
    NUMBER(OWNER, cooldown_seconds),
    STRINGS(OWNER, counted_failure_codes),
    INTEGER(OWNER, consecutive_failures),
    MOMENT(OWNER, opened_at, .time = TIME_Z),
    MOMENT(OWNER, reopen_at, .time = TIME_Z),
    INTEGER(OWNER, open_count),
    INTEGER(OWNER, fail_fast_rejections),
    STRING(OWNER, last_failure_code, .nullable = true),
    STRING(OWNER, last_failure_message, .nullable = true),
    MOMENT(OWNER, last_failure_at, .time = TIME_Z),
};
#undef OWNER
SCHEMA(breaker_shape_schema, struct breaker_shape, "BreakerState", breaker_fields);

static struct optional_integer time_or_none(int64_t timestamp)
{
    return (struct optional_integer){timestamp != 0, timestamp};
}

struct breaker_shape *browser_breaker_shape(struct arena *arena,
                                            const struct worker_context *worker)
{
    static const int counted[] = {FAILURE_PROVIDER_UNAVAILABLE, FAILURE_TIMEOUT, FAILURE_UNKNOWN};
    const struct orchestrator_settings *settings = worker->settings;
    struct breaker_shape *shape = ARENA_NEW(arena, struct breaker_shape);
    struct breaker_figures figures;
    const char *state = browser_breaker_read(worker, &figures);
    bool failed = figures.last.at != 0;

    *shape = (struct breaker_shape){
        .enabled = settings->browser_breaker_enabled,
        .state = state,
        .failure_threshold = settings->browser_breaker_failures,
        .cooldown_seconds = settings->browser_breaker_seconds,
        .counted_failure_codes.items = ARENA_ARRAY(arena, const char *, COUNT_OF(counted)),
        .consecutive_failures = figures.failures,
        .opened_at = time_or_none(figures.opened_at),
        .reopen_at = time_or_none(figures.reopens_at),
        .open_count = (int64_t)figures.opens,
        .fail_fast_rejections = (int64_t)figures.refusals,
        .last_failure_code = failed ? failure_name(figures.last.code) : NULL,
        .last_failure_message = failed ? arena_copy_string(arena, figures.last.message) : NULL,
        .last_failure_at = time_or_none(figures.last.at)};
    for (size_t i = 0; i < COUNT_OF(counted); i++)
        shape->counted_failure_codes.items[shape->counted_failure_codes.count++] =
            failure_name(counted[i]);
    return shape;
}

#define OWNER struct browser_usage
static const struct field usage_fields[] = {INTEGER(OWNER, task_submits),
                                            INTEGER(OWNER, hourly_submits)};
#undef OWNER
SCHEMA(browser_usage_schema, struct browser_usage, "BrowserUsage", usage_fields);

static bool has_budget(const struct orchestrator_settings *settings)
{
    return settings->max_submits_per_task > 0 || settings->max_submits_per_hour > 0;
}

/* Without an hourly limit the submits are still counted, for the metrics. */
static struct rate_rule hour_rule(const struct orchestrator_settings *settings)
{
    int64_t most = settings->max_submits_per_hour;

    return (struct rate_rule){.max = most > 0 ? (uint32_t)most : RATE_COUNT_MAX,
                              .window_seconds = 3600};
}

int64_t browser_budget_hour(const struct worker_context *worker)
{
    struct rate_decision look;

    if (!worker->region || !has_budget(worker->settings))
        return 0;
    look = rate_peek(worker->region, submits_key, hour_rule(worker->settings));
    return (int64_t)look.limit - look.remaining;
}

static void release_submits(void *thing)
{
    struct browser_submits *submits = thing;

    while (submits->count)
        semaphore_release(submits->region, &submits->tickets[--submits->count]);
}

/* They are also released when the run's memory is. */
static struct browser_submits *submits_of(struct run *run)
{
    if (!run->submits) {
        run->submits = ARENA_NEW(run->arena, struct browser_submits);
        run->submits->region = run->worker->region;
        arena_guard(run->arena, release_submits)->thing = run->submits;
    }
    return run->submits;
}

static void count_submit(struct run *run)
{
    struct browser_submits *submits = submits_of(run);
    const char *name = arena_print(run->arena, "%s%s", submits_of_task, run->task_id);

    if (submits->count < RUN_CALLS_MAX)
        (void)!semaphore_acquire(submits->region, name, UINT32_MAX,
                                 &submits->tickets[submits->count++]);
}

const char *browser_budget_take(struct run *run, struct browser_usage *usage)
{
    const struct orchestrator_settings *settings = run->worker->settings;

    *usage = (struct browser_usage){0};
    if (!run->worker->region || !has_budget(settings))
        return NULL;
    *usage = (struct browser_usage){run->browser_submits, browser_budget_hour(run->worker)};
    if (settings->max_submits_per_task > 0 && usage->task_submits >= settings->max_submits_per_task)
        return "per_task";
    if (!rate_allow(run->worker->region, submits_key, hour_rule(settings)).allowed &&
        settings->max_submits_per_hour > 0)
        return "per_hour";
    run->browser_submits++;
    count_submit(run);
    return NULL;
}

void browser_budget_end(struct run *run)
{
    if (run->submits)
        release_submits(run->submits);
}

const char *browser_budget_task(const char *slot_name)
{
    size_t length = sizeof submits_of_task - 1;

    return strncmp(slot_name, submits_of_task, length) == 0 ? slot_name + length : NULL;
}
