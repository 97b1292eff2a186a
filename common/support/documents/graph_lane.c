/* The verdict on retrieval by a graph. */
#include "support/documents/graph_lane.h"
#include "base/log.h"
#include "support/documents/document_store.h"

#include <string.h>

bool graph_lane_is_asked(const struct support_settings *settings)
{
    return strcmp(settings->graph_retrieval, "off") != 0;
}

bool graph_lane_is_used(const struct support_settings *settings)
{
    return strcmp(settings->retrieval_strategy, "graph") == 0;
}

static struct graph_lane by_size(struct arena *arena, const struct support_settings *settings,
                                 int64_t chunks)
{
    if (chunks < settings->graph_chunks_least)
        return (struct graph_lane){
            false, arena_print(arena, "%lld chunks are fewer than RAG_GRAPH_MIN_CHUNKS (%lld)",
                               (long long)chunks, (long long)settings->graph_chunks_least)};
    if (settings->graph_share <= 0)
        return (struct graph_lane){false, "RAG_GRAPH_CROSSDOC_SHARE is not set"};
    return (struct graph_lane){
        settings->graph_share >= settings->graph_share_least,
        arena_print(arena,
                    "%lld chunks; RAG_GRAPH_CROSSDOC_SHARE is %g, RAG_GRAPH_MIN_CROSSDOC_SHARE %g",
                    (long long)chunks, settings->graph_share, settings->graph_share_least)};
}

struct graph_lane graph_lane_decide(struct arena *arena, const struct support_settings *settings,
                                    int64_t chunks)
{
    const char *asked = settings->graph_retrieval;

    if (strcmp(asked, "auto") == 0)
        return by_size(arena, settings, chunks);
    if (strcmp(asked, "on") == 0 || !graph_lane_is_asked(settings))
        return (struct graph_lane){graph_lane_is_asked(settings),
                                   arena_print(arena, "RAG_GRAPH_RETRIEVAL is %s", asked)};
    return (struct graph_lane){false, "RAG_GRAPH_RETRIEVAL is none of off, on and auto"};
}

void graph_lane_log(struct db *db, struct arena *arena, const struct support_settings *settings,
                    struct problem *problem)
{
    struct log_line line;
    struct graph_lane lane;
    int64_t chunks = 0;

    if (!graph_lane_is_asked(settings))
        return;
    if (document_count_chunks(db, NULL, &chunks, problem)) {
        log_event(LOG_WARNING, "graph_retrieval_not_decided", problem->text);
        return;
    }
    lane = graph_lane_decide(arena, settings, chunks);
    log_begin(&line, LOG_INFO, "graph_retrieval");
    log_text(&line, "reason", lane.reason);
    log_text(&line, "verdict", lane.active ? "active" : "inactive");
    log_write(&line);
}
