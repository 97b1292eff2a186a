/* The accounts service, family mcp: the tools of the whole suite at one address. It runs with every
 * selection of services, and offers those that run. Each call of a tool is checked by the route
 * that it becomes. Routes only. */
#include "accounts/service.h"
#include "mcp/mcp.h"

/* The prefixes are those of nginx/services. */
static const struct mcp_service services[] = {
    {"experiments", "/experiments"}, {"support", "/support"},   {"livedata", "/data"},
    {"orchestrator", "/models"},     {"accounts", "/accounts"},
};

/* Enough for the common jobs, few enough for a model to keep them in mind. */
static const char *const chosen[] = {
    "experiments_calculate",
    "experiments_results",
    "experiments_list_projects",
    "experiments_read_project",
    "experiments_create_project",
    "experiments_update_project",
    "experiments_compare_projects",
    "experiments_list_experiments",
    "experiments_read_live_stats",
    "experiments_read_decision",
    "experiments_read_quality",
    "experiments_decide",
    "experiments_read_flag",
    "experiments_list_metrics",
    "support_ask",
    "support_documents",
    "support_document",
    "support_tickets",
    "support_escalate",
    "support_review_queue",
    "livedata_get_catalog",
    "livedata_get_metric",
    "livedata_get_metric_series",
    "livedata_query",
    "livedata_get_entity",
    "livedata_search",
    "livedata_get_all_slo_series",
    "livedata_list_alerts",
    "livedata_preview_alert",
    "livedata_try_alert",
    "livedata_create_alert",
    "orchestrator_models",
    "orchestrator_compare",
    "orchestrator_smart",
    "orchestrator_task",
    "orchestrator_tasks",
    "orchestrator_readiness",
    "accounts_session",
};
_Static_assert(COUNT_OF(chosen) <= 38, "with find_tool and call_tool at most 40 tools are listed");

static const struct mcp_resource resources[] = {
    {"experiments/projects", "Project", "A design of a test, with its analyses", "experiments",
     "list_projects", "projects", "id", "project_name", "read_project"},
    {"support/documents", "Document", "A document that answers are taken from", "support",
     "documents", "documents", "id", "filename", "document"},
    {"livedata/metrics", "Metric", "The value of a metric now, and its age", "livedata",
     "get_catalog", "metrics", "name", "name", "get_metric"},
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
     "the smallest effect that matters, significance level and power), use the tool "
     "experiments_calculate, and say in plain words how many users each variant needs, how many "
     "days that takes, and what could make the result worthless."},
    {"check_decision",
     "Is this decision sound?",
     "Checks the result of a running or ended test before somebody ships it",
     {{"experiment", "The id or the name of the experiment", true, "experiments/projects"}},
     "Is the decision about the experiment {experiment} sound? Read its plan and its live results. "
     "Check the traffic split, whether it has the planned size, whether somebody looked and "
     "stopped "
     "early, the guardrails, and how wide the interval is. Then say: ship, do not ship, or go on, "
     "and why. Name each figure with the tool that gave it."},
    {"what_changed",
     "What changed since yesterday?",
     "Metrics, experiments and tickets that moved",
     {{"focus", "An area, if not everything", false}},
     "What changed since yesterday? Focus: {focus}. Look at the metrics of live data and their "
     "series, at the running experiments and at the open tickets. List what moved by more than its "
     "usual spread, what was decided, and what waits for somebody. Say how fresh each figure is, "
     "and leave out what is stale."},
};

static const struct mcp_offer offer = {
    .name = "assay",
    .title = "Assay",
    .instructions =
        "The whole suite: experiments (plan tests, read results), support (answers from documents, "
        "tickets), live data (what is true now), orchestrator (several language models). Only "
        "common tools are listed: find others with find_tool and call them with call_tool. Tools "
        "that change something need confirm_call: true; ask the person first. Long answers are "
        "cut: go "
        "on with answer_from.",
    .services = services,
    .service_count = COUNT_OF(services),
    .chosen = chosen,
    .chosen_count = COUNT_OF(chosen),
    .resources = resources,
    .resource_count = COUNT_OF(resources),
    .prompts = prompts,
    .prompt_count = COUNT_OF(prompts),
    .probe_pool = "accounts-people",
    .probe_prefix = "/accounts",
    .probe_path = "/api/session",
};

static enum error handle(struct request *request, struct reply *reply)
{
    return mcp_handle(request, reply, &offer);
}

static const struct route routes[] = {{MCP_ROUTE, .body_limit = MESSAGE_LIMIT, .handler = handle}};

static const struct http_family family = {.service = &accounts_service,
                                          .name = "mcp",
                                          ROUTES(routes),
                                          .without_storage = true,
                                          .concurrent = true};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
