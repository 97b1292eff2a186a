/* The wire format of the accounts service. */
#include "accounts/service_internal.h"

#include <string.h>

/* The codes of the standards of OAuth are those of the reasons; others are of the request itself.
 */
static const char *oauth_error(const struct request *request, const struct http_error *error)
{
    bool registers = request->route->body != NULL;

    if (error->status == 503 || error->status == 429)
        return "temporarily_unavailable";
    if (error->status == 400 && strncmp(error->error_code, "invalid_", 8) == 0)
        return error->error_code;
    if (error->status == 400 && strncmp(error->error_code, "unsupported_", 12) == 0)
        return error->error_code;
    return registers ? "invalid_client_metadata" : "invalid_request";
}

static void write_oauth_error(struct json_writer *writer, const struct request *request,
                              const struct http_error *error)
{
    writer_open_object(writer);
    writer_key_string(writer, "error", oauth_error(request, error));
    if (error->detail)
        writer_key_string(writer, "error_description", error->detail);
    writer_key(writer, "detail");
    if (error->detail)
        writer_string(writer, error->detail);
    else
        writer_raw(writer, error->detail_json);
    writer_key_string(writer, "error_code", error->error_code);
    writer_key_string(writer, "request_id", request->id);
    writer_close_object(writer);
}

static void write_error(struct json_writer *writer, const struct request *request,
                        const struct http_error *error)
{
    if (request->route && request->route->traits & TRAIT_OAUTH)
        write_oauth_error(writer, request, error);
    else
        write_error_detail(writer, request, error, ERROR_CODE | ERROR_REQUEST_ID);
}

/* Of the routes that standards of OAuth define. */
#define OAUTH_MEMBERS "\"error\":{\"type\":\"string\"},\"error_description\":{\"type\":\"string\"}"

static const char error_schema[] =
    "{\"type\":\"object\",\"description\":\"Every answer that is not a success\","
    "\"required\":[\"detail\",\"error_code\",\"request_id\"],"
    "\"properties\":{\"detail\":{\"type\":[\"string\",\"array\"],"
    "\"description\":\"A list only where a program registers\"},"
    "\"error_code\":{\"type\":\"string\"},"
    "\"request_id\":{\"type\":\"string\"}," OAUTH_MEMBERS "},\"additionalProperties\":false}";

static const char validation_schema[] =
    "{\"type\":\"object\",\"description\":\"Every error of the document, each at its place\","
    "\"required\":[\"detail\",\"error_code\",\"request_id\"],"
    "\"properties\":{\"detail\":{\"type\":[\"array\",\"string\"],\"items\":{\"type\":\"object\","
    "\"required\":[\"type\",\"loc\",\"msg\"],"
    "\"properties\":{\"type\":{\"type\":\"string\"},"
    "\"loc\":{\"type\":\"array\",\"items\":{\"type\":[\"string\",\"integer\"]}},"
    "\"msg\":{\"type\":\"string\"},\"input\":{},\"ctx\":{\"type\":\"object\"}},"
    "\"additionalProperties\":false}},"
    "\"error_code\":{\"type\":\"string\"},\"request_id\":{\"type\":\"string\"}," OAUTH_MEMBERS
    "},\"additionalProperties\":false}";

static const char *security(const struct route *route)
{
    return route->traits & TRAIT_SESSION ? "[{\"session\":[]}]"
                                         : "[{\"session\":[]},{\"bearer\":[]},{\"api_key\":[]}]";
}

#define HEADER_LINES                                                                               \
    "X-Content-Type-Options: nosniff\r\n"                                                          \
    "X-Frame-Options: DENY\r\n"                                                                    \
    "Referrer-Policy: no-referrer\r\n"                                                             \
    "Content-Security-Policy: default-src 'none'\r\n"                                              \
    "Cache-Control: no-store\r\n"

const struct wire_format accounts_wire_format = {
    .write_error = write_error,
    .validation = VALIDATION_LIST,
    .error_schema = error_schema,
    .validation_schema = validation_schema,
    .security_schemes = "{\"session\":{\"type\":\"apiKey\",\"in\":\"cookie\","
                        "\"name\":\"" SESSION_COOKIE "\"},"
                        "\"bearer\":{\"type\":\"http\",\"scheme\":\"bearer\"},"
                        "\"api_key\":{\"type\":\"apiKey\",\"in\":\"header\","
                        "\"name\":\"X-API-Key\"}}",
    .security = security,
    .headers = HEADER_LINES,
    .request_id_in = HEADERS("REQUEST_ID_SENT"),
    .request_id_out = HEADERS("X-Request-Id"),
    .id_is_hex = true,
    .failures = {[FAILURE_BODY_TOO_LARGE] = {.error_code = "too_large"},
                 [FAILURE_AUTH_RATE] = {.error_code = "rate_limited",
                                        .detail = "Too many failed sign-ins; try again later"},
                 [FAILURE_UNAVAILABLE] = {.error_code = "unavailable"}},
};
