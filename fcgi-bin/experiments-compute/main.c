/* The experiments service, family compute: routes that may take long, in a pool of their own so
 * that quick requests do not wait behind them. Routes only. */
#include "experiments-compute/adjusted.h"
#include "experiments-compute/always_valid.h"
#include "experiments-compute/arms.h"
#include "experiments-compute/assignment.h"
#include "experiments-compute/bandit.h"
#include "experiments-compute/bayes.h"
#include "experiments-compute/categorical.h"
#include "experiments-compute/cluster.h"
#include "experiments-compute/omnibus.h"
#include "experiments-compute/paired.h"
#include "experiments-compute/ratio.h"
#include "experiments-compute/results.h"
#include "experiments-compute/sequential.h"
#include "experiments-compute/statistics.h"
#include "experiments-compute/survival.h"
#include "experiments-compute/switchback.h"
#include "experiments/sequential/always_valid_reading.h"
#include "experiments/sequential/hybrid_design.h"
#include "experiments/sequential/sequential_schema.h"
#include "experiments/service.h"

/* When processors are scarce, the quick families have priority. */
enum { NICENESS = 10 };

static const struct route routes[] = {
    {.method = METHOD_POST,
     .path = "/api/v1/results",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &results_request_schema,
     .reply = &results_reply_schema,
     .cost = results_cost,
     .handler = results_handle,
     .name = "results",
     .tag = "calculations",
     .summary = "Analyse a finished test",
     .help = "Difference, interval, p-value and verdict for two arms."},
    {.method = METHOD_POST,
     .path = "/api/v1/results/paired",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &paired_request_schema,
     .reply = &paired_reply_schema,
     .cost = paired_cost,
     .handler = paired_handle,
     .name = "results_paired",
     .tag = "calculations",
     .summary = "Analyse paired measurements",
     .help = "Two measurements of each user: paired t-test, Wilcoxon's signed-rank test, McNemar's "
             "test."},
    {.method = METHOD_POST,
     .path = "/api/v1/results/ratio",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &ratio_request_schema,
     .reply = &results_reply_schema,
     .cost = ratio_cost,
     .handler = ratio_handle,
     .name = "results_ratio",
     .tag = "calculations",
     .summary = "Compare two ratios of totals",
     .help = "Numerator and denominator of every user of two arms: the difference of the ratios by "
             "the delta method."},
    {.method = METHOD_POST,
     .path = "/api/v1/results/adjusted",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &adjusted_request_schema,
     .reply = &adjusted_reply_schema,
     .cost = adjusted_cost,
     .handler = adjusted_handle,
     .name = "results_adjusted",
     .tag = "calculations",
     .summary = "Compare arms adjusted by covariates",
     .help =
         "What was known of the users before the experiment makes intervals shorter: regression "
         "with slopes per arm and robust errors, for means, rates, counts and ratios. Users "
         "without a covariate count too."},
    {.method = METHOD_POST,
     .path = "/api/v1/results/statistics",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &statistics_request_schema,
     .reply = &results_reply_schema,
     .cost = statistics_cost,
     .handler = statistics_handle,
     .name = "results_statistics",
     .tag = "calculations",
     .summary = "Analyse sums and counts",
     .help = "The analyses of two arms from users, sums, squares and products, or from counts per "
             "value: what a database can add up. The answers are those of the values."},
    {.method = METHOD_POST,
     .path = "/api/v1/results/categorical",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &categorical_request_schema,
     .reply = &categorical_reply_schema,
     .cost = categorical_cost,
     .handler = categorical_handle,
     .name = "results_categorical",
     .tag = "calculations",
     .summary = "Test a table of counts",
     .help = "Chi-square or G of a table of any size, and how strong the association is."},
    {.method = METHOD_POST,
     .path = "/api/v1/results/omnibus",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &omnibus_request_schema,
     .reply = &omnibus_reply_schema,
     .cost = omnibus_cost,
     .handler = omnibus_handle,
     .name = "results_omnibus",
     .tag = "calculations",
     .summary = "Compare several groups at once",
     .help = "Welch's analysis of variance, or the Kruskal-Wallis test of ranks."},
    {.method = METHOD_POST,
     .path = "/api/v1/results/survival",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &survival_request_schema,
     .reply = &survival_reply_schema,
     .cost = survival_cost,
     .handler = survival_handle,
     .name = "results_survival",
     .tag = "calculations",
     .summary = "Compare times until an event",
     .help = "Kaplan-Meier curves, and the log-rank test, its Fleming-Harrington weights or a Cox "
             "model."},
    {.method = METHOD_POST,
     .path = "/api/v1/results/arms",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &arms_request_schema,
     .reply = &arms_reply_schema,
     .cost = arms_cost,
     .handler = arms_handle,
     .name = "results_arms",
     .tag = "calculations",
     .summary = "Compare several arms with the control",
     .help = "Means or rates of up to ten arms: simultaneous intervals and adjusted p-values by "
             "Dunnett, Holm or Bonferroni."},
    {.method = METHOD_POST,
     .path = "/api/v1/results/cluster",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &cluster_request_schema,
     .reply = &cluster_reply_schema,
     .cost = cluster_cost,
     .handler = cluster_handle,
     .name = "results_cluster",
     .tag = "calculations",
     .summary = "Compare two arms of clusters",
     .help = "Shops, classes or cities were assigned, users are measured: means, rates or ratios, "
             "with covariates, by the cluster-robust variance CR2 and Satterthwaite degrees of "
             "freedom."},
    {.method = METHOD_POST,
     .path = "/api/v1/results/switchback",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &switchback_request_schema,
     .reply = &switchback_reply_schema,
     .cost = switchback_cost,
     .handler = switchback_handle,
     .name = "results_switchback",
     .tag = "calculations",
     .summary = "Compare two arms that took turns",
     .help = "Slots of time were assigned: the difference by the cluster-robust variance CR2, "
             "without the beginning of every slot, and what is left of the slot before."},
    {.method = METHOD_POST,
     .path = "/api/v1/results/always-valid",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &always_valid_request_schema,
     .reply = &always_valid_reply_schema,
     .cost = always_valid_cost,
     .handler = always_valid_handle,
     .name = "results_always_valid",
     .tag = "calculations",
     .summary = "Compare two arms at any time",
     .help = "Confidence sequences: intervals and p-values that hold at all looks together, for "
             "means, rates, ratios and quantiles, adjusted by a covariate if wanted."},
    {.method = METHOD_POST,
     .path = "/api/v1/sequential/design",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &sequential_plan_schema,
     .reply = &sequential_design_reply_schema,
     .cost = sequential_design_cost,
     .handler = sequential_design_handle,
     .name = "sequential_design",
     .tag = "calculations",
     .summary = "Plan a group sequential test",
     .help = "Boundaries by a spending function at looks of any information fractions, with "
             "futility if wanted, and the size that the power needs."},
    {.method = METHOD_POST,
     .path = "/api/v1/sequential/monitor",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &sequential_monitor_request_schema,
     .reply = &sequential_monitor_reply_schema,
     .cost = sequential_monitor_cost,
     .handler = sequential_monitor_handle,
     .name = "sequential_monitor",
     .tag = "calculations",
     .summary = "Read a group sequential test",
     .help = "Whether observed looks stop the test; repeated and adjusted intervals, p-values and "
             "estimates; the power that is left."},
    {.method = METHOD_POST,
     .path = "/api/v1/sequential/hybrid",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &hybrid_request_schema,
     .reply = &hybrid_reply_schema,
     .cost = hybrid_cost,
     .handler = hybrid_handle,
     .name = "sequential_hybrid",
     .tag = "calculations",
     .summary = "Plan and read a hybrid test",
     .help = "A test that may be read at any time until its planned end, where one test of fixed "
             "strength follows; together they keep alpha. What it costs, and what a look says."},
    {.method = METHOD_POST,
     .path = "/api/v1/results/bayes",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &bayes_request_schema,
     .reply = &bayes_reply_schema,
     .cost = bayes_cost,
     .handler = bayes_handle,
     .name = "results_bayes",
     .tag = "calculations",
     .summary = "Compare two to ten arms by their posteriors",
     .help = "Conjugate posteriors, the probability of being best and the expected loss as exact "
             "integrals, credible intervals; whether to stop by the expected loss, and how often "
             "that would be wrong."},
    {.method = METHOD_POST,
     .path = "/api/v1/simulate/bandit",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS | TRAIT_HEAVY,
     .body = &bandit_request_schema,
     .reply = &bandit_reply_schema,
     .cost = bandit_request_cost,
     .handler = bandit_handle,
     .name = "simulate_bandit",
     .tag = "calculations",
     .summary = "Simulate a bandit",
     .help = "Thompson sampling on arms with the given rates: how traffic would have moved to the "
             "best arm, and what that would have saved over an even split."},
    {.method = METHOD_POST,
     .path = "/api/v1/assignment/preview",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &assignment_request_schema,
     .reply = &assignment_reply_schema,
     .cost = assignment_request_cost,
     .handler = assignment_handle,
     .name = "assignment_preview",
     .tag = "calculations",
     .summary = "Try a split on made-up users",
     .help = "The hashing of live assignment, applied to numbered users: how many each variation "
             "gets, and which the first users get."},
};

static const struct http_family family = {.service = &experiments_service,
                                          .name = "compute",
                                          ROUTES(routes),
                                          .without_storage = true,
                                          .niceness = NICENESS};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
