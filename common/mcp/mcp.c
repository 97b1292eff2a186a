/* The transport and the life of a message: versions, errors, the answer. */
#include "mcp/mcp.h"

#include "accounts/oauth_resource.h"

#include "base/number.h"
#include "http/cookie.h"
#include "http/exposure.h"
#include "http/relay.h"
#include "http/server.h"
#include "mcp/mcp_internal.h"

#include <string.h>
#include <strings.h>

enum { RESULT_MAX = 64 * 1024 * 1024, PROBE_BYTES = 1024 * 1024, PROBE_SECONDS = 10 };

#define MODERN_VERSION "2026-07-28"
#define META "io.modelcontextprotocol/"

/* Newest first; the first two begin with `initialize`. */
static const char *const versions[] = {"2025-11-25", "2025-06-18", MODERN_VERSION};
enum { SHAKING_VERSIONS = 2, VERSIONS = 3 };

struct mcp_query {
    const char *tools;
};

static const char *const tool_choices[] = {"chosen", "all", NULL};

#define OWNER struct mcp_query
static const struct field query_fields[] = {
    STRING(OWNER, tools, .choices = tool_choices, .help = "all lists every tool at once."),
};
#undef OWNER
SCHEMA(mcp_query_schema, struct mcp_query, "McpQuery", query_fields);

void mcp_fault(struct mcp_call *call, enum mcp_code code, const char *text)
{
    call->code = code;
    call->fault = text;
}

const char *mcp_param(const struct mcp_call *call, const char *name)
{
    return json_string_value(json_object_get(call->params, name));
}

bool mcp_read_cursor(struct mcp_call *call, size_t count, size_t *from)
{
    const json_t *cursor = json_object_get(call->params, "cursor");
    int64_t at = 0;

    if (cursor && !json_is_null(cursor) &&
        (!json_is_string(cursor) || !integer_parse(json_string_value(cursor), &at) || at < 0 ||
         (size_t)at > count)) {
        mcp_fault(call, MCP_INVALID_PARAMS, "This cursor is not one of ours");
        return false;
    }
    *from = (size_t)at;
    return true;
}

static void write_server(struct json_writer *writer, const struct mcp_call *call)
{
    writer_open_object(writer);
    writer_key_string(writer, "name", call->offer->name);
    writer_key_string(writer, "title", call->offer->title);
    writer_key_string(writer, "version", call->request->server->info.version);
    writer_close_object(writer);
}

static void write_capabilities(struct json_writer *writer, const struct mcp_call *call)
{
    writer_key(writer, "capabilities");
    writer_open_object(writer);
    writer_key(writer, "tools");
    writer_raw(writer, "{}");
    if (call->offer->resource_count) {
        writer_key(writer, "resources");
        writer_raw(writer, "{}");
    }
    if (call->offer->prompt_count) {
        writer_key(writer, "prompts");
        writer_raw(writer, "{}");
    }
    if (call->offer->resource_count || call->offer->prompt_count) {
        writer_key(writer, "completions");
        writer_raw(writer, "{}");
    }
    writer_close_object(writer);
}

bool mcp_is_admitted(struct mcp_call *call)
{
    const struct mcp_offer *offer = call->offer;
    const struct relay_call probe = {.pool = offer->probe_pool,
                                     .prefix = offer->probe_prefix,
                                     .method = METHOD_GET,
                                     .path = offer->probe_path,
                                     .answer_max = PROBE_BYTES,
                                     .seconds = PROBE_SECONDS};
    struct relay_answer answer;

    if (!offer->probe_pool || relay(call->request, &probe, &answer) || answer.status != 401)
        return true;
    mcp_fault(call, MCP_UNAUTHORIZED, "Sign in, or send a token: Authorization: Bearer ...");
    return false;
}

static const char *chosen_version(const char *wanted)
{
    for (size_t i = 0; wanted && i < SHAKING_VERSIONS; i++)
        if (strcmp(versions[i], wanted) == 0)
            return wanted;
    return versions[0];
}

