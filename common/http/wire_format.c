/* Error messages and envelopes that wire formats share. */
#include "http/wire_format.h"
#include "http/http_internal.h"

/* Messages of failures for which the wire format has none. */
static const struct failure_message defaults[FAILURE__MAX] = {
    [FAILURE_NOT_FOUND] = {"not_found", "Not Found"},
    [FAILURE_METHOD] = {"method_not_allowed", "Method Not Allowed"},
    [FAILURE_BODY_TOO_LARGE] = {"request_body_too_large", "Request body too large"},
    [FAILURE_BODY_SHORT] = {"bad_request", "Request body is shorter than its Content-Length"},
    [FAILURE_ENCODING] = {"bad_request", "The body is no text in UTF-8"},
    [FAILURE_VALIDATION] = {"validation_error", "Validation Error"},
    [FAILURE_RATE] = {"rate_limited", "Too many requests"},
    [FAILURE_AUTH_RATE] = {"auth_rate_limited", "Too many unauthorized requests"},
    [FAILURE_CAPACITY] = {"compute_capacity_exceeded",
                          "Server is at compute capacity; retry shortly"},
    [FAILURE_CONFLICT] = {"conflict", "What is stored forbids it for now"},
    [FAILURE_INTERNAL] = {"internal_error", "Internal server error"},
    [FAILURE_UNAVAILABLE] = {"http_error",
                             "A part of the service is not available; try again shortly"},
};

struct failure_message failure_message(const struct wire_format *format, enum failure failure)
{
    struct failure_message own = format->failures[failure];

    return (struct failure_message){own.error_code ? own.error_code : defaults[failure].error_code,
                                    own.detail ? own.detail : defaults[failure].detail};
}

static void write_detail_value(struct json_writer *writer, const struct http_error *error)
{
    writer_key(writer, "detail");
    if (error->detail_json)
        writer_raw(writer, error->detail_json);
    else
        writer_string(writer, error->detail);
}

void write_error_detail(struct json_writer *writer, const struct request *request,
                        const struct http_error *error, unsigned members)
{
    writer_open_object(writer);
    write_detail_value(writer, error);
    if (members & ERROR_CODE)
        writer_key_string(writer, "error_code", error->error_code);
    if (members & ERROR_CODE_AS_CODE)
        writer_key_string(writer, "code", error->error_code);
    if (members & ERROR_STATUS)
        writer_key_integer(writer, "status_code", error->status);
    if (members & ERROR_REQUEST_ID)
        writer_key_string(writer, "request_id", request->id);
    if (members & ERROR_CODE_AS_ERROR)
        writer_key_string(writer, "error", error->error_code);
    writer_close_object(writer);
}
