/* The livedata service, family mcp: its routes as tools of language models. It has no data of
 * its own and admits everybody: each call of a tool is checked by the route that it becomes.
 * Routes only. */
#include "livedata/service.h"
#include "mcp/mcp.h"

static const struct mcp_service services[] = {{"livedata", NULL}};

static const struct mcp_resource resources[] = {
    {"livedata/metrics", "Metric", "The value of a metric now, and its age", "livedata",
     "get_catalog", "metrics", "name", "name", "get_metric"},
};

static const struct mcp_prompt prompts[] = {
    {"what_changed",
     "What changed since yesterday?",
     "Metrics that moved, with their freshness",
     {{"focus", "Metrics or an area, if not all", false}},
     "What changed since yesterday? Focus: {focus}. Read the catalog, then the series of the "
     "metrics, compare the last day with the day before, and list what moved by more than its "
     "usual "
     "spread. Say how fresh each figure is, and leave out what is stale."},
};

static const struct mcp_offer offer = {
    .name = "assay-livedata",
    .title = "Assay live data",
    .instructions = "Says what is true right now, and how fresh that is. Tools that "
                    "change something need confirm_call: true; ask the person first. Long answers "
                    "are cut: go on "
                    "with answer_from.",
    .services = services,
    .service_count = COUNT_OF(services),
    .resources = resources,
    .resource_count = COUNT_OF(resources),
    .prompts = prompts,
    .prompt_count = COUNT_OF(prompts),
    .probe_pool = "livedata-read",
    .probe_path = "/v1/catalog",
};

static enum error handle(struct request *request, struct reply *reply)
{
    return mcp_handle(request, reply, &offer);
}

static const struct route routes[] = {{MCP_ROUTE, .traits = TRAIT_RELAYED, .handler = handle}};

static const struct http_family family = {.service = &livedata_service,
                                          .name = "mcp",
                                          ROUTES(routes),
                                          .without_storage = true,
                                          .concurrent = true};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
