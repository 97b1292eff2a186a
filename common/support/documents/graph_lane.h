/*
 * Whether retrieval by a graph of the documents is active, as RAG_GRAPH_RETRIEVAL says. The verdict
 * is logged after an ingestion and shown by health. There is no such lane: questions are searched
 * by words and meaning either way (docs/develop/search.md has what was tried).
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_GRAPH_LANE_H
#define ASSAY_SUPPORT_DOCUMENTS_GRAPH_LANE_H

#include "db/db.h"
#include "support/settings.h"

struct graph_lane {
    bool active;
    const char *reason; /* what it was decided by, for people */
};

/* With this number of indexed chunks, of all tenants. */
struct graph_lane graph_lane_decide(struct arena *arena, const struct support_settings *settings,
                                    int64_t chunks);

/* Whether anything but "off" is asked for. */
bool graph_lane_is_asked(const struct support_settings *settings);

/* Logs the verdict, if it is asked for. A failure to count costs the line only. */
void graph_lane_log(struct db *db, struct arena *arena, const struct support_settings *settings,
                    struct problem *problem);

#endif
