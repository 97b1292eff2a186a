/*
 * The tools, prompts and resources that the official conformance suite of MCP asks a server for,
 * on common/mcp as every service has it. Two families in one program: under the name
 * experiments-chat the routes that are the tools, under experiments-mcp the address /mcp, which
 * offers them with all tools of experiments. tests/api/mcp_conformance_test.py starts it.
 */
#include "experiments/service.h"
#include "mcp/mcp.h"

#include <string.h>

static enum error text_handle(struct request *request, struct reply *reply)
{
    (void)request;
    reply->content_type = "text/plain";
    text_append_string(&reply->body, "This is a simple text response for testing.");
    return ERROR_NONE;
}

static enum error send_bytes(struct reply *reply, const char *type, const char *bytes,
                             size_t length)
{
    reply->content_type = type;
    text_append(&reply->body, bytes, length);
    return ERROR_NONE;
}

/* The beginnings of files: nobody decodes them. */
static enum error image_handle(struct request *request, struct reply *reply)
{
    static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

    (void)request;
    return send_bytes(reply, "image/png", png, sizeof png - 1);
}

static enum error audio_handle(struct request *request, struct reply *reply)
{
    static const char wav[] = "RIFF\xff\xff\xff\xffWAVEfmt ";

    (void)request;
    return send_bytes(reply, "audio/wav", wav, sizeof wav - 1);
}

static enum error file_handle(struct request *request, struct reply *reply)
{
    static const char zip[] = "PK\x03\x04\xff\xfe";

    (void)request;
    return send_bytes(reply, "application/zip", zip, sizeof zip - 1);
}

static enum error error_handle(struct request *request, struct reply *reply)
{
    (void)reply;
    return problem_set(&request->problem, ERROR_CONFLICT, "conflict",
                       "This tool intentionally returns an error for testing");
}

#define TOOL(ending, tool, text, ...)                                                              \
    {                                                                                              \
        .method = METHOD_GET, .path = "/api/conformance/" ending, .name = tool,                    \
        .tag = "conformance", .summary = text, __VA_ARGS__                                         \
    }

static const struct route tools[] = {
    TOOL("text", "test_simple_text", "A text", .media_type = "text/plain", .handler = text_handle),
    TOOL("image", "test_image_content", "A picture", .media_type = "image/png",
         .handler = image_handle),
    TOOL("audio", "test_audio_content", "A sound", .media_type = "audio/wav",
         .handler = audio_handle),
    TOOL("file", "test_embedded_resource", "A file", .media_type = "application/zip",
         .handler = file_handle),
    TOOL("error", "test_error_handling", "An error", .media_type = "text/plain",
         .errors = ERRORS(409), .handler = error_handle),
};

static const struct http_family tools_family = {
    .service = &experiments_service, .name = "chat", ROUTES(tools)};

static const struct mcp_service services[] = {{"experiments", NULL}};

static const struct mcp_prompt prompts[] = {
    {"test_simple_prompt", "Simple", "Without arguments", {{0}}, "This is a simple prompt."},
    {"test_prompt_with_arguments",
     "Arguments",
     "With two arguments",
     {{"arg1", "The first", true, NULL}, {"arg2", "The second", true, NULL}},
     "Prompt with arguments: {arg1} and {arg2}"},
};

static const struct mcp_resource resources[] = {
    {"experiments/projects", "Project", "A design of a test", "experiments", "list_projects",
     "projects", "id", "project_name", "read_project"},
};

static const struct mcp_offer offer = {.name = "assay-conformance",
                                       .title = "Conformance",
                                       .instructions = "Call the tools of the conformance suite.",
                                       .services = services,
                                       .service_count = COUNT_OF(services),
                                       .resources = resources,
                                       .resource_count = COUNT_OF(resources),
                                       .prompts = prompts,
                                       .prompt_count = COUNT_OF(prompts)};

static enum error handle(struct request *request, struct reply *reply)
{
    return mcp_handle(request, reply, &offer);
}

static const struct route routes[] = {{MCP_ROUTE, .handler = handle}};

static const struct http_family mcp_family = {.service = &experiments_service,
                                              .name = "mcp",
                                              ROUTES(routes),
                                              .without_storage = true,
                                              .concurrent = true};

int main(int argc, char **argv)
{
    return responder_main(argc, argv,
                          strstr(argv[0], "experiments-mcp") ? &mcp_family : &tools_family);
}
