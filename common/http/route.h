/*
 * The route table: one constant row per operation. The row drives routing, guards, limits,
 * validation, the 405 Allow header, the OpenAPI document, the docs page and the contract tests.
 */
#ifndef ASSAY_HTTP_ROUTE_H
#define ASSAY_HTTP_ROUTE_H

#include "base/schema.h"
#include "http/request.h"

/* From this many cost units on, admission counts a request as heavy. */
enum { COMPUTE_HEAVY_UNITS = 8 };

/* The admission cost of a request, computed from the decoded body. */
struct compute_cost {
    uint32_t units;
    bool heavy;
};

/* Statuses that a row may answer with in addition to its own and those that follow from the row
 * itself (401 and 403 of a role, 404 of a path argument, 413 and 422 of a body...). */
#define ERRORS(...) ((const int[]){__VA_ARGS__, 0})
/* Such a status with the reply schema of the row instead of the error envelope. */
#define WITH_REPLY(status) (-(status))
#define HEADERS(...) ((const char *const[]){__VA_ARGS__, NULL})

struct form_rule;

struct route {
    enum method method;
    const char *path;   /* "/api/v1/projects/{project_id}" */
    int role;           /* the lowest role that may call, of the service's list; 0 = anyone */
    unsigned traits;    /* flags that the service defines */
    const char *access; /* its class in docs/operate/authorisation.md; NULL = as the service's
                           access() says, by role, method and traits */
    int body_limit;     /* position in policy->body_limits */
    bool tail;          /* the last {placeholder} takes the rest of the path, with slashes */
    const struct schema *query; /* its fields are the query parameters; others are refused */
    bool any_query;             /* of a page or a file: its query is ignored */
    const struct schema *body;
    bool body_optional;           /* request->body is NULL when none was sent */
    bool secret_path;             /* the path contains a secret: logs have the row's path */
    const struct form_rule *form; /* the body is multipart/form-data (multipart.h) */
    const char *takes;            /* media type of a body without a schema: request->bytes */
    bool reads_body;              /* the handler reads the body in parts by request_read() */
    int status;                   /* of success; 0 = 200. 204 has no body */
    int unfit_status;             /* when the document does not fit its schema; 0 = 422 */
    const struct schema *reply;
    bool reply_is_list;         /* a list of such objects: reply->object is a struct object_list */
    const char *media_type;     /* of a reply that is not JSON */
    bool sets_cookie;           /* pages of unknown origins are refused; 415 for text/plain */
    bool no_tool;               /* for other programs: language models are not offered it */
    bool for_programs;          /* programs of the stack read it without credentials, by the socket
                                   of the family (net/family_call.h) */
    const int *errors;          /* ERRORS(...) */
    const char *const *headers; /* request headers that are read: HEADERS(...); NULL = none */
    bool idempotent;            /* honors Idempotency-Key (idempotency.h) */
    void (*cost)(const void *body, struct compute_cost *cost); /* NULL = no admission */
    enum error (*handler)(struct request *request, struct reply *reply);
    const char *name; /* operationId, snake_case */
    const char *tag;
    const char *summary;
    const char *help;
    const char *for_models; /* says more to a language model that calls it as a tool (mcp/mcp.h);
                               NULL = summary and help will do */
    bool hidden;            /* not in the API document: pages, aliases */
};

struct route_match {
    const struct route *route; /* NULL: the path is known, the method is not, or neither */
    bool path_known;
    unsigned methods; /* bit per enum method the path answers */
};

/* Whether `route` may answer with `status` and its reply schema (success, or WITH_REPLY). */
bool route_replies_with(const struct route *route, int status);

/* Whether the route changes nothing: GET, or POST with one of the traits that its service names for
 * that (reading_traits). */
bool route_reads(const struct route *route, unsigned reading_traits);

/* Finds the row for a method and path; HEAD falls back to GET. Fills the path arguments from the
 * arena. */
struct route_match route_find(const struct route *routes, size_t count, enum method method,
                              const char *path, struct arena *arena,
                              const char *arguments[REQUEST_PATH_ARGUMENTS_MAX]);

#endif