static void initialize(struct mcp_call *call)
{
    struct json_writer writer;

    if (!mcp_is_admitted(call))
        return;
    writer_start(&writer, &call->result);
    writer_open_object(&writer);
    writer_key_string(&writer, "protocolVersion",
                      chosen_version(mcp_param(call, "protocolVersion")));
    write_capabilities(&writer, call);
    writer_key(&writer, "serverInfo");
    write_server(&writer, call);
    writer_key_string(&writer, "instructions", call->offer->instructions);
    writer_close_object(&writer);
}

static void discover(struct mcp_call *call)
{
    struct json_writer writer;

    if (!mcp_is_admitted(call))
        return;
    writer_start(&writer, &call->result);
    writer_open_object(&writer);
    writer_key(&writer, "supportedVersions");
    writer_strings(&writer, versions, VERSIONS);
    write_capabilities(&writer, call);
    writer_key_string(&writer, "instructions", call->offer->instructions);
    writer_close_object(&writer);
}

static void ping(struct mcp_call *call)
{
    text_append_string(&call->result, "{}");
}

static const struct {
    const char *name;
    void (*answer)(struct mcp_call *call);
    bool needs_tools;
    bool may_be_kept; /* by the client, for a while (revision 2026-07-28) */
} methods[] = {
    {"initialize", initialize, false, false},
    {"server/discover", discover, false, true},
    {"ping", ping, false, false},
    {"tools/list", mcp_list_tools, true, true},
    {"tools/call", mcp_call_tool, true, false},
    {"resources/list", mcp_list_resources, true, true},
    {"resources/templates/list", mcp_list_templates, false, true},
    {"resources/read", mcp_read_resource, true, true},
    {"prompts/list", mcp_list_prompts, false, true},
    {"prompts/get", mcp_get_prompt, false, false},
    {"completion/complete", mcp_complete, true, false},
};

/* The members that revision 2026-07-28 adds to each result. */
static const char *modern_members(struct mcp_call *call, bool may_be_kept)
{
    struct json_writer writer;
    struct text more;

    text_start(&more, call->request->arena, 4096);
    writer_start(&writer, &more);
    writer_open_object(&writer);
    writer_key_string(&writer, "resultType", "complete");
    if (may_be_kept) {
        writer_key_integer(&writer, "ttlMs", 0);
        writer_key_string(&writer, "cacheScope", "private");
    }
    writer_close_object(&writer);
    return more.bytes;
}

static void answer_method(struct mcp_call *call)
{
    struct problem problem = {0};

    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        if (strcmp(methods[i].name, call->method) != 0)
            continue;
        if (methods[i].needs_tools &&
            mcp_catalog_open(call->offer, call->request->server->run_directory, &call->catalog,
                             &problem)) {
            mcp_fault(call, MCP_INTERNAL_ERROR,
                      arena_copy_string(call->request->arena, problem.text));
            return;
        }
        methods[i].answer(call);
        if (call->modern && !call->code && !call->result.overflowed) {
            const char *whole = json_join(call->request->arena, call->result.bytes,
                                          modern_members(call, methods[i].may_be_kept));

            text_cut(&call->result, 0);
            text_append_string(&call->result, whole);
        }
        return;
    }
    mcp_fault(call, MCP_METHOD_NOT_FOUND,
              arena_print(call->request->arena, "There is no method %.100s", call->method));
}

/* The status of an error: before 2026-07-28 only what is no message at all is one of HTTP. */
static int status_of(const struct mcp_call *call)
{
    switch (call->code) {
    case MCP_PARSE_ERROR:
    case MCP_INVALID_REQUEST:
    case MCP_HEADER_MISMATCH:
    case MCP_UNSUPPORTED_VERSION:
        return 400;
    case MCP_UNAUTHORIZED:
        return 401;
    case MCP_INVALID_PARAMS:
        return call->modern ? 400 : 200;
    case MCP_METHOD_NOT_FOUND:
        return call->modern ? 404 : 200;
    default:
        return 200;
    }
}

