/* The orchestrator service, family mcp: its routes as tools of language models. It has no data of
 * its own and admits everybody: each call of a tool is checked by the route that it becomes.
 * Routes only. */
#include "mcp/mcp.h"
#include "orchestrator/service.h"

static const struct mcp_service services[] = {{"orchestrator", NULL}};

static const struct mcp_resource resources[] = {
    {"orchestrator/tasks", "Task", "A prompt, what the models answered, and what it cost",
     "orchestrator", "tasks", NULL, "task_id", "prompt", "task"},
};

static const struct mcp_prompt prompts[] = {
    {"compare_models",
     "Compare two models",
     "Two answers to one prompt, side by side, within a budget",
     {{"prompt", "What the models are asked", true},
      {"models", "Which ones; else choose two that differ in price", false},
      {"budget", "The most it may cost, in dollars", false}},
     "Compare models. Prompt: {prompt}. Models: {models}. Budget in dollars: {budget}. Look at the "
     "list of models first, choose those that are ready, run the comparison within the budget, and "
     "show the answers side by side with cost and time of each."},
};

static const struct mcp_offer offer = {
    .name = "assay-orchestrator",
    .title = "Assay orchestrator",
    .instructions = "Sends a prompt to several language models and keeps to a budget. Tools that "
                    "change something need confirm_call: true; ask the person first. Long answers "
                    "are cut: go on "
                    "with answer_from.",
    .services = services,
    .service_count = COUNT_OF(services),
    .resources = resources,
    .resource_count = COUNT_OF(resources),
    .prompts = prompts,
    .prompt_count = COUNT_OF(prompts),
    .probe_pool = "orchestrator-light",
    .probe_path = "/api/v1/models",
};

static enum error handle(struct request *request, struct reply *reply)
{
    return mcp_handle(request, reply, &offer);
}

static const struct route routes[] = {
    {MCP_ROUTE, .traits = TRAIT_PUBLIC | TRAIT_UNLIMITED, .handler = handle}};

static const struct http_family family = {.service = &orchestrator_service,
                                          .name = "mcp",
                                          ROUTES(routes),
                                          .without_storage = true,
                                          .concurrent = true};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
