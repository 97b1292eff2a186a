/*
 * The route table: one constant row per operation. The row drives routing, guards, limits,
 * validation, the 405 Allow header, the OpenAPI document, the docs page and the contract tests.
 */
#ifndef ASSAY_HTTP_ROUTE_H
#define ASSAY_HTTP_ROUTE_H

#include "base/schema.h"
#include "http/request.h"

/* Who may call. All but GUARD_PUBLIC stand below the pipeline's own check of credentials. */
enum guard {
    GUARD_PUBLIC,   /* anybody; paths outside the protected ones */
    GUARD_TOKEN,    /* what the credentials step lets through */
    GUARD_AUTH,     /* any scope, or auth not enabled */
    GUARD_WRITE,    /* write or admin scope, or auth not enabled */
    GUARD_OPERATOR, /* the admin token */
    GUARD__MAX
};

/* Which further bucket a call is charged to. */
enum lane { LANE_STANDARD, LANE_HEAVY, LANE__MAX };

/* From so many cost units on, computation goes to the heavy lane. */
enum { COMPUTE_HEAVY_UNITS = 8 };

/* What admission to compute costs, by the decoded body. */
struct compute_cost {
    uint32_t units;
    bool heavy;
    const char *analyzer;
};

struct route {
    enum method method;
    const char *path; /* "/api/v1/projects/{project_id}" */
    enum guard guard;
    enum lane lane;
    bool compute; /* a stateless POST: read scope may call it when the policy says so */
    enum body_limit body_limit;
    const struct schema *query; /* its fields are the query parameters */
    const struct schema *body;
    bool body_optional; /* request->body is NULL when none was sent */
    const struct schema *reply;
    const char *media_type;     /* of a reply that is not JSON */
    bool may_conflict;          /* 409: what is stored forbids it for now */
    bool may_be_incomplete;     /* 422 with a text: valid, but not enough to work with */
    bool may_be_unready;        /* 503 with the reply's own shape */
    bool may_lack_provider;     /* 503: a service outside that the caller has chosen gave nothing */
    const char *const *headers; /* request headers that it reads; NULL-terminated, NULL = none */
    void (*cost)(const void *body, struct compute_cost *cost); /* NULL = no admission */
    enum error (*handler)(struct request *request, struct reply *reply);
    const char *name; /* operationId, snake_case */
    const char *tag;
    const char *summary;
    const char *help;
};

struct route_match {
    const struct route *route; /* NULL: the path is known, the method is not, or neither */
    bool path_known;
    unsigned methods; /* bit per enum method the path answers */
};

/* Finds the row for a method and path; HEAD falls back to GET. Fills the path arguments from the
 * arena. */
struct route_match route_find(const struct route *routes, size_t count, enum method method,
                              const char *path, struct arena *arena,
                              const char *arguments[REQUEST_PATH_ARGUMENTS_MAX]);

#endif
