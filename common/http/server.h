/*
 * A responder: its route table, its start, and the loop that serves one request after the other.
 * `responder_main` is the whole main() of a program in fcgi-bin/.
 */
#ifndef ASSAY_HTTP_SERVER_H
#define ASSAY_HTTP_SERVER_H

#include "base/schema.h"
#include "http/policy.h"
#include "http/route.h"
#include "shm/counters.h"
#include "shm/region.h"

/* What every family of a service counts in shared memory. The number of the layout goes into the
 * region's version: change it when the meaning of a position changes. */
enum { HTTP_LAYOUT_VERSION = 1 };

enum http_counter {
    COUNTER_REQUESTS,
    COUNTER_SUCCESS, /* below 400 */
    COUNTER_CLIENT_ERROR,
    COUNTER_SERVER_ERROR,
    COUNTER_AUTH_REJECTION,
    COUNTER_RATE_LIMITED,
    COUNTER_BODY_REJECTION,
    COUNTER_CAPACITY_REJECTION,
    COUNTER_KEY_CHANGES, /* times at which keys may have begun to count */
    COUNTER__MAX
};
enum http_stamp {
    STAMP_LAST_REQUEST,
    STAMP_LAST_ERROR,
    STAMP_KNOWN_OPEN, /* no time: COUNTER_KEY_CHANGES + 1 when no keys were found; 0 = never */
    STAMP__MAX
};
enum http_note { NOTE_LAST_ERROR_CODE, NOTE__MAX };
enum http_histogram { HISTOGRAM_REQUEST, HISTOGRAM__MAX };

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

/* A key that the service has issued, as far as the pipeline cares. */
struct issued_key {
    const char *id;
    enum scope scope;
    struct rate_rule rate; /* 0 in either member = the policy's */
};

/* Where issued keys are kept. Errors are answered as any other problem; nothing is let through. */
struct key_source {
    /* Whether any key was ever issued: then credentials are asked for. */
    enum error (*any)(struct request *request, bool *any);
    enum error (*find)(struct request *request, const char *token, struct issued_key *key,
                       bool *found);
};

/* One responder, as its main.c declares it. */
struct application {
    const char *service; /* "experiments" */
    const char *family;  /* "analysis" */
    /* Not 0: its requests yield to those of other families. Lowers each worker, and its session
     * where that holds nothing but its pool (nginx/pool); and what computes for long rests while
     * other families answer requests (base/give_way.h). */
    int niceness;
    const struct route *routes;
    size_t route_count;
    const struct reason_answer *reasons;
    size_t reason_count;
    /* Reads settings into the policy and *state; memory from `arena` lives as long as the process.
     * Must not open databases or sockets: --check-config calls it too. */
    enum error (*start)(struct arena *arena, struct http_policy *policy, struct document_info *info,
                        void **state, struct problem *problem);
    /* What only the database can tell of the settings; NULL = nothing. Called by --check-config,
     * which `starts` the service, and by a worker before its first request. Logs what is allowed
     * and should not be. */
    enum error (*ready)(void *state, bool starts, struct problem *problem);
    const struct key_source *keys; /* NULL = none are issued */
    /* After the answer has been sent, whatever became of it: to note, and to leave nothing open.
     * The request's memory is still there; `status` is the answer's. */
    void (*after)(struct request *request, int status);
    /* When the worker leaves. */
    void (*stop)(void *state);
    /* Prints the settings in force, for --check-config. */
    void (*print_settings)(const void *state, struct text *out);
    /* Prints the table of settings as Markdown, for --describe-settings. */
    void (*document_settings)(struct text *out);
};

/* A running responder. */
struct server {
    const struct application *application;
    struct http_policy policy;
    struct document_info info;
    void *state;
    struct shm_region *region;
    struct shm_family *family;
    struct arena *arena;     /* of the request being served */
    struct serving *serving; /* the request at hand, until server_after() */
};

/* What a transport hands in and takes back. The FastCGI loop has one, and so have the tests. */
struct exchange {
    void *transport;
    /* Value of a CGI variable (REQUEST_METHOD, HTTP_ACCEPT...), NULL when absent. */
    const char *(*variable)(void *transport, const char *name);
    /* Up to `size` bytes of the body; 0 at its end, negative when the peer is gone. */
    long (*read)(void *transport, char *bytes, size_t size);
    /* The whole answer, header and body. False when the peer is gone. */
    bool (*write)(void *transport, const char *head, size_t head_length, const char *body,
                  size_t body_length);
};

/* Serves one request: the fixed pipeline. Never fails; every way out is an answer. */
void server_serve(struct server *server, struct exchange *exchange);

/* What is left to do for the request just served, once the client has its answer. */
void server_after(struct server *server);

/* Opens what workers share and the catalogues. `run_directory` holds <service>.shm; NULL keeps it
 * in this process (tests). */
MUST_CHECK enum error server_start(struct server *server, const struct application *application,
                                   struct arena *arena, const char *run_directory,
                                   const char *locales_directory, struct problem *problem);
void server_stop(struct server *server);

/* This responder's part of the OpenAPI document. */
void server_describe(const struct server *server, struct text *out);

/* main() of a responder: serves FastCGI on descriptor 0; or --describe, --check-config,
 * --describe-settings. Returns the exit code. */
int responder_main(int argc, char **argv, const struct application *application);

#endif
