/* The support service, family mcp: its routes as tools of language models. It has no data of
 * its own and admits everybody: each call of a tool is checked by the route that it becomes.
 * Routes only. */
#include "mcp/mcp.h"
#include "support/service.h"

static const struct mcp_service services[] = {{"support", NULL}};

static const struct mcp_resource resources[] = {
    {"support/documents", "Document", "A document that answers are taken from", "support",
     "documents", "documents", "id", "filename", "document"},
};

static const struct mcp_prompt prompts[] = {
    {"answer_with_sources",
     "Answer from our documents",
     "An answer with its sources, or the word that there is none",
     {{"question", "What the customer asks", true}},
     "A customer asks: {question}. Answer it from our documents alone: use the tool ask, name the "
     "sources, and say so when they do not answer it. If the answer is doubtful, offer to send it "
     "to review."},
};

static const struct mcp_offer offer = {
    .name = "assay-support",
    .title = "Assay support",
    .instructions = "Answers questions from documents, with sources, and keeps the inbox of the "
                    "support team. Tools that "
                    "change something need confirm_call: true; ask the person first. Long answers "
                    "are cut: go on "
                    "with answer_from.",
    .services = services,
    .service_count = COUNT_OF(services),
    .resources = resources,
    .resource_count = COUNT_OF(resources),
    .prompts = prompts,
    .prompt_count = COUNT_OF(prompts),
    .probe_pool = "support-documents",
    .probe_path = "/api/documents",
};

static enum error handle(struct request *request, struct reply *reply)
{
    return mcp_handle(request, reply, &offer);
}

static const struct route routes[] = {{MCP_ROUTE, .handler = handle}};

static const struct http_family family = {.service = &support_service,
                                          .name = "mcp",
                                          ROUTES(routes),
                                          .without_storage = true,
                                          .concurrent = true};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
