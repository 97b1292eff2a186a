/* What the files of common/mcp share: one message that is being answered. */
#ifndef ASSAY_MCP_MCP_INTERNAL_H
#define ASSAY_MCP_MCP_INTERNAL_H

#include "mcp/catalog.h"

enum mcp_code {
    MCP_PARSE_ERROR = -32700,
    MCP_INVALID_REQUEST = -32600,
    MCP_METHOD_NOT_FOUND = -32601,
    MCP_INVALID_PARAMS = -32602,
    MCP_INTERNAL_ERROR = -32603,
    MCP_RESOURCE_NOT_FOUND = -32002,
    MCP_HEADER_MISMATCH = -32020,
    MCP_UNSUPPORTED_VERSION = -32022,
    MCP_UNAUTHORIZED = -32001
};

struct mcp_call {
    struct request *request;
    const struct mcp_offer *offer;
    const struct mcp_catalog *catalog;
    const char *method;
    const json_t *params; /* NULL = none */
    bool all_tools;       /* ?tools=all */
    bool modern;          /* revision 2026-07-28: each request says its version */
    struct text result;   /* the members of the result, as the JSON of an object */
    enum mcp_code code;   /* of an error; 0 = there is a result */
    const char *fault;
};

/* Makes the answer an error. */
void mcp_fault(struct mcp_call *call, enum mcp_code code, const char *text);

/* A text among the parameters; NULL when it is none. */
const char *mcp_param(const struct mcp_call *call, const char *name);

/* Where a page of a list begins, by the cursor of the parameters. False, with an error, for a
 * cursor that the server has not given. */
bool mcp_read_cursor(struct mcp_call *call, size_t count, size_t *from);

/* URIs of resources: the scheme, the kind, a slash, the id. */
#define MCP_SCHEME "assay://"

/* What the route of the kind lists first, for whoever calls; NULL when there is none, with an error
 * of the message where the route could not be asked. */
const json_t *mcp_resource_items(struct mcp_call *call, const struct mcp_resource *resource);

/* The methods. */
void mcp_list_tools(struct mcp_call *call);
void mcp_call_tool(struct mcp_call *call);
void mcp_list_resources(struct mcp_call *call);
void mcp_list_templates(struct mcp_call *call);
void mcp_read_resource(struct mcp_call *call);
void mcp_list_prompts(struct mcp_call *call);
void mcp_get_prompt(struct mcp_call *call);
void mcp_complete(struct mcp_call *call);

/* False, with 401 and the place where a client learns how to sign in, unless whoever asks may use
 * the service at all. */
bool mcp_is_admitted(struct mcp_call *call);

#endif
