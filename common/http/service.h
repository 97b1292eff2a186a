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

/* The steps of a request before the handler. Contracts differ in the order (whether an
 * unauthenticated client learns that a body is malformed, or that a path does not exist), so a
 * service may define its own. Every order ends with the route, the role and the checks of the
 * row. */
enum http_step {
    STEP_END,
    STEP_LENGTH, /* 413 by Content-Length alone */
    STEP_SLASH,  /* 307 if the wire format redirects slashes */
    STEP_AUTHENTICATE,
    STEP_RATE,
    STEP_BODY, /* reads it, with its limit */
    STEP_PREFLIGHT,
    STEP_ROUTE, /* 404, 405 */
    STEP_JSON,  /* the body is JSON, if the route takes JSON */
    STEP_ROLE,
    STEP_QUERY,
    STEP_FIELDS, /* the body fits its schema */
    STEP_FORM,
    STEP_ADMISSION, /* to computation */
    STEP__MAX
};

/* How the reasons of domain problems are answered when not by the class of their error. `detail`
 * replaces the problem's own text where that text is for the log only. */
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

/* Why a client is refused. */
struct http_refusal {
    int status;
    const char *error_code;
    const char *detail;
    const char *challenge;  /* WWW-Authenticate; NULL = none */
    bool counts;            /* counts as a failed authentication */
    uint32_t retry_after;   /* of a 429: seconds */
    bool answered_by_error; /* request->problem is the answer: the keys could not be read */
};

/* Fills in a refusal, with Bearer for the challenge of a 401, and keeps its other members. Returns
 * false. */
bool http_refuse(struct http_refusal *refusal, int status, const char *error_code,
                 const char *detail);

/* A limit that a call is charged to. */
struct http_bucket {
    const char *name; /* of the counter: "api:192.0.2.7" */
    struct rate_rule rule;
    const char *detail;   /* NULL = the message of the wire format */
    uint32_t retry_after; /* seconds; 0 = until the window admits a call */
    /* A token bucket instead of the sliding window, unless its capacity is 0. */
    struct rate_bucket tokens;
};

struct http_service {
    const char *name; /* "experiments": in the run file, the log, and the folder of its pages */
    const struct wire_format *format;
    const enum http_step *order; /* ends with STEP_END; NULL = http's own */

    /* The table of its settings, and the struct that start() has filled (server->settings). */
    const struct setting *settings;
    const size_t *setting_count;

    const struct reason_answer *reasons; /* searched before http's own, which cover the database */
    size_t reason_count;

    /* Its metrics, in server->metrics; NULL = none. */
    const struct metric *metrics;
    size_t metric_count;
    bool counts_http; /* the table begins with HTTP_METRICS (server.h) */
    /* Traits of routes that change nothing although their method is POST. */
    unsigned reading_traits;
    /* The row of the table that counts reads that may be old while there is a replica, by
     * `answered_by`: replica or database. 0 = none. */
    unsigned old_reads_metric;

    /* Reads settings into server->policy, ->info, ->settings and ->state; memory from `arena` lives
     * as long as the process. Must not open anything: --check-config calls it too. */
    enum error (*start)(struct server *server, struct arena *arena, struct problem *problem);
    /* Opens and prepares the database, and checks the settings that depend on it; NULL = there is
     * nothing to do. --check-config calls it with `starts` true (server->region is then NULL). A
     * worker calls it before its first request, after opening the shared memory. A worker starts
     * also while the database is unavailable. */
    enum error (*ready)(struct server *server, bool starts, struct problem *problem);

    /* Called when the client address and the route are known, before any check of the client. False
     * when the reply is complete. NULL = nothing to do. */
    bool (*begin)(struct request *request, struct reply *reply);
    /* Authenticates the client: fills request->who. False with a refusal. Called for unknown paths
     * too (request->route is NULL), which a service may hide from unauthenticated clients. NULL =
     * every client has role 0. */
    bool (*authenticate)(struct request *request, struct http_refusal *refusal);
    /* Whether the request was admitted because the service is open to everybody; called after
     * authenticate(). NULL = never. */
    bool (*is_open)(const struct request *request);
    /* Names the class of callers of a route: a line of the service's table in
     * docs/operate/authorisation.md. */
    const char *(*access)(const struct route *route);
    /* Writes the refusal of a client whose role is below the route's. */
    void (*refuse)(const struct request *request, struct http_refusal *refusal);
    /* The limits that this call is charged to, in order; the headers report the first. */
    size_t (*buckets)(struct request *request, struct http_bucket buckets[HTTP_BUCKETS_MAX]);
    /* Charges a call to a limit that several hosts share. False leaves it to the limit of this
     * host. NULL = no shared limit. */
    bool (*charge)(struct request *request, const struct http_bucket *bucket,
                   struct rate_decision *decision);
    /* Where first answers are kept; NULL = Idempotency-Key is ignored. */
    enum error (*idempotency)(struct request *request, struct http_idempotency *idempotency);
    /* Whether pages of an origin that the policy does not list may call and read the answer,
     * without a session. Called for preflights, which show no credentials, and for every answer.
     * NULL = none. */
    bool (*admits_origin)(struct request *request, const char *origin);
    bool limits_preflights; /* `buckets` is asked for preflights (CORS), too */
    /* Adds headers to a complete answer. */
    void (*finish)(struct request *request, struct reply *reply);
    /* Called after the answer has been sent or has failed, to record the request and close what is
     * open. The request's memory is still valid; `status` is the answer's. */
    void (*after)(struct request *request, int status);
    /* Closes what may be open of the stores: after a hub has read events, and when memory ran out
     * in the middle of a request, before anything waits. NULL = nothing to do. */
    void (*after_turn)(struct server *server);
    /* No request has come for ASSAY_DATABASE_IDLE_SECONDS: releases what other workers may need.
     * Called once after each run of requests, and after ready(). NULL = there is nothing. */
    void (*idle)(struct server *server);
    /* Called about once a second, also while no request comes. NULL = nothing to do. */
    void (*each_second)(struct server *server);
    /* Called when the worker exits. */
    void (*stop)(void *state);
};

/* One responder. */
struct http_family {
    const struct http_service *service;
    const char *name; /* "analysis" */
    const struct route *routes;
    size_t route_count;
    /* If not 0, its requests yield to those of other families. Sets the niceness of each worker,
     * and that of its session if the session holds nothing but its pool (nginx/pool). */
    int niceness;
    /* Its handlers store nothing: ready() opens no database. The worker opens it only to look up an
     * issued key that a client presents. */
    bool without_storage;
    /* Its handlers wait for others and let them wait side by side: one process serves thousands of
     * requests, each in a fiber (docs/develop/event-loop.md). */
    bool concurrent;
    /* They compute between two waits: such a worker takes one request at a time from the line, and
     * leaves the others to workers that idle. */
    bool computes;
    /* Metrics that one of its handlers computes at the scrape, beside those of the service. */
    const struct metric *scraped;
    size_t scraped_count;
    const struct hub *hub; /* one process serves all its suspended streams (hub.h); NULL = none */
};

#define ROUTES(table) .routes = (table), .route_count = COUNT_OF(table)

/* main() of a responder: serves FastCGI on descriptor 0; or --describe, --check-config,
 * --describe-settings and the like. Returns the exit code. */
int responder_main(int argc, char **argv, const struct http_family *family);

#endif
