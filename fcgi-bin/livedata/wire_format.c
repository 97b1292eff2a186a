/* The wire format of live data: a detail, a code, the request's id. */
#include "livedata/service_internal.h"

/* An answer that cannot be as fresh as was demanded says how old its newest events are. */
struct unmet {
    const char *detail, *code, *request_id;
    double event_age_seconds;
};

#define OWNER struct unmet
static const struct field unmet_fields[] = {STRING(OWNER, detail), STRING(OWNER, code),
                                            STRING(OWNER, request_id),
                                            NUMBER(OWNER, event_age_seconds)};
#undef OWNER
static SCHEMA(unmet_schema, struct unmet, "FreshnessUnmet", unmet_fields);

static void write_error(struct json_writer *writer, const struct request *request,
                        const struct http_error *error)
{
    const struct service *service = service_of(request);

    if (error->status == 412 && service->asking.unmet_age.given) {
        schema_write(writer, &unmet_schema,
                     &(struct unmet){error->detail, error->error_code, request->id,
                                     service->asking.unmet_age.value});
        return;
    }
    write_error_detail(writer, request, error, ERROR_CODE_AS_CODE | ERROR_REQUEST_ID);
}

#define MEMBERS "\"code\":{\"type\":[\"string\",\"null\"]},\"request_id\":{\"type\":\"string\"}}}"

static const char error_schema[] =
    "{\"type\":\"object\",\"description\":\"Every answer that is not a success\","
    "\"required\":[\"detail\"],\"properties\":{\"detail\":{\"type\":\"string\"}," MEMBERS;

static const char validation_schema[] =
    "{\"type\":\"object\",\"description\":\"What is wrong with the request, item by item\","
    "\"required\":[\"detail\"],\"properties\":{\"detail\":{\"type\":[\"array\",\"string\"],"
    "\"items\":{\"$ref\":\"#/components/schemas/ValidationError\"}}," MEMBERS;

static const char validation_item_schema[] =
    "{\"type\":\"object\",\"required\":[\"loc\",\"msg\",\"type\"],\"properties\":{"
    "\"loc\":{\"type\":\"array\",\"items\":{\"type\":[\"string\",\"integer\"]}},"
    "\"msg\":{\"type\":\"string\"},\"type\":{\"type\":\"string\"},\"input\":{},"
    "\"ctx\":{\"type\":\"object\"}}}";

static const char *security(const struct route *route)
{
    return route->role == LIVE_ADMIN ? "[{\"admin_key\":[]}]"
                                     : "[{\"api_key\":[]},{\"bearer\":[]}]";
}

static const char *too_large(const struct request *request, size_t announced, size_t limit)
{
    (void)request, (void)announced, (void)limit;
    return "Request body too large.";
}

static const struct cors_rule cors = {
    .always_allowed =
        HEADERS("X-API-Key", "Content-Type", "Authorization", "X-Live-Version", "Idempotency-Key",
                "X-Correlation-ID", "X-Request-Id", "Last-Event-ID"),
    .exposed = "X-Cache, X-Request-Id, X-Correlation-ID, Retry-After, X-RateLimit-Limit, "
               "X-RateLimit-Remaining, X-RateLimit-Reset, X-Live-Version, X-Live-Latest-Version, "
               "X-Live-Deprecated, X-Live-Deprecation-Warning, X-Live-Health, "
               "X-Live-Freshness-Seconds, X-Live-Event-Age-Seconds, X-Live-Position",
};

const struct wire_format livedata_wire_format = {
    .write_error = write_error,
    .validation = VALIDATION_LIST,
    .error_schema = error_schema,
    .validation_schema = validation_schema,
    .validation_item_schema = validation_item_schema,
    .security_schemes = "{\"api_key\":{\"type\":\"apiKey\",\"in\":\"header\","
                        "\"name\":\"X-API-Key\"},"
                        "\"bearer\":{\"type\":\"http\",\"scheme\":\"bearer\"},"
                        "\"admin_key\":{\"type\":\"apiKey\",\"in\":\"header\","
                        "\"name\":\"X-Admin-Key\"}}",
    .security = security,
    .headers = "X-Content-Type-Options: nosniff\r\n"
               "X-Frame-Options: DENY\r\n"
               "X-XSS-Protection: 1; mode=block\r\n"
               "Strict-Transport-Security: max-age=31536000; includeSubDomains\r\n"
               "Content-Security-Policy: default-src 'none'\r\n"
               "Referrer-Policy: no-referrer\r\n",
    .request_id_in = HEADERS("HTTP_X_CORRELATION_ID", "HTTP_X_REQUEST_ID"),
    .request_id_out = HEADERS("X-Correlation-ID", "X-Request-Id"),
    .rate_headers = {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", true},
    .cors = &cors,
    .redirects_slashes = true,
    .reads_any_type = true,
    .failures = {[FAILURE_NOT_FOUND] = {"not_found", "Not Found"},
                 [FAILURE_METHOD] = {"method_not_allowed", "Method Not Allowed"},
                 [FAILURE_BODY_TOO_LARGE] = {.error_code = "body_too_large"},
                 [FAILURE_AUTH_RATE] = {"auth_rate_limited",
                                        "Too many failed authentication attempts from this IP."},
                 [FAILURE_INTERNAL] = {"internal_error", "Internal Server Error"}},
    .too_large = too_large,
};
