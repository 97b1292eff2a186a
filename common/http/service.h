/*
 * A service as its families see it, and a family as its main.c declares it. One `struct
 * http_service` per service (fcgi-bin/<service>/service.c), one `struct http_family` per responder
 * (fcgi-bin/<service>-<family>/main.c).
 */
#ifndef ASSAY_HTTP_SERVICE_H
#define ASSAY_HTTP_SERVICE_H

#include "base/settings.h"
#include "http/idempotency.h"
#include "http/route.h"
#include "http/wire_format.h"
#include "shm/metrics.h"

enum { HTTP_BUCKETS_MAX = 3 };

struct server;
struct hub;

/* What a request is asked on its way to the handler. Contracts differ in the order (whether a
 * stranger learns that a body is malformed, or that a path does not exist), so a service may have
 * its own; every order ends with the route, the role and what the row asks for. */
enum http_step {
    STEP_END,
    STEP_LENGTH, /* 413 by Content-Length alone */
    STEP_SLASH,  /* 307 if the wire format redirects slashes */
    STEP_AUTHENTICATE,
    STEP_RATE,
    STEP_BODY, /* reads it, with its limit */
    STEP_PREFLIGHT,
    STEP_ROUTE, /* 404, 405 */
    STEP_JSON,  /* the body is JSON, where the route takes some */
    STEP_ROLE,
    STEP_QUERY,
    STEP_FIELDS, /* the body fits its schema */
    STEP_FORM,
    STEP_ADMISSION, /* to computation */
    STEP__MAX
};

/* How the reasons of domain problems are answered when not by the class of their error. `detail`
 * takes the place of the problem's own text where that is for the log only. */
struct reason_answer {
    const char *reason;
    int status;
    const char *error_code;
    const char *detail;
};

struct document_info {
    const char *title; /* of the OpenAPI document */
    const char *version;
    const char *description;
};

/* Why somebody is not let in. */
struct http_refusal {
    int status;
    const char *error_code;
    const char *detail;
    const char *challenge;  /* WWW-Authenticate; NULL = none */
    bool counts;            /* as a failure to prove who one is */
    bool answered_by_error; /* request->problem says it instead: the keys could not be read */
};

/* Fills a refusal in, with Bearer for the challenge of a 401, and leaves what else it says. False.
 */
bool http_refuse(struct http_refusal *refusal, int status, const char *error_code,
                 const char *detail);

/* A limit that a call is charged to. */
struct http_bucket {
    const char *name; /* of the counter: "api:192.0.2.7" */
    struct rate_rule rule;
    const char *detail;   /* NULL = the message of the wire format */
    uint32_t retry_after; /* seconds; 0 = as the window says */
    /* Instead of the sliding window: a token bucket, where its capacity is not 0. */
    struct rate_bucket tokens;
};

struct http_service {
    const char *name; /* "experiments": of the run file, the log, and the folder of its pages */
    const struct wire_format *format;
    const enum http_step *order; /* ends with STEP_END; NULL = http's own */

    /* Its settings: the table, and the struct that start() has filled (server->settings). */
    const struct setting *settings;
    const size_t *setting_count;

    const struct reason_answer *reasons; /* before http's own, which know the database's reasons */
    size_t reason_count;

    /* What it counts, in server->metrics; NULL = nothing. */
    const struct metric *metrics;
    size_t metric_count;
    bool counts_http; /* the table begins with HTTP_METRICS (server.h) */

    /* Reads settings into server->policy, ->info, ->settings and ->state; memory from `arena` lives
     * as long as the process. Opens nothing: --check-config calls it too. */
    enum error (*start)(struct server *server, struct arena *arena, struct problem *problem);
    /* Opens and prepares the database, and checks what only the database can tell of the settings;
     * NULL = there is nothing to do. Called by --check-config, which `starts` the service
     * (server->region is then NULL), and by a worker before its first request, when all that
     * workers share is open. A worker starts also while the database is away. */
    enum error (*ready)(struct server *server, bool starts, struct problem *problem);

    /* After the client and the route are known, before anything is asked of the client: false when
     * the reply is complete. NULL = nothing to do. */
    bool (*begin)(struct request *request, struct reply *reply);
    /* Who is asking: fills request->who. False with a refusal. Called for unknown paths too
     * (request->route is NULL), which a service may hide from strangers. NULL = everybody is role
     * 0.
     */
    bool (*authenticate)(struct request *request, struct http_refusal *refusal);
    /* Whether the request was let in because the service is open to everybody; asked after
     * authenticate(). NULL = it never is. */
    bool (*is_open)(const struct request *request);
    /* Names the class of callers of a route: a line of the service's table in
     * docs/operate/authorisation.md. */
    const char *(*access)(const struct route *route);
    /* Words the refusal of somebody whose role is below the route's. */
    void (*refuse)(const struct request *request, struct http_refusal *refusal);
    /* The limits that this call is charged to, in order; the headers tell of the first. */
    size_t (*buckets)(struct request *request, struct http_bucket buckets[HTTP_BUCKETS_MAX]);
    /* Charges a call to a limit that holds beyond this host. False leaves it to the host's own.
     * NULL = there is none. */
    bool (*charge)(struct request *request, const struct http_bucket *bucket,
                   struct rate_decision *decision);
    /* Where first answers are kept; NULL = keys of idempotency are not looked at. */
    enum error (*idempotency)(struct request *request, struct http_idempotency *idempotency);
    /* Adds headers to an answer that is otherwise complete. */
    void (*finish)(struct request *request, struct reply *reply);
    /* After the answer has been sent, whatever became of it: to note, and to leave nothing open.
     * The request's memory is still there; `status` is the answer's. */
    void (*after)(struct request *request, int status);
    /* After a hub has looked for news: to leave nothing open. NULL = nothing to do. */
    void (*after_turn)(struct server *server);
    /* No request has come for ASSAY_DATABASE_IDLE_SECONDS: gives back what other workers may need.
     * Called once after each run of requests, and after ready(). NULL = there is nothing. */
    void (*idle)(struct server *server);
    /* About once a second, also while nobody asks anything: what must not wait for the next
     * request. NULL = nothing does. */
    void (*each_second)(struct server *server);
    /* When the worker leaves. */
    void (*stop)(void *state);
};

/* One responder. */
struct http_family {
    const struct http_service *service;
    const char *name; /* "analysis" */
    const struct route *routes;
    size_t route_count;
    /* Not 0: its requests yield to those of other families. Sets the niceness of each worker, and
     * that of its session if the session holds nothing but its pool (nginx/pool). */
    int niceness;
    /* Its handlers store nothing: ready() opens no database. Only an issued key that a client
     * presents makes the worker look into it. */
    bool without_storage;
    const struct hub *hub; /* its streams wait together in one process (hub.h); NULL = no */
};

#define ROUTES(table) .routes = (table), .route_count = COUNT_OF(table)

/* main() of a responder: serves FastCGI on descriptor 0; or --describe, --check-config,
 * --describe-settings. Returns the exit code. */
int responder_main(int argc, char **argv, const struct http_family *family);

#endif
