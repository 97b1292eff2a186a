/* Composes the report of a result from the statistics, the decision and the course. */
#include "experiments/reports/result_report.h"

#include "experiments/live/outcome_store.h"
#include "experiments/live_results/headline.h"
#include "experiments/reports/reports.h"
#include "experiments/reports/result_parts.h"

#include <math.h>
#include <string.h>

enum { DAYS_SHOWN = 62, INTERVALS_MAX = 2 * LIVE_ARMS_MAX };

static const double percent = 100;
static const double short_below = 1000; /* values with four significant digits */

static const char *or_dash(const char *text)
{
    return text && *text ? text : "\xE2\x80\x93";
}

/* A person by name; keys and tokens as the audit log has them. */
static const char *actor_text(const char *actor)
{
    static const char person[] = "user:";

    if (actor && strncmp(actor, person, sizeof person - 1) == 0)
        return actor + sizeof person - 1;
    return or_dash(actor);
}

static const char *const outcome_keys[OUTCOME__MAX] = {"export.outcome.ship", "export.outcome.stop",
                                                       "export.outcome.reopen"};

static const struct {
    const char *role, *key;
} roles[] = {{"goal", "export.role.goal"},
             {"guardrail", "export.role.guardrail"},
             {"secondary", "export.role.secondary"}};

static const char *role_text(const struct report_context *context, const char *role)
{
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        if (strcmp(roles[i].role, role) == 0)
            return report_label(context, roles[i].key);
    return role;
}

static bool is_rate(const char *metric_type)
{
    return strcmp(metric_type, "binary") == 0;
}

static const char *thousands(const struct report_context *context, int64_t value)
{
    return print_thousands(context->arena, value);
}

static void head(const struct report_context *context, struct report_document *document,
                 const char *const *keys, size_t count)
{
    document_begin(document, BLOCK_TABLE, count);
    for (size_t i = 0; i < count; i++)
        document_add(document, report_label(context, keys[i]));
}

static const char *outcome_text(const struct report_context *context, const struct outcome *outcome)
{
    const char *name = report_label(context, outcome_keys[outcome->decision]);

    if (outcome->decision != OUTCOME_SHIP || !outcome->variation_index.given)
        return name;
    return arena_print(context->arena, "%s: %s", name,
                       report_arm_name(context, outcome->variation_index.value));
}

static const struct live_comparison *best_of(const struct live_stats *stats)
{
    const struct live_comparison *comparisons = stats->comparisons.items, *best = NULL;
    double sign = strcmp(stats->direction, "decrease") == 0 ? -1 : 1;

    for (size_t i = 0; i < stats->comparisons.count; i++)
        if (comparisons[i].analysis &&
            (!best || sign * comparisons[i].test.effect > sign * best->test.effect))
            best = &comparisons[i];
    return best;
}

/* The decimals are those of the interval, wherever an estimate stands. */
static double size_of(double lower, double upper)
{
    return fmax(fabs(lower), fabs(upper));
}

/* An effect in the unit of its interval, and the same relative to the control. */
static const char *change(const struct report_context *context, bool rate, double size,
                          double effect, struct optional_number relative)
{
    const char *absolute = report_difference(context, rate, size, effect);

    return relative.given ? arena_print(context->arena, "%s (%s)", absolute,
                                        report_relative(context, relative))
                          : absolute;
}

static void add_best(const struct report_context *context, bool rate,
                     const struct live_comparison *best, struct report_document *document)
{
    const struct results_reply *analysis = best->analysis;
    const char *name = report_arm_name(context, best->treatment_index);

    if (analysis->observed_effect_relative.given)
        name = arena_print(context->arena, "%s (%s)", name,
                           report_relative(context, analysis->observed_effect_relative));
    document_fact(document, name,
                  report_difference(context, rate, size_of(analysis->ci_lower, analysis->ci_upper),
                                    analysis->observed_effect));
}

static void add_situation(const struct report_context *context, const struct result_facts *facts,
                          struct report_document *document)
{
    const struct live_stats *stats = facts->stats;
    const struct live_comparison *best = best_of(stats);
    const struct outcome *newest = facts->outcomes->items;
    struct optional_integer needed = stats->forecast->people_needed;

