/* From the answer of a route to the result of a tool. */
#include "mcp/tool_call.h"

#include "http/server.h"
#include "mcp/tool_schema.h"

#include <string.h>
#include <strings.h>

/* The part of an answer that fits. */
struct part {
    size_t from, length, total;
    bool whole;
};

static void write_text(struct json_writer *writer, const char *bytes, size_t length)
{
    writer_open_object(writer);
    writer_key_string(writer, "type", "text");
    writer_key(writer, "text");
    writer_bytes(writer, bytes, length);
    writer_close_object(writer);
}

static void open_content(struct json_writer *writer, struct text *result)
{
    writer_start(writer, result);
    writer_open_object(writer);
    writer_key(writer, "content");
    writer_open_array(writer);
}

void mcp_tool_fail(struct text *result, const char *text)
{
    struct json_writer writer;

    open_content(&writer, result);
    write_text(&writer, text, strlen(text));
    writer_close_array(&writer);
    writer_key_boolean(&writer, "isError", true);
    writer_close_object(&writer);
}

/* The error body of the route as it is, and its status. */
static void write_refusal(struct text *result, const struct relay_answer *answer, size_t most)
{
    size_t length = utf8_valid_prefix(answer->body, answer->length < most ? answer->length : most);
    struct json_writer writer;

    open_content(&writer, result);
    write_text(&writer, answer->body, length);
    writer_close_array(&writer);
    writer_key_boolean(&writer, "isError", true);
    writer_key(&writer, "_meta");
    writer_open_object(&writer);
    writer_key_integer(&writer, "assay/status", answer->status);
    writer_close_object(&writer);
    writer_close_object(&writer);
}

static void write_part(struct json_writer *writer, const char *body, const struct part *part)
{
    size_t next = part->from + part->length;

    writer_key(writer, "structuredContent");
    writer_open_object(writer);
    writer_key_boolean(writer, "cut", true);
    writer_key(writer, "text");
    writer_bytes(writer, body + part->from, part->length);
    writer_key_integer(writer, "from", (int64_t)part->from);
    writer_key(writer, "next_from");
    if (next < part->total)
        writer_integer(writer, (int64_t)next);
    else
        writer_null(writer);
    writer_key_integer(writer, "total_bytes", (int64_t)part->total);
    writer_close_object(writer);
}

/* A route may answer otherwise than its document says first, as by a stream. */
static bool is_json(const struct relay_answer *answer)
{
    static const char json[] = "application/json";

    return strncasecmp(answer->content_type, json, sizeof json - 1) == 0;
}

static void write_structure(struct json_writer *writer, const struct mcp_tool *tool,
                            const char *body)
{
    writer_key(writer, "structuredContent");
    if (tool->answers_list) {
        writer_open_object(writer);
        writer_key(writer, "items");
        writer_raw(writer, body);
        writer_close_object(writer);
    } else {
        writer_raw(writer, body);
    }
}

/* Where in the answer the client is, and how much it gets; never half a character. */
static struct part choose_part(const char *body, size_t total, size_t from, size_t most)
{
    struct part part = {.total = total, .from = from < total ? from : total};

    while (part.from < total && ((unsigned char)body[part.from] & 0xc0) == 0x80)
        part.from++;
    part.length = total - part.from < most ? total - part.from : most;
    part.length = utf8_valid_prefix(body + part.from, part.length);
    part.whole = part.from == 0 && part.length == total;
    return part;
}

static void write_result(struct text *result, const struct mcp_tool *tool,
                         const struct relay_answer *answer, const struct part *part)
{
    bool has_structure = tool->output && is_json(answer);
    const char *body = answer->body;
    struct json_writer writer;

    open_content(&writer, result);
    write_text(&writer, body + part->from, part->length);
    if (!part->whole && part->from + part->length < part->total) {
        const char *note = arena_print(
            result->arena,
            "Cut: bytes %zu to %zu of %zu. Call again with " TOOL_ANSWER_FROM "=%zu to go on, or "
            "ask for less.",
            part->from, part->from + part->length, part->total, part->from + part->length);

        write_text(&writer, note, strlen(note));
    }
    writer_close_array(&writer);
    if (has_structure && part->whole)
        write_structure(&writer, tool, body);
    else if (has_structure)
        write_part(&writer, body, part);
    writer_key_boolean(&writer, "isError", false);
    writer_close_object(&writer);
}

