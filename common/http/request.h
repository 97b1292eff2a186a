/*
 * A request as handlers see it: identified, admitted, decoded. And the reply they fill. Both live
 * in the request's arena; a handler returns an error and leaves the wording of it to the pipeline.
 */
#ifndef ASSAY_HTTP_REQUEST_H
#define ASSAY_HTTP_REQUEST_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
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

/* Who is asking, as far as the service could tell. Its lists of roles and sources are its own. */
struct identity {
    int role;            /* what it may do; 0 = nobody in particular */
    const char *source;  /* how it is known: "api_key", "cookie"...; NULL = not at all */
    const char *subject; /* the user or the key; NULL = none */
    const char *tenant;  /* whose data it may see; NULL where a service has one owner only */
    const void *detail;  /* what else the service wants to remember */
};

/* Where the client's identity came from. */
struct client {
    const char *resolved;    /* an address, or "unknown" */
    const char *network;     /* what limits go by: the same, or an IPv6 network of 64 bits */
    const char *direct_peer; /* NULL when there is none */
    bool from_header;
    struct string_list chain; /* X-Forwarded-For as sent */
};

enum { REQUEST_PATH_ARGUMENTS_MAX = 4, REQUEST_FAULTS_MAX = 16, REPLY_HEADERS_MAX = 32 };

struct server;
struct route;
struct exchange;
struct form;

/* An error of the request that only a handler can see; answered as those of schemas are. */
struct request_fault {
    const char *where; /* "body", "query", "path" */
    const char *field; /* NULL: the whole of it; below the top as `escalation.1.webhook_url` */
    const char *type;  /* "value_error" */
    const char *message;
};

struct request {
    struct arena *arena;
    struct server *server;
    struct exchange *exchange; /* the transport's side of it */
    void *state;               /* the service's own, from its start */
    const struct route *route; /* NULL: nothing answers this path and method */
    enum method method;
    const char *path;
    const char *arguments[REQUEST_PATH_ARGUMENTS_MAX]; /* of {placeholders}, in order */
    const void *query;                                 /* struct of route->query */
    const void *body;                                  /* struct of route->body */
    const char *bytes;                                 /* the body as it came, where it was read */
    size_t length;
    struct form *form; /* of route->form */
    const char
        *form_sha256; /* of the body of the form as it came, where the policy wants it; NULL */
    const struct locale *locale;
    const char *id;
    struct client client;
    struct identity who;
    struct problem problem;  /* what a failing handler fills in */
    const char *detail_json; /* takes the place of the problem's text in the answer: JSON */
    size_t fault_count;
    struct request_fault faults[REQUEST_FAULTS_MAX];
    bool streaming; /* the head of the answer is out (stream.h) */
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

/* Notes as an error each member of `object`, the body's member `field` (NULL = the body), that has
 * none of the `count` names. ERROR_NONE when all have one. */
enum error request_check_names(struct request *request, const char *field, const json_t *object,
                               const char *const *names, size_t count);

/* Reads on in the body of a route whose row says `.reads_body`: up to `size` bytes, 0 at the end,
 * -1 when the client is gone, -2 past the route's limit (the answer is then 413). */
long request_read(struct request *request, char *bytes, size_t size);

/* Whether the client has left. Cheap enough for every turn of a loop that takes milliseconds. */
bool request_gone(const struct request *request);

/* Gives back the slot of admission before its time: for handlers that have computed and now wait
 * for somebody else. */
void request_release_admission(struct request *request);

/* The value of a request header by its CGI name ("HTTP_IF_MATCH"), or NULL. */
const char *request_header(const struct request *request, const char *cgi_name);

/* The token of `Authorization: Bearer`, "" when there is none behind the scheme, whose letters'
 * case means nothing (RFC 9110 section 11.1); NULL without the header, or with another scheme. */
const char *request_bearer(const struct request *request);

/* Whether Accept gives one media type more weight than another; false without that header. */
bool request_prefers(const struct request *request, const char *type, const char *other);

/* A field of a body that was read and is application/x-www-form-urlencoded; of several the last,
 * NULL when there is none. From the request's arena. */
const char *request_form_value(const struct request *request, const char *name);

/* Adds a header. Values with control characters are programming errors and dropped with a log line;
 * both texts must live as long as the request. */
void reply_add_header(struct reply *reply, const char *name, const char *value);

/* An answer without a body that sends the client elsewhere; `location` lives as long as the
 * request. */
void reply_redirect(struct reply *reply, int status, const char *location);

#endif
