/* The wire format of the orchestrator: problem documents, whose title repeats the detail. */
#include "orchestrator/front_error.h"
#include "orchestrator/service_internal.h"

#include <string.h>

static const char *title_of(const struct http_error *error)
{
    if (error->status == 429)
        return "Too Many Requests";
    if (error->error_code && strcmp(error->error_code, "validation_error") == 0)
        return "Validation Error";
    return error->detail_json ? "HTTP Error" : error->detail;
}

/* The first invalid member: the text between "body." and the colon. */
static const char *faulty_member(struct arena *arena, const struct http_error *error)
{
    static const char where[] = "body.";
    const char *detail = error->detail;

    return error->status == 400 && detail && strncmp(detail, where, sizeof where - 1) == 0
               ? arena_copy(arena, detail + sizeof where - 1,
                            strcspn(detail, ":") - sizeof where + 1)
               : NULL;
}

static const char *late_task(const struct request *request)
{
    const struct service_caller *caller = request->who.detail;

    return caller ? caller->late_task : NULL;
}

static void write_error(struct json_writer *writer, const struct request *request,
                        const struct http_error *error)
{
    if (request->path && front_has_path(request->path)) {
        front_error_write(
            writer, request,
            &(struct front_error){.status = error->status,
                                  .message = error->detail ? error->detail : request->problem.text,
                                  .param = faulty_member(request->arena, error),
                                  .code = error->error_code});
        return;
    }
    writer_open_object(writer);
    writer_key_string(
        writer, "type",
        error->status == 429
            ? "about:blank"
            : arena_print(request->arena, "https://httpstatuses.com/%d", error->status));
    writer_key_string(writer, "title", title_of(error));
    writer_key_integer(writer, "status", error->status);
    writer_key(writer, "detail");
    if (error->detail_json)
        writer_raw(writer, error->detail_json);
    else
        writer_string(writer, error->detail);
    if (error->status == 504) /* the task that goes on can be read */
        writer_key_string(writer, "task_id", late_task(request));
    writer_key_string(writer, "request_id", request->id);
    writer_close_object(writer);
}

static const char error_schema[] =
    "{\"anyOf\":[{\"type\":\"object\",\"description\":\"Every answer that is not a success\","
    "\"required\":[\"type\",\"title\",\"status\",\"detail\",\"request_id\"],"
    "\"properties\":{\"type\":{\"type\":\"string\"},\"title\":{\"type\":\"string\"},"
    "\"status\":{\"type\":\"integer\"},\"detail\":{\"type\":[\"string\",\"object\"]},"
    "\"task_id\":{\"type\":\"string\"},\"request_id\":{\"type\":\"string\"}},"
    "\"additionalProperties\":false},"
    "{\"type\":\"object\",\"description\":\"The form of the front's "
    "errors\",\"required\":[\"error\"],"
    "\"properties\":{\"type\":{\"type\":\"string\"},\"error\":{\"type\":\"object\"},"
    "\"request_id\":{\"type\":\"string\"}},\"additionalProperties\":false}]}";

static const char validation_schema[] =
    "{\"anyOf\":[{\"type\":\"object\",\"description\":\"Every error of the document in one text\","
    "\"required\":[\"type\",\"title\",\"status\",\"detail\",\"request_id\"],"
    "\"properties\":{\"type\":{\"type\":\"string\"},\"title\":{\"type\":\"string\"},"
    "\"status\":{\"type\":\"integer\"},\"detail\":{\"type\":\"string\"},"
    "\"request_id\":{\"type\":\"string\"}},\"additionalProperties\":false},"
    "{\"type\":\"object\",\"description\":\"The form of the front's "
    "errors\",\"required\":[\"error\"],"
    "\"properties\":{\"type\":{\"type\":\"string\"},\"error\":{\"type\":\"object\"},"
    "\"request_id\":{\"type\":\"string\"}},\"additionalProperties\":false}]}";

static const char *security(const struct route *route)
{
    (void)route;
    return "[{\"bearer\":[]},{\"api_key\":[]}]";
}

/* Any printable ASCII text. */
static bool accepts_id(const char *id)
{
    size_t length = strlen(id);

    for (const char *at = id; *at; at++)
        if ((unsigned char)*at < 0x20 || (unsigned char)*at > 0x7e)
            return false;
    return length > 0 && length <= 200;
}

const struct wire_format orchestrator_wire_format = {
    .write_error = write_error,
    .validation = VALIDATION_TEXT,
    .error_schema = error_schema,
    .validation_schema = validation_schema,
    .security_schemes = "{\"bearer\":{\"type\":\"http\",\"scheme\":\"bearer\"},"
                        "\"api_key\":{\"type\":\"apiKey\",\"in\":\"header\","
                        "\"name\":\"X-API-Key\"}}",
    .security = security,
    .headers = "X-Content-Type-Options: nosniff\r\n"
               "X-Frame-Options: DENY\r\n"
               "X-XSS-Protection: 1; mode=block\r\n"
               "Referrer-Policy: strict-origin-when-cross-origin\r\n"
               "Content-Security-Policy: default-src 'self'; script-src 'self'; style-src 'self'; "
               "connect-src 'self'; img-src 'self' data: blob:; font-src 'self'; object-src "
               "'none'; frame-src 'none'; base-uri 'self'; form-action 'self'\r\n",
    .request_id_in = HEADERS("HTTP_X_REQUEST_ID", "REQUEST_ID_SENT"),
    .request_id_out = HEADERS("X-Request-ID"),
    .accepts_id = accepts_id,
    .redirects_slashes = true,
    .reads_any_type = true,
    .failures = {[FAILURE_NOT_FOUND] = {.detail = "Not Found"},
                 [FAILURE_METHOD] = {.detail = "Method Not Allowed"},
                 [FAILURE_ENCODING] = {"bad_request", "There was an error parsing the body"},
                 [FAILURE_VALIDATION] = {.error_code = "validation_error"},
                 [FAILURE_INTERNAL] = {.detail = "Internal server error."}},
};
