/*
 * A request as handlers see it: identified, admitted, decoded. And the reply they fill. Both live
 * in the request's arena; a handler returns an error and leaves the wording of it to the pipeline.
 */
#ifndef ASSAY_HTTP_REQUEST_H
#define ASSAY_HTTP_REQUEST_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "http/policy.h"
#include "i18n/i18n.h"

enum method {
    METHOD_GET,
    METHOD_HEAD,
    METHOD_POST,
    METHOD_PUT,
    METHOD_PATCH,
    METHOD_DELETE,
    METHOD_OPTIONS,
    METHOD_OTHER,
    METHOD__MAX
};

extern const char *const method_names[METHOD__MAX];

enum scope { SCOPE_NONE, SCOPE_READ, SCOPE_WRITE, SCOPE_ADMIN, SCOPE__MAX };

extern const char *const scope_names[SCOPE__MAX]; /* NULL for SCOPE_NONE */

/* Who is asking, as far as the credentials tell. */
struct credentials {
    bool auth_enabled;         /* some token is configured; without any the service is open */
    enum scope scope;          /* SCOPE_NONE when auth is not enabled */
    const char *source;        /* admin_token, legacy, api_key, anonymous; NULL = none */
    const char *key_id;        /* of an issued key */
    struct rate_rule key_rate; /* that key's own limit; 0 in either member = the policy's */
};

/* Where the client's identity came from. */
struct client {
    const char *resolved;    /* what limits go by: an address, or "unknown" */
    const char *direct_peer; /* NULL when there is none */
    bool from_header;
    struct string_list chain; /* X-Forwarded-For as sent */
};

enum { REQUEST_PATH_ARGUMENTS_MAX = 4, REPLY_HEADERS_MAX = 16 };

struct server;
struct route;
struct exchange;

struct request {
    struct arena *arena;
    struct server *server;
    struct exchange *exchange; /* the transport's side of it */
    void *state;               /* the responder's own, from application.start */
    enum method method;
    const char *path;
    const char *arguments[REQUEST_PATH_ARGUMENTS_MAX]; /* of {placeholders}, in order */
    const void *query;                                 /* struct of route->query */
    const void *body;                                  /* struct of route->body */
    const struct locale *locale;
    const char *id;
    struct client client;
    struct credentials who;
    struct problem problem; /* what a failing handler fills in */
};

struct reply_header {
    const char *name;
    const char *value;
};

struct reply {
    int status;               /* 200 unless a handler says otherwise */
    const void *object;       /* written by the route's reply schema */
    const char *content_type; /* application/json */
    struct text body;         /* written directly when there is no object */
    size_t header_count;
    struct reply_header headers[REPLY_HEADERS_MAX];
};

/* Gives back the slot of admission before its time: for handlers that have computed and now wait
 * for somebody else. */
void request_leave_admission(struct request *request);

/* The value of a request header by its CGI name ("HTTP_IF_MATCH"), or NULL. */
const char *request_header(const struct request *request, const char *cgi_name);

/* Adds a header. Values with control characters are programming errors and dropped with a log line;
 * both texts must live as long as the request. */
void reply_add_header(struct reply *reply, const char *name, const char *value);

#endif
