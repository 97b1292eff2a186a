/* The wire format of the support service. */
#include "support/service_internal.h"

/* 429 repeats the message in `error`. */
static void write_error(struct json_writer *writer, const struct request *request,
                        const struct http_error *error)
{
    if (error->status != 429) {
        write_error_detail(writer, request, error, ERROR_CODE | ERROR_REQUEST_ID);
        return;
    }
    writer_open_object(writer);
    writer_key_string(writer, "detail", error->detail);
    writer_key_string(writer, "error", error->detail);
    writer_key_string(writer, "error_code", error->error_code);
    writer_key_string(writer, "request_id", request->id);
    writer_close_object(writer);
}

static const char error_schema[] =
    "{\"type\":\"object\",\"description\":\"Every answer that is not a success\","
    "\"required\":[\"detail\",\"error_code\",\"request_id\"],"
    "\"properties\":{\"detail\":{\"type\":\"string\"},\"error\":{\"type\":\"string\"},"
    "\"error_code\":{\"type\":\"string\"},\"request_id\":{\"type\":\"string\"}},"
    "\"additionalProperties\":false}";

static const char validation_schema[] =
    "{\"type\":\"object\",\"description\":\"Every error of the document, each at its place\","
    "\"required\":[\"detail\",\"error_code\",\"request_id\"],"
    "\"properties\":{\"detail\":{\"type\":[\"array\",\"string\"],\"items\":{\"type\":\"object\","
    "\"required\":[\"type\",\"loc\",\"msg\"],"
    "\"properties\":{\"type\":{\"type\":\"string\"},"
    "\"loc\":{\"type\":\"array\",\"items\":{\"type\":[\"string\",\"integer\"]}},"
    "\"msg\":{\"type\":\"string\"},\"input\":{},\"ctx\":{\"type\":\"object\"}},"
    "\"additionalProperties\":false}},"
    "\"error_code\":{\"const\":\"validation_error\"},\"request_id\":{\"type\":\"string\"}},"
    "\"additionalProperties\":false}";

static const char *security(const struct route *route)
{
    (void)route;
    return "[{\"bearer\":[]},{\"api_key\":[]},{\"cookie\":[]}]";
}

static const char *too_large(const struct request *request, size_t announced, size_t limit)
{
    if (request->route && request->route->form)
        return arena_print(request->arena, "Upload exceeds limit of %zu bytes", limit);
    return arena_print(request->arena, "Request body too large (%zu bytes, limit %zu)",
                       announced ? announced : limit + 1, limit);
}

#define HEADER_LINES                                                                               \
    "X-Content-Type-Options: nosniff\r\n"                                                          \
    "X-Frame-Options: DENY\r\n"                                                                    \
    "Referrer-Policy: no-referrer\r\n"                                                             \
    "Permissions-Policy: camera=(), microphone=(), geolocation=()\r\n"                             \
    "Content-Security-Policy: default-src 'self'; script-src 'self'; style-src 'self' "            \
    "'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; object-src "      \
    "'none'; base-uri 'self'; form-action 'self'\r\n"                                              \
    "Vary: Origin\r\n"

const char support_production_headers[] =
    HEADER_LINES "Strict-Transport-Security: max-age=31536000; includeSubDomains\r\n";

static const struct cors_rule cors = {
    .always_allowed = HEADERS("X-API-Key", "Content-Type", "Authorization", "X-Request-Id"),
    .exposed = "X-Request-Id",
};

const struct wire_format support_wire_format = {
    .write_error = write_error,
    .validation = VALIDATION_LIST,
    .error_schema = error_schema,
    .validation_schema = validation_schema,
    .security_schemes = "{\"bearer\":{\"type\":\"http\",\"scheme\":\"bearer\"},"
                        "\"api_key\":{\"type\":\"apiKey\",\"in\":\"header\","
                        "\"name\":\"X-API-Key\"},"
                        "\"cookie\":{\"type\":\"apiKey\",\"in\":\"cookie\","
                        "\"name\":\"access_token\"}}",
    .security = security,
    .headers = HEADER_LINES,
    .request_id_in = HEADERS("REQUEST_ID_SENT"),
    .request_id_out = HEADERS("X-Request-Id"),
    .id_is_hex = true,
    .cors = &cors,
    .redirects_slashes = true,
    .reads_any_type = true,
    .failures = {[FAILURE_BODY_TOO_LARGE] = {.error_code = "too_large"},
                 [FAILURE_ENCODING] = {"bad_request", "There was an error parsing the body"},
                 [FAILURE_INTERNAL] = {.detail = "Internal Server Error"},
                 [FAILURE_AUTH_RATE] = {.error_code = "rate_limited",
                                        .detail = "Too many failed sign-ins; try again later"},
                 [FAILURE_CAPACITY] = {"unavailable", "Server is busy processing other requests - "
                                                      "retry in a moment"},
                 [FAILURE_UNAVAILABLE] = {.error_code = "unavailable"}},
    .capacity_status = 503,
    .too_large = too_large,
};