static void write_error(struct json_writer *writer, const struct mcp_call *call)
{
    writer_key(writer, "error");
    writer_open_object(writer);
    writer_key_integer(writer, "code", (int)call->code);
    writer_key_string(writer, "message", call->fault);
    if (call->code == MCP_UNSUPPORTED_VERSION) {
        const char *sent = request_header(call->request, "HTTP_MCP_PROTOCOL_VERSION");

        writer_key(writer, "data");
        writer_open_object(writer);
        writer_key(writer, "supported");
        writer_strings(writer, versions, VERSIONS);
        writer_key_string(writer, "requested", sent ? sent : "");
        writer_close_object(writer);
    }
    writer_close_object(writer);
}

/* Where a client learns how to sign in (RFC 9728): the path of this address, at its origin. */
static const char *metadata_address(const struct request *request)
{
    const char *origin = request_header(request, "SITE_ORIGIN");

    origin = oauth_origin_as_asked(request->arena, origin ? origin : "",
                                   request_header(request, "REQUEST_HOST"));
    return arena_print(request->arena, "%s/.well-known/oauth-protected-resource%s/mcp", origin,
                       request_prefix(request));
}

static void write_answer(struct mcp_call *call, const json_t *id, struct reply *reply)
{
    struct json_writer writer;

    reply->status = status_of(call);
    if (call->code == MCP_UNAUTHORIZED)
        reply_add_header(reply, "WWW-Authenticate",
                         arena_print(call->request->arena, "Bearer resource_metadata=\"%s\"",
                                     metadata_address(call->request)));
    writer_start(&writer, &reply->body);
    writer_open_object(&writer);
    writer_key_string(&writer, "jsonrpc", "2.0");
    writer_key(&writer, "id");
    if (id)
        writer_value(&writer, id);
    else
        writer_null(&writer);
    if (call->code) {
        write_error(&writer, call);
    } else {
        writer_key(&writer, "result");
        writer_raw(&writer, call->result.bytes);
    }
    writer_close_object(&writer);
}

static bool same_header(const struct request *request, const char *cgi_name, const char *value)
{
    const char *sent = request_header(request, cgi_name);

    return sent && value && strcmp(sent, value) == 0;
}

/* Names that no header can hold come encoded; nothing here depends on them. */
static bool names_agree(const struct mcp_call *call)
{
    const char *sent = request_header(call->request, "HTTP_MCP_NAME");
    const char *key = strcmp(call->method, "resources/read") == 0 ? "uri" : "name";
    const char *value = mcp_param(call, key);

    if (strcmp(call->method, "tools/call") != 0 && strcmp(call->method, "resources/read") != 0 &&
        strcmp(call->method, "prompts/get") != 0)
        return true;
    return !value || (sent && (strncmp(sent, "=?base64?", 9) == 0 || strcmp(sent, value) == 0));
}

/* Of revision 2026-07-28: each request says its version, in its body and in its header. */
static void check_modern(struct mcp_call *call, const json_t *meta)
{
    const char *version = json_string_value(json_object_get(meta, META "protocolVersion"));

    call->modern = true;
    if (!version || !json_object_get(meta, META "clientCapabilities"))
        mcp_fault(call, MCP_INVALID_PARAMS,
                  "params._meta must have " META "protocolVersion and " META "clientCapabilities");
    else if (!same_header(call->request, "HTTP_MCP_PROTOCOL_VERSION", version))
        mcp_fault(call, MCP_HEADER_MISMATCH, "MCP-Protocol-Version is not that of the body");
    else if (!same_header(call->request, "HTTP_MCP_METHOD", call->method))
        mcp_fault(call, MCP_HEADER_MISMATCH, "Mcp-Method is not that of the body");
    else if (!names_agree(call))
        mcp_fault(call, MCP_HEADER_MISMATCH, "Mcp-Name is not that of the body");
    else if (strcmp(version, MODERN_VERSION) != 0)
        mcp_fault(call, MCP_UNSUPPORTED_VERSION, "Unsupported protocol version");
}

