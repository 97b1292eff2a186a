/* The experiments service, family analysis: stateless computations. Routes only. */
#include "experiments-analysis/calculate.h"
#include "experiments-analysis/design.h"
#include "experiments-analysis/design_solve.h"
#include "experiments-analysis/multiple_testing.h"
#include "experiments-analysis/sensitivity.h"
#include "experiments-analysis/srm_check.h"
#include "experiments/payloads/analysis_payload.h"
#include "experiments/payloads/payload.h"
#include "experiments/service.h"

static const struct route routes[] = {
    {.method = METHOD_POST,
     .path = "/api/v1/calculate",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &calculate_request_schema,
     .reply = &calculation_schema,
     .cost = calculate_cost,
     .handler = calculate_handle,
     .name = "calculate",
     .tag = "calculations",
     .summary = "Size a test",
     .help = "Users per variant, total and duration of a design, with warnings, assumptions, a "
             "power curve, and the companions that apply: CUPED, Bayesian precision, group "
             "sequential boundaries, design effect."},
    {.method = METHOD_POST,
     .path = "/api/v1/srm-check",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &srm_request_schema,
     .reply = &srm_reply_schema,
     .handler = srm_handle,
     .name = "srm_check",
     .tag = "calculations",
     .summary = "Check the traffic split",
     .help = "Sample ratio mismatch: do the observed users fit the planned shares?"},
    {.method = METHOD_POST,
     .path = "/api/v1/design",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &design_schema,
     .reply = &analysis_report_schema,
     .errors = ERRORS(422),
     .cost = design_cost,
     .handler = design_handle,
     .name = "design",
     .tag = "calculations",
     .summary = "Report on a design",
     .help = "Sizes a whole design and words the report on it: summary, plan, metrics, what the "
             "guardrails can show, risks, recommendations and open questions."},
    {.method = METHOD_POST,
     .path = "/api/v1/design/solve",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &solve_request_schema,
     .reply = &solve_reply_schema,
     .cost = design_solve_cost,
     .handler = design_solve_handle,
     .name = "design_solve",
     .tag = "calculations",
     .summary = "Solve a plan for one number",
     .help = "Effect, power, size or days from the others: two-sided, one-sided, non-inferiority "
             "or equivalence; any or the best allocation; Bonferroni, Holm or Dunnett; clusters "
             "and switchbacks; ratios from past sums; with a simulation of the plan if asked."},
    {.method = METHOD_POST,
     .path = "/api/v1/sensitivity",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &sensitivity_request_schema,
     .reply = &sensitivity_reply_schema,
     .handler = sensitivity_handle,
     .name = "sensitivity",
     .tag = "calculations",
     .summary = "Size a grid of tests",
     .help =
         "Users and days for every pair of an effect and a power. Cells that have no plan, such "
         "as a rate that would pass 100%, are null and say why."},
    {.method = METHOD_POST,
     .path = "/api/v1/multiple-testing",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS,
     .body = &multiple_testing_request_schema,
     .reply = &multiple_testing_reply_schema,
     .handler = multiple_testing_handle,
     .name = "multiple_testing",
     .tag = "calculations",
     .summary = "Adjust many p-values",
     .help = "Benjamini-Hochberg or Holm: which metrics still count when several are read."},
};

static const struct http_family family = {
    .service = &experiments_service, .name = "analysis", ROUTES(routes), .without_storage = true};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
