/*
 * The tools of an offer, made from the API documents of its services: name, words and schemas as
 * the list of tools has them, and what it takes to make a request from arguments. Built once in a
 * process; the documents change only when all responders start anew.
 */
#ifndef ASSAY_MCP_CATALOG_H
#define ASSAY_MCP_CATALOG_H

#include "base/json.h"
#include "mcp/mcp.h"

enum argument_place { ARGUMENT_PATH, ARGUMENT_QUERY, ARGUMENT_HEADER };

struct tool_argument {
    const char *name; /* as the client gives it: "if_match" */
    const char *sent; /* as the route takes it: "If-Match" */
    enum argument_place place;
    bool required;
};

enum tool_body { BODY_NONE, BODY_MEMBERS, BODY_WHOLE, BODY_TEXT };

struct mcp_tool {
    const char *name; /* the operation; "livedata_query" where the offer has several services */
    const char *operation;
    const struct mcp_service *service;
    const char *pool;
    enum method method;
    const char *path, *title, *about;
    bool tail;           /* the last argument of the path may have slashes */
    bool reads;          /* changes nothing: needs no confirmation */
    bool destroys;       /* may change or delete what is there */
    enum tool_body body; /* MEMBERS: its members are arguments; else the argument `body` */
    bool body_required;
    const char *body_type;
    size_t argument_count;
    struct tool_argument *arguments;
    bool answers_list; /* the answer is a list: `items` of the structured answer */
    bool answers_object;
    const char *input;   /* JSON Schemas */
    const char *output;  /* NULL = none */
    const char *listing; /* the tool as tools/list has it: JSON */
};

struct mcp_catalog {
    size_t count;
    struct mcp_tool *tools;
    const json_t **documents; /* of each service of the offer; NULL = it does not run */
};

/* The catalog of the process for this offer. ERROR_UNAVAILABLE `openapi_not_composed` where none of
 * its services has a document. */
MUST_CHECK enum error mcp_catalog_open(const struct mcp_offer *offer, const char *run_directory,
                                       const struct mcp_catalog **catalog, struct problem *problem);

/* The same from documents, one of each service of the offer, in an arena. */
void mcp_catalog_build(struct arena *arena, const struct mcp_offer *offer, const json_t **documents,
                       struct mcp_catalog *catalog);

/* NULL when there is none. */
const struct mcp_tool *mcp_catalog_find(const struct mcp_catalog *catalog, const char *name);
const struct mcp_tool *mcp_catalog_operation(const struct mcp_catalog *catalog, const char *service,
                                             const char *operation);

#endif
