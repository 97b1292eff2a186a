/* What the files of the http kit share among themselves. */
#ifndef ASSAY_HTTP_HTTP_INTERNAL_H
#define ASSAY_HTTP_HTTP_INTERNAL_H

#include "http/server.h"

/* One request on its way through the pipeline. */
struct serving {
    struct server *server;
    const struct http_policy *policy;
    struct exchange *exchange;
    struct request request;
    struct reply reply;
    struct route_match match;
    struct rate_decision rate; /* of the base bucket; limit 0 = not asked */
    struct admission_ticket ticket;
    const char *error_code; /* of the answer, NULL on success */
    const char *body_bytes;
    size_t body_length;
    int64_t started;      /* monotonic microseconds */
    int64_t microseconds; /* taken, set when the head is composed */
    struct text head;     /* of the answer */
};

/* A pipeline step: true to go on, false when the reply is complete. */
typedef bool (*serving_step)(struct serving *serving);

/* Turns the reply into the error envelope. `detail` may be NULL to keep what is in body. */
void answer_error(struct serving *serving, int status, const char *error_code, const char *detail);

/* The answer to a problem of a handler or a domain function. */
void answer_problem(struct serving *serving, enum error error);

/* 422 with every error of a document. */
void answer_validation(struct serving *serving, const struct schema_errors *errors);

/* 422 json_invalid, and the 422 of a body that is absent or not JSON by its content type. */
void answer_json_invalid(struct serving *serving, const struct json_fault *fault);
void answer_body_missing(struct serving *serving);
void answer_body_not_json(struct serving *serving);

/* Adds Retry-After. */
void answer_retry_after(struct serving *serving, uint32_t seconds);

/* priority.c: see struct application */
void lower_priority(int niceness);

/* client.c */
void client_identify(struct serving *serving);

/* credentials.c */
bool step_credentials(struct serving *serving);
bool step_guard(struct serving *serving);

/* limits.c */
bool step_rate(struct serving *serving);
bool step_body(struct serving *serving);
bool step_admission(struct serving *serving);

/* cors.c */
bool step_preflight(struct serving *serving);
void cors_add_headers(struct serving *serving);

/* decode.c */
bool step_decode_query(struct serving *serving);
bool step_decode_body(struct serving *serving);

bool path_has_prefix(const char *path, const char *prefix);
bool path_is_protected(const struct http_policy *policy, const char *path);
bool path_is_operator(const struct http_policy *policy, const char *path);

#endif
