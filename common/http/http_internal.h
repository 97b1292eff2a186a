/* Declarations that the files of common/http share. */
#ifndef ASSAY_HTTP_HTTP_INTERNAL_H
#define ASSAY_HTTP_HTTP_INTERNAL_H

#include "http/idempotency.h"
#include "http/server.h"
#include "telemetry/traced.h"

#include <stddef.h>

#define JSON_MEDIA_TYPE "application/json" /* of every error */

/* Whether a replica answers the read of a handler (replica.h). */
enum old_read { OLD_READ_NONE, OLD_READ_ASKED, OLD_READ_TAKEN, OLD_READ_REFUSED };

/* One request in the pipeline. */
struct serving {
    struct server *server;
    const struct http_policy *policy;
    const struct wire_format *format;
    struct exchange *exchange;
    struct request request;
    struct reply reply;
    struct route_match match;
    struct trace_context caller; /* of the client's span */
    struct traced traced;        /* of what the request uses and writes down */
    struct rate_decision rate;   /* of the base bucket; limit 0 = not checked */
    struct semaphore_ticket ticket;
    bool origin_admitted;       /* by the service, for this preflight */
    const char *error_code;     /* of the answer, NULL on success */
    struct idempotency_key key; /* while its first answer is computed */
    const char *key_holder;
    struct db *key_store; /* NULL = no key was claimed */
    json_t *document;     /* the body, where it is JSON */
    enum old_read old_read;
    int64_t position;          /* that the read has to see; 0 = any */
    struct replica *replica;   /* that was looked at; NULL = none was */
    struct db *replica_handle; /* while it answers */
    int64_t replica_as_of;     /* its data is not older: monotonic microseconds */
    size_t body_read;          /* of a body that the handler reads itself */
    size_t streamed;           /* bytes sent after the head */
    struct text unsent;  /* parts of an event of a stream, so that a small event is one write */
    size_t head_waiting; /* bytes of the unsent head at its beginning */
    bool stream_begins;  /* the head is composed before the handler has done its work */
    bool stream_ended;
    bool suspended;       /* the hub continues it */
    int64_t started;      /* monotonic microseconds */
    int64_t microseconds; /* elapsed, set when the head is composed */
    struct text head;     /* of the answer */
};

/* The request's place in the pipeline. */
static inline struct serving *serving_of(const struct request *request)
{
    return (struct serving *)((char *)(uintptr_t)request - offsetof(struct serving, request));
}

/* Serves one request: `serving` is its state, `arena` its memory, both the caller's. A request that
 * is `refused` gets 503 with Retry-After instead of its handler. */
void serving_run(struct serving *serving, struct server *server, struct arena *arena,
                 struct exchange *exchange, bool refused);

/* Finishes it, after the client has its answer, and frees its memory. */
void serving_end(struct serving *serving);

/* A pipeline step: true to go on, false when the reply is complete. */
typedef bool (*serving_step)(struct serving *serving);

/* Turns the reply into the service's error envelope. */
void answer_error(struct serving *serving, int status, const char *error_code, const char *detail);

/* The same with the message of the wire format. */
void answer_failure(struct serving *serving, int status, enum failure failure);
struct failure_message failure_message(const struct wire_format *format, enum failure failure);

/* The same with a detail that is JSON already. */
void answer_detail(struct serving *serving, int status, const char *error_code,
                   const char *detail_json);

/* The answer to a problem of a handler or a domain function. */
void answer_problem(struct serving *serving, enum error error);

/* 422 with every error of a document. */
void answer_validation(struct serving *serving, const struct schema_errors *errors);

/* 422 with what a handler has noted by request_fault(). */
void answer_faults(struct serving *serving);

/* `conversions.17.value`, or NULL where that byte is in no record of a list. From the arena. */
const char *json_path_at(struct arena *arena, const char *bytes, size_t offset);

/* 422 json_invalid, and the 422 of a body that is absent or not JSON by its content type. */
void answer_json_invalid(struct serving *serving, const struct json_fault *fault);
void answer_body_missing(struct serving *serving);
void answer_body_not_json(struct serving *serving);

/* 413; `announced` is 0 when the request gave no length. Always false: the step has answered. */
bool answer_too_large(struct serving *serving, size_t announced, size_t limit);

/* Adds Retry-After. */
void answer_retry_after(struct serving *serving, uint32_t seconds);

/* exchange.c: a request of FastCGI as a transport; it must stay in place */
struct fastcgi;
struct exchange exchange_over(struct fastcgi *request);

/* priority.c: see struct http_family */
void lower_priority(int niceness);

/* client.c */
void client_identify(struct serving *serving);

/* path.c: the decoded request path, from the arena. Never NULL. */
const char *request_path_of(const struct request *request);
/* For logs and spans: the path, or the row's where the path contains a secret, also when it has
 * more behind it and so is no route's. */
const char *request_shown_path(const struct request *request);

/* access.c */
bool step_authenticate(struct serving *serving);
/* False where a page of another site would change something, or sign a user in. */
bool check_page(struct serving *serving);
bool step_role(struct serving *serving);

/* limits.c */
bool step_length(struct serving *serving);
bool step_rate(struct serving *serving);
bool step_body(struct serving *serving);
bool step_admission(struct serving *serving);

/* cors.c */
bool cors_is_preflight(const struct serving *serving);
bool step_preflight(struct serving *serving);
void cors_add_headers(struct serving *serving);

/* decode.c; form_decode decodes %XX and '+' */
const char *form_decode(struct arena *arena, const char *text, size_t length);
/* "application/json", "application/problem+json; charset=utf-8"... */
bool is_json_type(const char *content_type);
bool step_decode_query(struct serving *serving);
bool step_json(struct serving *serving);
bool step_fields(struct serving *serving);

/* multipart.c */
bool step_form(struct serving *serving);
void form_close(struct form *form);

/* idempotency.c: false when a stored answer was sent; the second function stores or drops the
 * result */
bool idempotency_begin(struct serving *serving);
void idempotency_end(struct serving *serving, bool answered);

/* replica.c: before the handler of a read that may be old; whether the handler has to be called
 * again, on the database itself; from now on it is asked, and the answer says that it is current */
enum error replica_ask(struct serving *serving);
bool replica_read_failed(const struct serving *serving, enum error error);
void replica_give_up(struct serving *serving);
void replica_state_current(struct serving *serving);
/* Counts a read that may be old, after the answer is made. */
void replica_count(const struct serving *serving);

/* stream.c: closes streams left open when a handler returns, when it fails, or when memory runs
 * out */
void stream_abandon(struct serving *serving);
void stream_break(struct serving *serving);

/* head.c: the head of an answer. `length` < 0 = not known, for streams. */
void compose_head(struct serving *serving, int64_t length);

#endif
