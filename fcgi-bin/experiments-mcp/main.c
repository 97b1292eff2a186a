/* The experiments service, family mcp: its routes as tools of language models. It has no data of
 * its own and admits everybody: each call of a tool is checked by the route that it becomes.
 * Routes only. */
#include "experiments/service.h"
#include "mcp/mcp.h"

static const struct mcp_service services[] = {{"experiments", NULL}};

static const struct mcp_resource resources[] = {
    {"experiments/projects", "Project", "A design of a test, with its analyses", "experiments",
     "list_projects", "projects", "id", "project_name", "read_project"},
};

static const struct mcp_prompt prompts[] = {
    {"size_test",
     "Size this test",
     "How many users a test needs, and how long it takes",
     {{"change", "What is to be tested", true},
      {"metric", "The metric that decides, and its value now", true},
      {"traffic", "Users a day that could take part", false}},
     "I want to test this change: {change}. The metric that decides is: {metric}. Users a day: "
     "{traffic}. Work out how large the test has to be. Ask me for what is missing (the baseline, "
     "the smallest effect that matters, significance level and power), use the tool calculate, and "
     "say in plain words how many users each variant needs, how many days that takes, and what "
     "could make the result worthless."},
    {"check_decision",
     "Is this decision sound?",
     "Checks the result of a running or ended test before somebody ships it",
     {{"experiment", "The id or the name of the experiment", true, "experiments/projects"}},
     "Is the decision about the experiment {experiment} sound? Read its plan and its live results. "
     "Check the traffic split, whether it has the planned size, whether somebody looked and "
     "stopped "
     "early, the guardrails, and how wide the interval is. Then say: ship, do not ship, or go on, "
     "and why. Name each figure with the tool that gave it."},
};

static const struct mcp_offer offer = {
    .name = "assay-experiments",
    .title = "Assay experiments",
    .instructions =
        "Plans A/B tests, runs them and reads their results. Figures come from the tools; never "
        "compute statistics yourself. Tools that change something need confirm_call: true; ask the "
        "person first. Long answers are cut: go on with answer_from.",
    .services = services,
    .service_count = COUNT_OF(services),
    .resources = resources,
    .resource_count = COUNT_OF(resources),
    .prompts = prompts,
    .prompt_count = COUNT_OF(prompts),
    .probe_pool = "experiments-projects",
    .probe_path = "/api/v1/metrics",
};

static enum error handle(struct request *request, struct reply *reply)
{
    return mcp_handle(request, reply, &offer);
}

static const struct route routes[] = {{MCP_ROUTE, .handler = handle}};

static const struct http_family family = {.service = &experiments_service,
                                          .name = "mcp",
                                          ROUTES(routes),
                                          .without_storage = true,
                                          .concurrent = true};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