    document_heading(document, 1, report_label(context, headline_key(facts->decision->headline)));
    document_text(document, report_label(context, headline_note_key(facts->decision->headline)));
    if (facts->decision->margin)
        document_text(document, facts->decision->margin->text);
    if (facts->outcomes->count && newest->decision != OUTCOME_REOPEN)
        document_notice(document, "low",
                        arena_print(context->arena, "%s (%s, %s) %s", outcome_text(context, newest),
                                    actor_text(newest->actor),
                                    report_moment(context->arena, newest->created_at),
                                    newest->note));
    document_begin(document, BLOCK_CARDS, 2);
    document_fact(document, report_label(context, "export.users"),
                  thousands(context, stats->exposures_total));
    if (needed.given)
        document_fact(document, report_label(context, "export.users_planned"),
                      thousands(context, needed.value));
    document_fact(document, report_label(context, "export.converted"),
                  thousands(context, stats->conversions_total));
    if (best)
        add_best(context, is_rate(stats->metric_type), best, document);
}

static void add_texts(const struct report_context *context, struct report_document *document,
                      const char *key, const struct object_list *reasons)
{
    const struct decision_reason *items = reasons->items;
    struct string_list texts = {0, ARENA_ARRAY(context->arena, const char *, reasons->count + 1)};

    for (size_t i = 0; i < reasons->count; i++)
        texts.items[texts.count++] = items[i].text;
    if (texts.count)
        report_list(context, document, 2, key, &texts);
}

static void add_changes(const struct report_context *context, struct report_document *document,
                        const struct object_list *changes)
{
    const struct decision_change *items = changes->items;
    struct string_list texts = {0, ARENA_ARRAY(context->arena, const char *, changes->count + 1)};

    for (size_t i = 0; i < changes->count; i++)
        texts.items[texts.count++] = items[i].text;
    if (texts.count)
        report_list(context, document, 2, "export.would_change", &texts);
}

static const char *metric_value(const struct report_context *context,
                                const struct live_metric *metric, struct optional_number value)
{
    if (!value.given)
        return "\xE2\x80\x93";
    if (strcmp(metric->unit, "rate") == 0)
        return report_percent(context, percent * value.value);
    return fabs(value.value) < short_below ? report_probability(context, value.value)
                                           : report_number(context, value.value);
}

static void add_metric(const struct report_context *context, struct report_document *document,
                       const struct live_metric *metric, const struct live_metric_comparison *one)
{
    bool rate = strcmp(metric->unit, "rate") == 0;
    double scale = rate ? percent : 1, effect = scale * one->effect.value;
    bool known = one->ci_lower.given && one->ci_upper.given;
    double lower = scale * one->ci_lower.value, upper = scale * one->ci_upper.value;
    struct optional_number p = one->p_value_adjusted.given ? one->p_value_adjusted : one->p_value;

    document_add(document, metric->name);
    document_add(document, role_text(context, metric->role));
    document_add(document, report_arm_name(context, one->treatment_index));
    document_add(document, metric_value(context, metric, one->control_value));
    document_add(document, metric_value(context, metric, one->treatment_value));
    document_add(document, one->effect.given
                               ? change(context, rate, known ? size_of(lower, upper) : fabs(effect),
                                        effect, one->effect_relative)
                               : report_relative(context, one->effect_relative));
    document_add(document, known ? report_range(context, rate, lower, upper) : "\xE2\x80\x93");
    document_add(document, p.given ? report_p_value(context, p.value) : "\xE2\x80\x93");
}

static void add_scorecard(const struct report_context *context, const struct live_stats *stats,
                          struct report_document *document)
{
    static const char *const keys[] = {"export.result_metric",   "export.role_title",
                                       "export.variant",         "export.control_value",
                                       "export.value",           "export.change",
                                       "export.result_interval", "export.p_value"};
    const struct live_metric *metrics = stats->metrics.items;

    document_heading(document, 1, report_label(context, "export.scorecard"));
    head(context, document, keys, COUNT_OF(keys));
    for (size_t i = 0; i < stats->metrics.count; i++) {
        const struct live_metric_comparison *comparisons = metrics[i].comparisons.items;

        for (size_t k = 0; k < metrics[i].comparisons.count; k++)
            add_metric(context, document, &metrics[i], &comparisons[k]);
    }
}

/* The plain interval of each treatment and the always-valid one under it. */
static void add_intervals(const struct report_context *context, const struct live_stats *stats,
                          struct report_document *document)
{
    const struct live_comparison *comparisons = stats->comparisons.items;
    double scale = strcmp(stats->metric_type, "binary") == 0 ? percent : 1;
    struct interval intervals[INTERVALS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < stats->comparisons.count && count + 2 <= INTERVALS_MAX; i++) {
        const struct live_always_valid *always = comparisons[i].always_valid;
        const char *name = report_arm_name(context, comparisons[i].treatment_index);

