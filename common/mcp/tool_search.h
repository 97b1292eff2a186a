/* Finds tools of a catalog by words. */
#ifndef ASSAY_MCP_TOOL_SEARCH_H
#define ASSAY_MCP_TOOL_SEARCH_H

#include "mcp/catalog.h"

struct found_tool {
    const struct mcp_tool *tool;
    double score;
};

/* The tools that have words of the query, the best first; `found` has room for all tools of the
 * catalog. `service` limits the search to one; NULL = all. Returns how many there are. */
size_t mcp_tool_search(const struct mcp_catalog *catalog, const char *query, const char *service,
                       struct found_tool *found);

#endif
