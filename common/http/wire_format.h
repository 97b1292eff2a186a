/*
 * The wire format of a service: envelopes and messages of errors, headers, request ids and CORS, as
 * one constant per service in a separate file. The pipeline and the API document read it. Routes
 * and the error codes of reasons are defined elsewhere.
 */
#ifndef ASSAY_HTTP_WIRE_FORMAT_H
#define ASSAY_HTTP_WIRE_FORMAT_H

#include "base/json.h"
#include "http/request.h"

/* Requests that the pipeline refuses. A wire format may have a message for each; else http's is
 * used. */
enum failure {
    FAILURE_NOT_FOUND,
    FAILURE_METHOD,         /* the path is known, the method is not */
    FAILURE_BODY_TOO_LARGE, /* its text comes from `too_large` */
    FAILURE_BODY_SHORT,     /* shorter than announced */
    FAILURE_ENCODING, /* bytes that are not UTF-8: 400 if the format has a message, else 422 */
    FAILURE_VALIDATION,
    FAILURE_RATE,
    FAILURE_AUTH_RATE, /* too many failed authentications */
    FAILURE_CAPACITY,  /* computation is at its limit */
    FAILURE_CONFLICT,  /* for reasons without a code of their own */
    FAILURE_INTERNAL,
    FAILURE_UNAVAILABLE, /* a service that this one depends on is not available */
    FAILURE__MAX
};

struct failure_message {
    const char *error_code;
    const char *detail;
};

/* One error to be written into a body. */
struct http_error {
    int status;
    const char *error_code;
    const char *detail;      /* text; NULL if detail_json is set */
    const char *detail_json; /* a list or an object, as JSON */
};

/* How the errors of a document are written. */
enum validation_form {
    VALIDATION_LIST, /* objects with type, msg, ctx, loc and input */
    VALIDATION_TEXT  /* "body.prompt: Field required; query.limit: ..." */
};

/* Credentials are allowed, but not with "*". */
struct cors_rule {
    const char *const *always_allowed; /* request headers; NULL at the end */
    const char *exposed;
};

struct rate_header_names {
    const char *limit, *remaining, *reset; /* NULL = not sent */
    bool reset_is_time;                    /* Unix time instead of seconds from now */
};

struct wire_format {
    void (*write_error)(struct json_writer *writer, const struct request *request,
                        const struct http_error *error);
    enum validation_form validation;

    /* JSON Schemas of an error and of a failed validation, for the API document. */
    const char *error_schema;
    const char *validation_schema;
    /* Of one item of a failed validation, or NULL. If set, the item is named ValidationError and
     * the whole HTTPValidationError, as clients made for common frameworks expect. */
    const char *validation_item_schema;
    const char *security_schemes;                          /* JSON object */
    const char *(*security)(const struct route *protects); /* JSON list of a route with a role */

    const char *headers; /* lines of every answer, each with CR LF */

    /* The request's id: taken from the first of these headers that has an acceptable one. */
    const char *const *request_id_in; /* CGI names; NULL at the end */
    const char *const *request_id_out;
    bool (*accepts_id)(const char *id); /* NULL: 1 to 128 of letters, digits and . _ : - */
    bool id_is_hex;                     /* a new one is 32 hexadecimal digits, else a UUID */

    const char *error_code_header; /* NULL = not sent, as the next three */
    const char *error_reason_header;
    const char *process_time_header;
    bool names_language;
    struct rate_header_names rate_headers;
    const struct cors_rule *cors; /* NULL: pages of other origins have no access */
    bool redirects_slashes;       /* 307 from /path/ to /path */
    bool reads_any_type;          /* a body is parsed as JSON whatever its Content-Type */

    struct failure_message failures[FAILURE__MAX];
    /* The text of FAILURE_BODY_TOO_LARGE; `announced` is 0 when the request gave no length. */
    int capacity_status; /* while computation is at its limit; 0 = 429 */
    const char *(*too_large)(const struct request *request, size_t announced, size_t limit);
};

/* Writes "detail", then those of "error_code", "status_code", "request_id" and "error" that
 * `members` names. Most envelopes consist of these. */
enum error_member {
    ERROR_CODE = 1,
    ERROR_STATUS = 2,
    ERROR_REQUEST_ID = 4,
    ERROR_CODE_AS_CODE = 8,
    ERROR_CODE_AS_ERROR = 16 /* once more, at the end */
};
void write_error_detail(struct json_writer *writer, const struct request *request,
                        const struct http_error *error, unsigned members);

#endif