        if (!comparisons[i].analysis)
            continue;
        intervals[count++] = (struct interval){name, comparisons[i].analysis->ci_lower,
                                               comparisons[i].analysis->observed_effect,
                                               comparisons[i].analysis->ci_upper};
        if (always && always->ci_sequence_lower.given && always->ci_sequence_upper.given)
            intervals[count++] = (struct interval){
                arena_print(context->arena, "%s \xE2\x88\x9E", name),
                scale * always->ci_sequence_lower.value, comparisons[i].analysis->observed_effect,
                scale * always->ci_sequence_upper.value};
    }
    if (count == 0)
        return;
    document_heading(document, 2, report_label(context, "export.difference"));
    document_chart(document, chart_intervals(report_label(context, "export.difference"), intervals,
                                             count, context->arena));
    document_text(document, report_label(context, "export.intervals_note"));
}

static const char *arm_value(const struct report_context *context,
                             const struct live_arm_statistic *arm)
{
    if (arm->conversion_rate.given)
        return report_percent(context, percent * arm->conversion_rate.value);
    if (arm->mean.given)
        return report_number(context, arm->mean.value);
    return arm->ratio.given ? report_probability(context, arm->ratio.value) : "\xE2\x80\x93";
}

static void add_arm(const struct report_context *context, const struct live_stats *stats,
                    const struct live_arm_statistic *arm, struct report_document *document)
{
    const struct number_list *expected = &stats->srm->expected_counts;
    size_t index = (size_t)arm->variation_index;

    document_add(document, report_arm_name(context, arm->variation_index));
    document_add(document, thousands(context, arm->exposed_users));
    document_add(document, index < expected->count
                               ? thousands(context, (int64_t)nearbyint(expected->items[index]))
                               : "\xE2\x80\x93");
    document_add(document, thousands(context, arm->converted_users));
    document_add(document, arm_value(context, arm));
}

static void add_arms(const struct report_context *context, const struct live_stats *stats,
                     struct report_document *document)
{
    static const char *const keys[] = {"export.variant", "export.users", "export.users_expected",
                                       "export.converted", "export.value"};
    const struct live_comparison *comparisons = stats->comparisons.items;

    document_heading(document, 1, report_label(context, "export.arms"));
    head(context, document, keys, COUNT_OF(keys));
    if (stats->comparisons.count)
        add_arm(context, stats, comparisons[0].control, document);
    for (size_t i = 0; i < stats->comparisons.count; i++)
        add_arm(context, stats, comparisons[i].treatment, document);
    document_text(document, stats->srm->verdict);
}

/* What came in, and what of it does not count. */
static void add_quality(const struct report_context *context, const struct live_stats *stats,
                        struct report_document *document)
{
    const struct {
        const char *key;
        int64_t count;
    } facts[] = {
        {"export.quality_in_window", stats->event_timing->in_window},
        {"export.quality_late", stats->event_timing->late},
        {"export.quality_early", stats->event_timing->out_of_order},
        {"export.quality_linked", stats->identity_resolution->linked_identities},
        {"export.quality_excluded", stats->exclusions->total_filtered},
        {"export.quality_multiple", stats->population->multiple_exposure_users},
        {"export.quality_unknown_events", stats->unknown_metrics->events_total},
    };

    document_heading(document, 1, report_label(context, "export.quality"));
    document_begin(document, BLOCK_FACTS, 2);
    for (size_t i = 0; i < COUNT_OF(facts); i++)
        document_fact(document, report_label(context, facts[i].key),
                      thousands(context, facts[i].count));
}

static int64_t sum_of(const struct integer_list *list)
{
    int64_t sum = 0;

    for (size_t i = 0; i < list->count; i++)
        sum += list->items[i];
    return sum;
}

static const char *range_or_dash(const struct report_context *context, bool rate,
                                 struct optional_number lower, struct optional_number upper)
{
    return lower.given && upper.given ? report_range(context, rate, lower.value, upper.value)
                                      : "\xE2\x80\x93";
}

static void add_day(const struct report_context *context, const struct course *course,
                    const struct course_day *day, struct report_document *document)
{
    const struct course_comparison *comparisons = day->comparisons.items;
    bool rate = is_rate(course->metric_type);

    for (size_t i = 0; i < day->comparisons.count; i++) {
        const struct course_comparison *one = &comparisons[i];
        double size = size_of(one->ci_lower.value, one->ci_upper.value);

        document_add(document, day->date);
        document_add(document, thousands(context, sum_of(&day->people)));
        document_add(document, report_arm_name(context, one->treatment_index));
        document_add(document, one->effect.given
                                   ? report_difference(context, rate, size, one->effect.value)
                                   : "\xE2\x80\x93");
        document_add(document, range_or_dash(context, rate, one->ci_lower, one->ci_upper));
        document_add(document, range_or_dash(context, rate, one->always_valid_lower,
                                             one->always_valid_upper));
    }
}

