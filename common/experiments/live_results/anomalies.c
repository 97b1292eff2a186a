/* Anomalies of the data, as warnings: users in several arms, events before the exposure,
 * events under names that the design lacks, covariates that cover few subjects; and alarms. */
#include "experiments/live_results/live_results_internal.h"

#include "experiments/analyses/report_print.h"
#include "experiments/design/rules.h"
#include "experiments/live_results/policy.h"

enum { WARNINGS_MAX = 6, NAMES_SHOWN = 3, NAMES_BYTES_MAX = 4096 };

static const double crossing_share = 0.001;

struct warnings {
    const struct live_results *results;
    struct warning items[WARNINGS_MAX];
    size_t count;
};

static void warn(struct warnings *warnings, const char *code, const char *severity,
                 const char *message)
{
    warnings->items[warnings->count++] = (struct warning){
        .code = code, .severity = severity, .message = message, .source = "live_data"};
}

static const char *count_text(const struct live_results *results, int64_t count)
{
    return report_print_count(results->call->arena, count);
}

static void warn_of_crossing(struct warnings *warnings, const struct live_population *population)
{
    const struct live_results *results = warnings->results;
    struct arena *arena = results->call->arena;

    if (population->multiple_exposure_share <= crossing_share)
        return;
    warn(warnings, "MULTIPLE_EXPOSURE",
         population->multiple_exposure_share > policy_anomaly_share ? "high" : "medium",
         locale_format(
             results->call->locale, arena, "live.reasons.multiple_exposure_users",
             TEXT_ARGUMENTS(
                 {"users", count_text(results, population->multiple_exposure_users)},
                 {"share_pct",
                  report_print_fixed(arena, 2, 100 * population->multiple_exposure_share)})));
}

static void warn_of_early_events(struct warnings *warnings, const struct live_event_timing *timing)
{
    const struct live_results *results = warnings->results;
    struct optional_number unused;
    bool counted = payload_window(results->design, timing->metric, &unused) == WINDOW_ALL;

    if ((double)timing->out_of_order <= policy_anomaly_share * (double)timing->total)
        return;
    warn(warnings, "EVENTS_BEFORE_EXPOSURE", counted ? "high" : "medium",
         locale_format(results->call->locale, results->call->arena,
                       counted ? "live.reasons.events_before_exposure"
                               : "live.reasons.events_before_exposure_left_out",
                       TEXT_ARGUMENTS({"events", count_text(results, timing->out_of_order)},
                                      {"events_total", count_text(results, timing->total)},
                                      {"conversion_window", timing->conversion_window})));
}

/* The first few names of a list, of items that begin with their name. */
static const char *names_text(struct arena *arena, const struct object_list *list, size_t size)
{
    struct text text;

    text_start(&text, arena, NAMES_BYTES_MAX);
    for (size_t i = 0; i < list->count && i < NAMES_SHOWN; i++)
        text_append_format(&text, "%s%s", i ? ", " : "",
                           *(const char *const *)((const char *)list->items + i * size));
    if (list->count > NAMES_SHOWN)
        text_append_string(&text, ", \xE2\x80\xA6");
    return text.bytes;
}

static void warn_of_unknown(struct warnings *warnings, const struct live_unknown_metrics *unknown)
{
    const struct live_results *results = warnings->results;
    struct arena *arena = results->call->arena;

    if (unknown->events_total == 0)
        return;
    warn(warnings, "UNKNOWN_METRICS", "medium",
         locale_format(results->call->locale, arena, "live.unknown_metrics",
                       TEXT_ARGUMENTS({"events", count_text(results, unknown->events_total)},
                                      {"names", names_text(arena, &unknown->metrics,
                                                           sizeof(struct live_unknown_metric))})));
}

static void warn_of_ignored(struct warnings *warnings, const struct live_cuped *cuped)
{
    const struct live_results *results = warnings->results;
    struct arena *arena = results->call->arena;

    if (cuped->ignored_covariates.count == 0)
        return;
    warn(warnings, "IGNORED_COVARIATES", "medium",
         locale_format(
             results->call->locale, arena, "live.covariates_ignored",
             TEXT_ARGUMENTS({"names", names_text(arena, &cuped->ignored_covariates,
                                                 sizeof(struct live_ignored_covariate))})));
}

static void warn_of_alarms(struct warnings *warnings, enum alarm_status status, const char *code,
                           const char *text)
{
    const struct live_results *results = warnings->results;
    struct arena *arena = results->call->arena;
    const char *names = alarm_names(&results->view->alarms, status, arena);

    if (names)
        warn(warnings, code, status == ALARM_RAISED ? "high" : "medium",
             locale_format(results->call->locale, arena, text, TEXT_ARGUMENTS({"names", names})));
}

void live_results_anomalies(const struct live_results *results, struct live_stats *stats)
{
    struct arena *arena = results->call->arena;
    struct live_unknown *found = &((struct live_view *)results->view)->unknown;
    struct live_unknown_metrics *unknown = ARENA_NEW(arena, struct live_unknown_metrics);
    struct warnings *warnings = ARENA_NEW(arena, struct warnings);

    unknown->names_total = found->names;
    unknown->events_total = found->events;
    unknown->metrics = (struct object_list){found->count, found->items};
    stats->unknown_metrics = unknown;
    warnings->results = results;
    warn_of_crossing(warnings, stats->population);
    warn_of_early_events(warnings, stats->event_timing);
    warn_of_unknown(warnings, unknown);
    warn_of_ignored(warnings, stats->cuped);
    warn_of_alarms(warnings, ALARM_RAISED, "ALARM_RAISED", "live.alarms_raised");
    warn_of_alarms(warnings, ALARM_STALE, "ALARM_STALE", "live.alarms_stale");
    stats->warnings = (struct object_list){warnings->count, warnings->items};
}
