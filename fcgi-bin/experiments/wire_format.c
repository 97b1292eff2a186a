/* The wire format of the experiments service. */
#include "experiments/service.h"

#include <string.h>

/* The codes of the protocol for remote evaluation, by the service's own. */
static const struct {
    const char *error_code, *code;
} evaluation_codes[] = {
    {"flag_not_found", "FLAG_NOT_FOUND"},
    {"targeting_key_missing", "TARGETING_KEY_MISSING"},
    {"invalid_context", "INVALID_CONTEXT"},
    {"validation_error", "PARSE_ERROR"},
};

static const char *evaluation_code(const char *error_code)
{
    for (size_t i = 0; i < COUNT_OF(evaluation_codes); i++)
        if (strcmp(error_code, evaluation_codes[i].error_code) == 0)
            return evaluation_codes[i].code;
    return "GENERAL";
}

/* The members that clients of the protocol read, before those of every error. */
static void write_evaluation_error(struct json_writer *writer, const struct request *request,
                                   const struct http_error *error)
{
    const char *detail = error->detail ? error->detail
                                       : arena_print(request->arena, "The request does not fit: %s",
                                                     error->detail_json);

    writer_open_object(writer);
    if (request->arguments[0])
        writer_key_string(writer, "key", request->arguments[0]);
    writer_key_string(writer, "errorCode", evaluation_code(error->error_code));
    writer_key_string(writer, "errorDetails", detail);
    writer_key_string(writer, "detail", detail);
    writer_key_string(writer, "error_code", error->error_code);
    writer_key_integer(writer, "status_code", error->status);
    writer_key_string(writer, "request_id", request->id);
    writer_close_object(writer);
}

static void write_error(struct json_writer *writer, const struct request *request,
                        const struct http_error *error)
{
    unsigned members = ERROR_CODE | ERROR_STATUS | ERROR_REQUEST_ID;

    if (strncmp(request->path, "/ofrep/", strlen("/ofrep/")) == 0) {
        write_evaluation_error(writer, request, error);
        return;
    }
    if (strcmp(error->error_code, "chatapp_not_configured") == 0)
        members |= ERROR_CODE_AS_ERROR; /* older clients of the integration expect it there */
    write_error_detail(writer, request, error, members);
}

static const char error_schema[] =
    "{\"type\":\"object\",\"description\":\"Every answer that is not a success\","
    "\"required\":[\"detail\",\"error_code\",\"status_code\",\"request_id\"],"
    "\"properties\":{\"detail\":{\"type\":\"string\"},\"error_code\":{\"type\":\"string\"},"
    "\"status_code\":{\"type\":\"integer\"},\"request_id\":{\"type\":\"string\"},"
    "\"error\":{\"type\":\"string\"},\"key\":{\"type\":\"string\"},"
    "\"errorCode\":{\"type\":\"string\"},\"errorDetails\":{\"type\":\"string\"}},"
    "\"additionalProperties\":false}";

static const char validation_schema[] =
    "{\"type\":\"object\",\"description\":\"Every error of the document, each at its place\","
    "\"required\":[\"detail\",\"error_code\",\"status_code\",\"request_id\"],"
    "\"properties\":{\"detail\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"required\":[\"type\",\"loc\",\"msg\",\"input\"],"
    "\"properties\":{\"type\":{\"type\":\"string\"},"
    "\"loc\":{\"type\":\"array\",\"items\":{\"type\":[\"string\",\"integer\"]}},"
    "\"msg\":{\"type\":\"string\"},\"input\":{},\"ctx\":{\"type\":\"object\"}},"
    "\"additionalProperties\":false}},"
    "\"error_code\":{\"const\":\"validation_error\"},\"status_code\":{\"const\":422},"
    "\"request_id\":{\"type\":\"string\"}},\"additionalProperties\":false}";

/* An open service accepts calls without a token, except on operators' routes. */
static const char *security(const struct route *route)
{
    return route->role >= ROLE_OPERATOR ? "[{\"bearer\":[]},{\"api_key\":[]}]"
                                        : "[{\"bearer\":[]},{\"api_key\":[]},{}]";
}

static const char *too_large(const struct request *request, size_t announced, size_t limit)
{
    (void)announced;
    return arena_print(request->arena, "Request body exceeds limit of %zu bytes", limit);
}

static const char headers[] =
    "Content-Security-Policy: default-src 'self'; base-uri 'self'; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; img-src 'self' data:; object-src 'none'; script-src 'self'; "
    "style-src 'self'\r\n"
    "Permissions-Policy: camera=(), geolocation=(), microphone=()\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Cache-Control: no-store\r\n"
    "Vary: Accept-Language, Origin\r\n";

static const struct cors_rule cors = {
    .always_allowed = HEADERS("Accept", "Accept-Language", "Authorization", "Content-Language",
                              "Content-Type", "Idempotency-Key", "If-Match", "X-AB-LLM-Provider",
                              "X-AB-LLM-Token", "X-API-Key", "X-Request-ID"),
    .exposed = "X-Request-ID, X-Error-Code, X-Error-Reason, X-Process-Time-Ms, Retry-After, "
               "Deprecation, Content-Disposition, RateLimit-Limit, RateLimit-Remaining, "
               "RateLimit-Reset, Idempotency-Replayed",
};

const struct wire_format experiments_wire_format = {
    .write_error = write_error,
    .validation = VALIDATION_LIST,
    .error_schema = error_schema,
    .validation_schema = validation_schema,
    .security_schemes = "{\"bearer\":{\"type\":\"http\",\"scheme\":\"bearer\"},"
                        "\"api_key\":{\"type\":\"apiKey\",\"in\":\"header\","
                        "\"name\":\"X-API-Key\"}}",
    .security = security,
    .headers = headers,
    .request_id_in = HEADERS("HTTP_X_REQUEST_ID"),
    .request_id_out = HEADERS("X-Request-ID"),
    .error_code_header = "X-Error-Code",
    .error_reason_header = "X-Error-Reason",
    .process_time_header = "X-Process-Time-Ms",
    .names_language = true,
    .rate_headers = {"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"},
    .cors = &cors,
    .failures = {[FAILURE_METHOD] = {.error_code = "http_error"},
                 [FAILURE_CONFLICT] = {.error_code = "http_error"}},
    .too_large = too_large,
};