/* The newest days. */
static void add_course(const struct report_context *context, const struct course *course,
                       struct report_document *document)
{
    static const char *const keys[] = {
        "export.day",    "export.new_users",       "export.variant",
        "export.effect", "export.result_interval", "export.always_valid"};
    const struct course_day *days = course->days.items;
    size_t first = course->days.count > DAYS_SHOWN ? course->days.count - DAYS_SHOWN : 0;

    if (course->days.count == 0)
        return;
    document_page(document);
    document_heading(document, 1, report_label(context, "export.over_time"));
    head(context, document, keys, COUNT_OF(keys));
    for (size_t i = first; i < course->days.count; i++)
        add_day(context, course, &days[i], document);
}

static void add_plan(const struct report_context *context, const struct result_facts *facts,
                     struct report_document *document)
{
    const struct payload_metrics *metrics = facts->design->metrics;
    const struct decision_policy *policy = facts->decision->policy;
    bool rate = metrics->metric_type == METRIC_BINARY;
    double least =
        (metrics->direction == GOAL_DECREASE ? -1 : 1) * policy->minimum_worthwhile_effect.value;

    document_heading(document, 1, report_label(context, "export.plan"));
    document_begin(document, BLOCK_FACTS, 2);
    document_fact(document, report_label(context, "export.hypothesis"),
                  or_dash(facts->design->hypothesis->hypothesis_statement));
    document_fact(document, report_label(context, "export.change_tested"),
                  or_dash(facts->design->hypothesis->change_description));
    document_fact(document, report_label(context, "export.primary_metric"),
                  or_dash(metrics->primary_metric_name));
    document_fact(document, report_label(context, "export.goal"),
                  report_label(context, metrics->direction == GOAL_DECREASE
                                            ? "export.goal_decrease"
                                            : "export.goal_increase"));
    document_fact(document, report_label(context, "export.baseline"),
                  rate ? report_percent(context, percent * metrics->baseline_value)
                       : report_number(context, metrics->baseline_value));
    document_fact(document, report_label(context, "export.worthwhile"),
                  policy->minimum_worthwhile_effect.given
                      ? arena_print(context->arena, "%s (%s)",
                                    report_difference(context, rate, fabs(least), least),
                                    report_percent(context, fabs(metrics->mde_pct)))
                      : "\xE2\x80\x93");
    document_fact(document, report_label(context, "export.alpha"),
                  report_percent(context, percent * metrics->alpha));
    document_fact(document, report_label(context, "export.power"),
                  report_percent(context, percent * metrics->power));
    document_fact(document, report_label(context, "export.certificate_key"),
                  or_dash(facts->certificate_key));
}

static void add_outcomes(const struct report_context *context, const struct object_list *outcomes,
                         struct report_document *document)
{
    static const char *const keys[] = {"export.moment", "export.decision", "export.recommendation",
                                       "export.decided_by", "export.note"};
    const struct outcome *items = outcomes->items;

    if (!outcomes->count)
        return;
    document_heading(document, 1, report_label(context, "export.decisions"));
    head(context, document, keys, COUNT_OF(keys));
    for (size_t i = 0; i < outcomes->count; i++) {
        document_add(document, report_moment(context->arena, items[i].created_at));
        document_add(document, outcome_text(context, &items[i]));
        document_add(document, report_label(context, headline_key(items[i].headline)));
        document_add(document, actor_text(items[i].actor));
        document_add(document, or_dash(items[i].note));
    }
}

void report_of_result(const struct report_context *context, const struct result_facts *facts,
                      struct report_document *document)
{
    report_start(context, document, facts->design->project->project_name);
    document->subtitle = arena_print(context->arena, "%s \xC2\xB7 %s",
                                     report_label(context, "export.result_title"), facts->now);
    add_situation(context, facts, document);
    add_texts(context, document, "export.blockers", &facts->decision->blockers);
    add_texts(context, document, "export.reasons", &facts->decision->reasons);
    add_changes(context, document, &facts->decision->what_would_change);
    add_scorecard(context, facts->stats, document);
    result_add_adjusted(context, facts->stats, document);
    add_intervals(context, facts->stats, document);
    result_add_segments(context, facts->slices, document);
    add_arms(context, facts->stats, document);
    add_quality(context, facts->stats, document);
    result_add_checks(context, facts->quality, document);
    add_plan(context, facts, document);
    add_outcomes(context, facts->outcomes, document);
    add_course(context, facts->course, document);
}
