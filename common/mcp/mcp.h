/*
 * The Model Context Protocol (https://modelcontextprotocol.io/specification, revisions 2025-06-18
 * and 2025-11-25) over its streamable HTTP transport: each route of a service is a tool of
 * language models. One POST is one message, and gets one answer in JSON; there are no sessions and
 * no streams of the server, so that no idle client holds a worker.
 *
 * The tools are made from the API documents that the launcher composes from the tables of routes
 * (catalog.h). A call of a tool is a request to its route, sent on to the family that answers it
 * with the credentials of whoever calls (http/relay.h): the route's own method, role, schema and
 * limits decide.
 *
 * A family offers this by one row: POST /mcp with MCP_ROUTE, whose handler calls mcp_handle().
 */
#ifndef ASSAY_MCP_MCP_H
#define ASSAY_MCP_MCP_H

#include "http/route.h"

enum { MCP_ARGUMENTS_MAX = 4 };

/* A service whose routes are tools. */
struct mcp_service {
    const char *name;   /* "livedata" */
    const char *prefix; /* below which the portal shows it, "/data"; NULL: on its own port, or
                           below the prefix of the request */
};

/* Things that clients may read as resources: the URI ends with their id. */
struct mcp_resource {
    const char *kind; /* "experiments/projects": assay://experiments/projects/ID */
    const char *name; /* "Project" */
    const char *about;
    const char *service;
    const char *list;   /* the operation that lists them; without arguments */
    const char *member; /* of its answer: the list; NULL = the answer is the list */
    const char *id;     /* of an item: the id */
    const char *label;  /* of an item: its name */
    const char *read;   /* the operation that reads one by its only path argument */
};

struct mcp_prompt_argument {
    const char *name;
    const char *about;
    bool required;
    const char *kind; /* of resources whose names are proposed while it is typed; NULL = none */
};

/* A way to begin a conversation; `{name}` in the text stands for an argument. */
struct mcp_prompt {
    const char *name;
    const char *title;
    const char *about;
    struct mcp_prompt_argument arguments[MCP_ARGUMENTS_MAX];
    const char *text;
};

/* What one address offers. */
struct mcp_offer {
    const char *name; /* of the server: "assay-experiments" */
    const char *title;
    const char *instructions;
    const struct mcp_service *services;
    size_t service_count;
    /* Names of tools that are listed, of a server with several services: the others are found by
     * find_tool and called by call_tool. NULL = all are listed. */
    const char *const *chosen;
    size_t chosen_count;
    const struct mcp_resource *resources;
    size_t resource_count;
    const struct mcp_prompt *prompts;
    size_t prompt_count;
    /* A GET that whoever may use the service at all may send. Where it answers 401, so does
     * `initialize`, and names the metadata by which a client signs in. */
    const char *probe_pool, *probe_prefix, *probe_path; /* the prefix as of a service */
};

/* Of the row's query: `tools=all` lists all tools. */
extern const struct schema mcp_query_schema;

#define MCP_ROUTE                                                                                  \
    .method = METHOD_POST, .path = "/mcp", .query = &mcp_query_schema,                             \
    .takes = "application/json", .hidden = true, .name = "mcp", .tag = "mcp",                      \
    .summary = "Tools for language models, by the Model Context Protocol"

/* Answers one message. Errors of the protocol are answers, too; what this returns is an error of
 * the request: a page of another site (403). */
MUST_CHECK enum error mcp_handle(struct request *request, struct reply *reply,
                                 const struct mcp_offer *offer);

#endif