static void check_version(struct mcp_call *call)
{
    const char *sent = request_header(call->request, "HTTP_MCP_PROTOCOL_VERSION");
    const json_t *meta = json_object_get(call->params, "_meta");

    if (json_object_get(meta, META "protocolVersion") ||
        (sent && strcmp(sent, MODERN_VERSION) == 0 && strcmp(call->method, "initialize") != 0)) {
        check_modern(call, meta);
        return;
    }
    /* Without the header a client speaks a revision before it, of which this is a subset. */
    if (!sent || strcmp(call->method, "initialize") == 0 || strcmp(sent, "2025-03-26") == 0)
        return;
    if (strcmp(chosen_version(sent), sent) != 0)
        mcp_fault(call, MCP_UNSUPPORTED_VERSION, "Unsupported protocol version");
}

/* What a message has to be before its method counts. */
static bool read_message(struct mcp_call *call, const json_t *message)
{
    const json_t *params = json_object_get(message, "params");
    const char *version = json_string_value(json_object_get(message, "jsonrpc"));

    call->method = json_string_value(json_object_get(message, "method"));
    call->params = params;
    if (json_is_array(message))
        mcp_fault(call, MCP_INVALID_REQUEST, "Send one message at a time: there are no batches");
    else if (!json_is_object(message) || !version || strcmp(version, "2.0") != 0)
        mcp_fault(call, MCP_INVALID_REQUEST, "This is no message of JSON-RPC 2.0");
    else if (!call->method && !json_object_get(message, "result") &&
             !json_object_get(message, "error"))
        mcp_fault(call, MCP_INVALID_REQUEST, "The message has no method");
    else if (params && !json_is_object(params))
        mcp_fault(call, MCP_INVALID_REQUEST, "params must be an object");
    return !call->code;
}

static bool is_id(const json_t *id)
{
    return json_is_string(id) || json_is_integer(id);
}

/* Pages of sites that are not known may not call, whatever name they have given this host. */
static bool is_of_known_page(struct request *request)
{
    const char *origin = request_header(request, "HTTP_ORIGIN");
    const char *site = request_header(request, "SITE_ORIGIN");

    if (!origin || (site && strcasecmp(origin, site) == 0))
        return true;
    return request_is_of_known_page(request) && exposure_knows_host(request);
}

static void answer_message(struct mcp_call *call, const json_t *message, struct reply *reply)
{
    const json_t *id = json_object_get(message, "id");

    if (read_message(call, message) && (!call->method || !id)) {
        /* A notification, or an answer to what was never asked. */
        reply->status = 202;
        return;
    }
    if (!call->code && !is_id(id))
        mcp_fault(call, MCP_INVALID_REQUEST, "The id must be a text or a whole number");
    if (!call->code)
        check_version(call);
    if (!call->code)
        answer_method(call);
    if (!call->code && call->result.overflowed)
        mcp_fault(call, MCP_INTERNAL_ERROR, "The answer is too long");
    write_answer(call, is_id(id) ? id : NULL, reply);
}

enum error mcp_handle(struct request *request, struct reply *reply, const struct mcp_offer *offer)
{
    const struct mcp_query *query = request->query;
    struct mcp_call call = {.request = request, .offer = offer};
    struct json_fault fault;
    json_t *message;

    call.all_tools = query && query->tools && strcmp(query->tools, "all") == 0;
    if (!is_of_known_page(request))
        return problem_set(&request->problem, ERROR_FORBIDDEN, "forbidden",
                           "A page of another site may not call tools: its origin is not known");
    text_start(&call.result, request->arena, RESULT_MAX);
    if (json_read(request->arena, request->bytes ? request->bytes : "", request->length,
                  request->server->policy.json_depth, &message, &fault)) {
        mcp_fault(&call, MCP_PARSE_ERROR,
                  arena_print(request->arena, "This is no JSON: %s", fault.text));
        write_answer(&call, NULL, reply);
        return ERROR_NONE;
    }
    answer_message(&call, message, reply);
    return ERROR_NONE;
}