/* Where a client fetches what is no text, or is too long. */
static const char *address_of(struct request *request, const struct relay_call *call)
{
    const char *origin = request_header(request, "SITE_ORIGIN");
    struct text address;

    text_start(&address, request->arena, 65536);
    text_append_strings(&address, (const char *const[]){
                                      origin ? origin : "",
                                      call->prefix ? call->prefix : request_prefix(request), NULL});
    for (const char *at = call->path; *at;) {
        size_t length = strcspn(at, "/");

        text_append_url(&address, arena_copy(request->arena, at, length));
        at += length;
        if (*at == '/')
            text_append_byte(&address, *at++);
    }
    if (call->query && *call->query)
        text_append_strings(&address, (const char *const[]){"?", call->query, NULL});
    return address.bytes;
}

/* Pictures and sounds are shown by clients; other files are resources. */
static const char *file_type(const struct relay_answer *answer, bool fits)
{
    if (!fits)
        return "resource_link";
    if (strncasecmp(answer->content_type, "image/", 6) == 0)
        return "image";
    return strncasecmp(answer->content_type, "audio/", 6) == 0 ? "audio" : "resource";
}

static void write_bytes(struct json_writer *writer, const char *name,
                        const struct relay_answer *answer)
{
    struct text bytes;

    text_start(&bytes, writer->out->arena, answer->length / 3 * 4 + 8);
    text_append_base64(&bytes, answer->body, answer->length);
    writer_key_string(writer, name, bytes.bytes);
}

/* A file: its bytes where they fit, else its address. */
static void write_file(struct request *request, struct text *result, const struct mcp_tool *tool,
                       const struct relay_call *call, const struct relay_answer *answer)
{
    bool fits = answer->length / 3 * 4 <= (size_t)request->server->policy.tools.answer;
    const char *type = file_type(answer, fits);
    bool embedded = strcmp(type, "resource") == 0;
    struct json_writer writer;

    open_content(&writer, result);
    writer_open_object(&writer);
    writer_key_string(&writer, "type", type);
    if (embedded) {
        writer_key(&writer, "resource");
        writer_open_object(&writer);
    }
    if (embedded || !fits)
        writer_key_string(&writer, "uri", address_of(request, call));
    if (!fits)
        writer_key_string(&writer, "name", tool->name);
    writer_key_string(&writer, "mimeType", answer->content_type);
    if (fits)
        write_bytes(&writer, embedded ? "blob" : "data", answer);
    if (embedded)
        writer_close_object(&writer);
    writer_close_object(&writer);
    writer_close_array(&writer);
    writer_key_boolean(&writer, "isError", false);
    writer_close_object(&writer);
}

static bool is_text(const struct relay_answer *answer)
{
    return utf8_valid_prefix(answer->body, answer->length) == answer->length &&
           strlen(answer->body) == answer->length;
}

static size_t answer_from(const struct mcp_tool *tool, const json_t *arguments)
{
    json_int_t from = json_integer_value(json_object_get(arguments, TOOL_ANSWER_FROM));

    return tool->reads && from > 0 ? (size_t)from : 0;
}

static void write_answer(struct request *request, const struct mcp_tool *tool,
                         const json_t *arguments, const struct relay_call *call,
                         const struct relay_answer *answer, struct text *result)
{
    size_t most = (size_t)request->server->policy.tools.answer;
    struct part part;

    if (answer->status >= 300) {
        write_refusal(result, answer, most);
        return;
    }
    if (!is_text(answer)) {
        write_file(request, result, tool, call, answer);
        return;
    }
    /* What changed something cannot be asked for again: it comes whole. */
    part = choose_part(answer->body, answer->length, answer_from(tool, arguments),
                       tool->reads ? most : answer->length);
    write_result(result, tool, answer, &part);
}

void mcp_tool_call(struct request *request, const struct mcp_tool *tool, const json_t *arguments,
                   struct text *result, int *status)
{
    struct relay_answer answer = {0};
    struct relay_call call;
    enum error error;

    *status = 0;
    if (!tool->reads && !json_is_true(json_object_get(arguments, TOOL_CONFIRM))) {
        mcp_tool_fail(result, "This changes something and was not done. Call it again with "
                              "\"" TOOL_CONFIRM "\": true once the person agrees.");
        return;
    }
    error = mcp_tool_request(request, tool, arguments, &call);
    if (!error)
        error = relay(request, &call, &answer);
    if (error) {
        const char *doubt =
            answer.sent && !tool->reads
                ? ". It may have been done all the same: look before you call it again"
                : "";

        mcp_tool_fail(result, arena_print(request->arena, "%s%s", request->problem.text, doubt));
        return;
    }
    *status = answer.status;
    write_answer(request, tool, arguments, &call, &answer, result);
}
