/* Schemas of clusters and switchbacks. */
#include "experiments/payloads/payload_clusters.h"

#include "experiments/analyses/switchback_analysis.h"

enum { UNIT_MAX_LENGTH = 100 };

static const char *const assignment_names[SWITCHBACK_ASSIGNMENT__MAX] = {"random", "alternating"};

#define OWNER struct payload_switchback
static const struct field switchback_fields[] = {
    TIME(OWNER, starts_at, .required = true, .help = "When the first period begins."),
    NUMBER(OWNER, period_minutes, .required = true, .lower = AT_LEAST(1), .upper = AT_MOST(525600)),
    INTEGER(OWNER, periods, .required = true, .lower = AT_LEAST(2),
            .upper = AT_MOST(PAYLOAD_PERIODS_MAX)),
    NUMBER(OWNER, washout_minutes, .lower = AT_LEAST(0),
           .help =
               "Users of so much time at the beginning of every period are left out, because the "
               "variation of the period before still has effects."),
    CHOICE(OWNER, assignment, assignment_names, .choice_count = SWITCHBACK_ASSIGNMENT__MAX,
           .help = "random: every period of every cluster by itself, by the traffic split. "
                   "alternating: one variation after the other, from one that differs by cluster; "
                   "all have the same number of turns, whatever the split."),
    CHOICE(OWNER, cluster_by, switchback_cluster_names, .choice_count = SWITCHBACK_CLUSTERS__MAX,
           .help = "What errors are clustered by: slot when every period of every cluster was "
                   "assigned by itself; unit when clusters follow schedules."),
};
#undef OWNER

static bool washout_is_shorter(const void *object)
{
    const struct payload_switchback *switchback = object;

    return switchback->washout_minutes < switchback->period_minutes;
}

static const struct schema_rule switchback_rules[] = {
    {"errors.schemas.switchback_plan_washout", washout_is_shorter},
};
static SCHEMA(switchback_schema, struct payload_switchback, "SwitchbackPlan", switchback_fields,
              .help = "Clusters take turns: an exposure counts in the period of its time.",
              RULES(switchback_rules));

#define OWNER struct payload_clusters
static const struct field clusters_fields[] = {
    STRING(OWNER, unit, .min_length = 1, .max_length = UNIT_MAX_LENGTH, .default_text = "cluster",
           .help = "What a cluster is: shop, class, city."),
    OBJECT(OWNER, switchback, switchback_schema, .nullable = true, .omit_if_null = true),
};
#undef OWNER
SCHEMA(payload_clusters_schema, struct payload_clusters, "ClusterPlan", clusters_fields,
       .help = "Users were assigned by clusters; exposures carry the cluster.");
