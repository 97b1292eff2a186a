/*
 * Whether following the names that documents share is worth its searches, as RAG_GRAPH_RETRIEVAL
 * says: a verdict that is logged after an ingestion and shown by health. RAG_RETRIEVAL_STRATEGY
 * alone decides whether it is done (answer/follow.c).
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

/* Whether a verdict other than that of "off" is asked for. */
bool graph_lane_is_asked(const struct support_settings *settings);

/* RAG_RETRIEVAL_STRATEGY=graph. */
bool graph_lane_is_used(const struct support_settings *settings);

/* Logs the verdict, if it is asked for. A failure to count costs the line only. */
void graph_lane_log(struct db *db, struct arena *arena, const struct support_settings *settings,
                    struct problem *problem);

#endif
