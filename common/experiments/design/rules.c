/* The warnings of designs. A rule is a row: code, text and condition. */
#include "experiments/design/rules.h"

#include <math.h>
#include <string.h>

struct rule {
    const char *code;
    const char *severity;
    const char *message_key;
    bool (*holds)(const struct rules_facts *facts);
};

static bool missing_variance(const struct rules_facts *facts)
{
    return facts->request->metric_type == METRIC_CONTINUOUS && !facts->request->std_dev.given;
}

static int64_t days(const struct rules_facts *facts)
{
    return facts->days ? facts->days : facts->plan->estimated_duration_days;
}

static bool long_duration(const struct rules_facts *facts)
{
    return days(facts) > RULES_LONG_DURATION_DAYS;
}

static bool low_traffic(const struct rules_facts *facts)
{
    double traffic = facts->plan->allocated_daily_traffic;

    return traffic > 0 && traffic < RULES_LOW_TRAFFIC;
}

static bool many_variants(const struct rules_facts *facts)
{
    return facts->request->variants_count > 2;
}

static bool many_variants_low_traffic(const struct rules_facts *facts)
{
    double needed = (double)RULES_LOW_TRAFFIC_PER_VARIANT * (double)facts->request->variants_count;

    return many_variants(facts) && facts->plan->allocated_daily_traffic < needed;
}

static bool cluster_randomization(const struct rules_facts *facts)
{
    const char *unit = facts->request->randomization_unit;

    return unit && strcmp(unit, "cluster") == 0;
}

static bool says_yes(struct optional_boolean flag)
{
    return flag.given && flag.value;
}

static bool seasonality_present(const struct rules_facts *facts)
{
    return says_yes(facts->request->seasonality_present);
}

static bool campaign_contamination(const struct rules_facts *facts)
{
    return says_yes(facts->request->active_campaigns_present);
}

static bool underpowered_design(const struct rules_facts *facts)
{
    return facts->request->power < 0.8;
}

static bool long_test_not_possible(const struct rules_facts *facts)
{
    struct optional_boolean possible = facts->request->long_test_possible;

    return possible.given && !possible.value && days(facts) > RULES_SHORT_TEST_DAYS;
}

static bool interim_looks(const struct rules_facts *facts)
{
    return facts->request->n_looks > 1 && facts->inflation_factor > 1;
}

static bool srm_detected(const struct rules_facts *facts)
{
    return facts->srm && facts->srm->is_srm;
}

static double split_cost_pct(const struct rules_facts *facts)
{
    if (facts->total && facts->even_total)
        return 100 * ((double)facts->total / (double)facts->even_total - 1);
    return facts->allocation ? 100 * (facts->allocation->total_ratio - 1) : 0;
}

static bool unequal_split(const struct rules_facts *facts)
{
    return facts->allocation && facts->allocation->unequal &&
           fabs(split_cost_pct(facts)) > RULES_SPLIT_COST_PCT;
}

static bool approximate_size(const struct rules_facts *facts)
{
    return facts->verified && facts->verified->differs;
}

static const struct rule rules[] = {
    {"MISSING_VARIANCE", "high", "warnings.missing_variance", missing_variance},
    {"LONG_DURATION", "high", "warnings.long_duration", long_duration},
    {"LOW_TRAFFIC", "medium", "warnings.low_traffic", low_traffic},
    {"CONSERVATIVE_MULTIVARIANT_ALPHA", "medium", "warnings.conservative_multivariant_alpha",
     many_variants},
    {"MANY_VARIANTS_LOW_TRAFFIC", "high", "warnings.many_variants_low_traffic",
     many_variants_low_traffic},
    {"CLUSTER_RANDOMIZATION", "high", "warnings.cluster_randomization", cluster_randomization},
    {"SEASONALITY_PRESENT", "medium", "warnings.seasonality_present", seasonality_present},
    {"CAMPAIGN_CONTAMINATION", "medium", "warnings.campaign_contamination", campaign_contamination},
    {"UNDERPOWERED_DESIGN", "medium", "warnings.underpowered_design", underpowered_design},
    {"LONG_TEST_NOT_POSSIBLE", "high", "warnings.long_test_not_possible", long_test_not_possible},
    {"INTERIM_LOOKS_INCREASE_SAMPLE", "medium", "warnings.interim_looks_increase_sample",
     interim_looks},
    {"SRM_DETECTED", "high", "warnings.srm_detected", srm_detected},
    {"UNEQUAL_SPLIT", "medium", "warnings.unequal_split", unequal_split},
    {"APPROXIMATE_SIZE", "medium", "warnings.approximate_size", approximate_size},
};

enum { RULE_COUNT = sizeof rules / sizeof rules[0] };

static const char *print_count(struct arena *arena, int64_t count)
{
    return arena_print(arena, "%lld", (long long)count);
}

struct object_list rules_evaluate(const struct rules_facts *facts, const struct locale *locale,
                                  struct arena *arena)
{
    struct warning *warnings = ARENA_ARRAY(arena, struct warning, RULE_COUNT);
    const struct verified_plan *verified = facts->verified;
    const struct text_argument arguments[] = {
        {"max_days", arena_print(arena, "%d", RULES_LONG_DURATION_DAYS)},
        {"n_looks", print_count(arena, facts->request->n_looks)},
        {"pct", arena_print(arena, "%.1f", (facts->inflation_factor - 1) * 100)},
        {"days", print_count(arena, days(facts))},
        {"cost", arena_print(arena, "%+.1f", split_cost_pct(facts))},
        {"planned", print_count(arena, facts->plan->sample_size_per_variant)},
        {"verified", print_count(arena, verified ? verified->sample_size_per_variant : 0)},
        {"power", arena_print(arena, "%.1f", verified ? 100 * verified->power : 0)},
        {"target", arena_print(arena, "%g", 100 * facts->request->power)},
    };
    size_t count = 0;

    for (size_t i = 0; i < RULE_COUNT; i++) {
        const struct rule *rule = &rules[i];

        if (!rule->holds(facts))
            continue;
        warnings[count++] = (struct warning){
            .code = rule->code,
            .severity = rule->severity,
            .message = locale_format(locale, arena, rule->message_key, arguments,
                                     sizeof arguments / sizeof arguments[0]),
            .source = "rules_engine",
        };
    }
    return (struct object_list){.count = count, .items = warnings};
}
