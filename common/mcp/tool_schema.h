/*
 * Schemas of a tool, from those of the API document: what they refer to comes along (`$defs`), so
 * that each tool's schema can be read alone.
 */
#ifndef ASSAY_MCP_TOOL_SCHEMA_H
#define ASSAY_MCP_TOOL_SCHEMA_H

#include "mcp/catalog.h"

/* Arguments that every tool of a kind has besides those of its route. */
#define TOOL_CONFIRM "confirm_call"
#define TOOL_ANSWER_FROM "answer_from"
#define TOOL_BODY "body"

/* The schema of a body, or of an answer, with a reference resolved; NULL stays NULL. */
const json_t *mcp_schema_resolve(const json_t *document, const json_t *schema);

/* All arguments as one object; `parameters` and `body` are those of the operation (NULL = none). */
const char *mcp_input_schema(struct arena *arena, const json_t *document,
                             const struct mcp_tool *tool, const json_t *parameters,
                             const json_t *body);

/* The answer, or a part of it where that is too long. */
const char *mcp_output_schema(struct arena *arena, const json_t *document,
                              const struct mcp_tool *tool, const json_t *answer);

#endif
