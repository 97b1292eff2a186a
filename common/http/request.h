/*
 * A request as handlers see it: identified, admitted, decoded. And the reply they fill. Both live
 * in the request's arena. A handler returns an error; the pipeline writes the error response.
 */
#ifndef ASSAY_HTTP_REQUEST_H
#define ASSAY_HTTP_REQUEST_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "http/policy.h"
#include "i18n/i18n.h"
#include "telemetry/trace.h"

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

/* The authenticated client. Each service defines its own roles and sources. */
struct identity {
    int role;            /* what it may do; 0 = anonymous */
    const char *source;  /* how it authenticated: "api_key", "cookie"...; NULL = it did not */
    const char *subject; /* the user or the key; NULL = none */
    const char *tenant;  /* whose data it may see; NULL where a service has one owner only */
    const void *detail;  /* further data of the service */
};

/* Where the client's identity came from. */
struct client {
    const char *resolved;    /* an address, or "unknown" */
    const char *network;     /* the key of limits: the same, or an IPv6 network of 64 bits */
    const char *direct_peer; /* NULL when there is none */
    bool from_header;
    struct string_list chain; /* X-Forwarded-For as sent */
};

enum { REQUEST_PATH_ARGUMENTS_MAX = 4, REQUEST_FAULTS_MAX = 16, REPLY_HEADERS_MAX = 32 };

struct server;
struct route;
struct exchange;
struct form;

/* An error of the request that only a handler can detect; answered like the errors of schemas. */
struct request_fault {
    const char *where; /* "body", "query", "path" */
    const char *field; /* NULL: the whole of it; below the top as `escalation.1.webhook_url` */
    const char *type;  /* "value_error" */
    const char *message;
    const char *input; /* the text that was sent; NULL = none is shown */
};

struct request {
    struct arena *arena;
    struct server *server;
    struct exchange *exchange; /* the transport */
    void *state;               /* of the service, from its start */
    const struct route *route; /* NULL: no route for this path and method */
    enum method method;
    const char *path;
    const char *arguments[REQUEST_PATH_ARGUMENTS_MAX]; /* of {placeholders}, in order */
    const void *query;                                 /* struct of route->query */
    const void *body;                                  /* struct of route->body */
    const char *bytes;                                 /* the body as received, if it was read */
    size_t length;
    struct form *form; /* of route->form */
    const char
        *form_sha256; /* of the form's body as received; NULL if the policy does not want it */
    const struct locale *locale;
    const char *id;
    struct client client;
    struct identity who;
    bool by_person;          /* a session or a personal token was accepted (people.h) */
    struct problem problem;  /* a failing handler fills it in */
    const char *detail_json; /* replaces the problem's text in the answer: JSON */
    size_t fault_count;
    struct request_fault faults[REQUEST_FAULTS_MAX];
    struct trace_context trace; /* of its span; not sampled: none is recorded */
    bool streaming;             /* the head of the answer has been sent (stream.h) */
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

/* Notes an error of the request; the handler returns what this returns. `field` may be NULL. The
 * texts live as long as the request. */
enum error request_fault(struct request *request, const char *where, const char *field,
                         const char *type, const char *message);

/* The same of a text that was sent, which the answer shows. */
enum error request_fault_in(struct request *request, const char *where, const char *field,
                            const char *input, const char *type, const char *message);

/* Notes an error for each member of `object` whose name is not among the `count` names. `object` is
 * the body's member `field` (NULL = the body). ERROR_NONE when all names are known. */
enum error request_check_names(struct request *request, const char *field, const json_t *object,
                               const char *const *names, size_t count);

/* Reads the body of a route whose row has `.reads_body`: up to `size` bytes, 0 at the end, -1 when
 * the client is gone, -2 past the route's limit (the answer is then 413). */
long request_read(struct request *request, char *bytes, size_t size);

/* When the request came: CLOCK_MONOTONIC, microseconds. */
int64_t request_started(const struct request *request);

/* The descriptor of the client's connection, to be watched for its end; -1 = none. */
int request_descriptor(const struct request *request);

/* Whether the client has left. Cheap enough for every iteration of a loop whose iterations take
 * milliseconds. */
bool request_gone(const struct request *request);

/* Releases the admission slot early: for handlers that have computed and now wait for another
 * service. */
void request_release_admission(struct request *request);

/* The value of a request header by its CGI name ("HTTP_IF_MATCH"), or NULL. */
const char *request_header(const struct request *request, const char *cgi_name);

/* The token of `Authorization: Bearer`, "" when the token is empty. The scheme is case-insensitive
 * (RFC 9110 section 11.1). NULL without the header, or with another scheme. */
const char *request_bearer(const struct request *request);

/* The address below which the portal shows the service ("/support"); "" on the service's own port.
 * The path of the request comes without it; links that a browser follows begin with it. */
const char *request_prefix(const struct request *request);

/* Whether Accept gives one media type more weight than another; false without that header. */
bool request_prefers(const struct request *request, const char *type, const char *other);

/* A field of a body that was read and is application/x-www-form-urlencoded; the last of several,
 * NULL when there is none. From the request's arena. */
const char *request_form_value(const struct request *request, const char *name);

/* Adds a header. Values with control characters are programming errors and dropped with a log line;
 * both texts must live as long as the request. */
void reply_add_header(struct reply *reply, const char *name, const char *value);

/* Redirects the client, without a body; `location` lives as long as the request. A path of the own
 * service begins with request_prefix(). */
void reply_redirect(struct reply *reply, int status, const char *location);

#endif
