/*
 * Calls a tool: makes the request of its route from the arguments, sends it on, and turns the
 * answer into a result of MCP.
 */
#ifndef ASSAY_MCP_TOOL_CALL_H
#define ASSAY_MCP_TOOL_CALL_H

#include "http/relay.h"
#include "mcp/catalog.h"

/* The request of a tool's route. ERROR_INVALID with a text for the model that calls: an argument is
 * missing, unknown, or not what it should be. Nothing was sent then. */
MUST_CHECK enum error mcp_tool_request(struct request *request, const struct mcp_tool *tool,
                                       const json_t *arguments, struct relay_call *call);

/* Writes the result (`content`, `isError`...) as JSON. `status` is the route's, 0 when no answer
 * came: 401 is to become the answer of the whole request. */
void mcp_tool_call(struct request *request, const struct mcp_tool *tool, const json_t *arguments,
                   struct text *result, int *status);

/* A result that says what went wrong, for the model to read. */
void mcp_tool_fail(struct text *result, const char *text);

#endif
