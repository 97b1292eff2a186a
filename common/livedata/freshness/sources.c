/* Watermarks in the database, and kept in the cache until the next event or heartbeat. */
#include "livedata/freshness/sources.h"

#include "base/list.h"
#include "db/query.h"

#include <stdlib.h>
#include <string.h>

static const double kept_seconds = 60;

static const struct statement put_beat = {
    .name = "source_beat",
    .sql = "INSERT INTO source_watermarks (tenant_id, source, watermark, feeds, beat_at)"
           " VALUES (?, ?, ?, ?, ?) ON CONFLICT (tenant_id, source) DO UPDATE SET"
           " watermark = {greatest}(source_watermarks.watermark, excluded.watermark),"
           " feeds = excluded.feeds, beat_at = excluded.beat_at",
};
static const struct statement count_sources = {
    .name = "source_count",
    .sql = "SELECT count(*), coalesce(sum(CASE WHEN source = ? THEN 1 ELSE 0 END), 0)"
           " FROM source_watermarks WHERE tenant_id = ?",
};
static const struct statement forget_source = {
    .name = "source_retire",
    .sql = "DELETE FROM source_watermarks WHERE tenant_id = ? AND source = ?",
};
static const struct statement raise_by_event = {
    .name = "source_event",
    .sql = "UPDATE source_watermarks SET watermark = ? WHERE tenant_id = ? AND source = ?"
           " AND watermark < ?",
};
static const struct statement lowest_of_table = {
    .name = "source_lowest",
    .sql = "SELECT source, watermark FROM source_watermarks WHERE tenant_id = ?"
           " AND (feeds IS NULL OR feeds LIKE ? ESCAPE '\\') ORDER BY watermark, source LIMIT 1",
};
static const struct statement newest_of_table = {
    .name = "source_newest_event",
    .sql = "SELECT event_at FROM cache_generation WHERE tenant_id = ? AND table_name = ?",
};

static const struct statement list_sources = {
    .name = "source_list",
    .sql = "SELECT source, watermark, feeds, beat_at FROM source_watermarks WHERE tenant_id = ?"
           " ORDER BY watermark, source",
};

/* A source that is there already may go on, also where there are more than may be. */
static enum error check_room(const struct storage_call *call, const char *source, int64_t most)
{
    struct query *query = db_query(call->db, &count_sources);
    int64_t count = 0;
    bool known = false;
    enum error error;

    query_bind_text(query, source);
    query_bind_text(query, call->tenant);
    if (query_next(query)) {
        count = query_integer(query, 0);
        known = query_integer(query, 1) > 0;
    }
    error = query_end(query, call->problem);
    if (error || known || count < most)
        return error;
    return problem_set(call->problem, ERROR_INVALID, "too_many_sources",
                       "%lld sources send heartbeats already, as many as LIVE_SOURCES_MAX lets: "
                       "retire one that will not come back",
                       (long long)count);
}

enum error source_beat(const struct storage_call *call, const struct heartbeat *beat, int64_t most)
{
    enum error error = beat->retired ? ERROR_NONE : check_room(call, beat->source, most);
    struct query *query;

    if (error)
        return error;
    query = db_query(call->db, beat->retired ? &forget_source : &put_beat);
    query_bind_text(query, call->tenant);
    query_bind_text(query, beat->source);
    if (!beat->retired) {
        query_bind_integer(query, beat->watermark);
        query_bind_text(query, beat->feeds);
        query_bind_integer(query, call->now);
    }
    return query_end(query, call->problem);
}

enum error source_event(const struct storage_call *call, const char *source, int64_t event_at)
{
    struct query *query = db_query(call->db, &raise_by_event);

    query_bind_integer(query, event_at);
    query_bind_text(query, call->tenant);
    query_bind_text(query, source);
    query_bind_integer(query, event_at);
    return query_end(query, call->problem);
}

/* All sources feed the journal. */
static const char *pattern_of(struct arena *arena, const char *table)
{
    if (strcmp(table, "pipeline_events") == 0)
        return "%";
    return db_like_contains(arena, arena_print(arena, ",%s,", table));
}

static enum error read_table(const struct storage_call *call, const char *table,
                             struct watermark *watermark)
{
    struct query *query = db_query(call->db, &lowest_of_table);
    enum error error;

    *watermark = (struct watermark){0};
    query_bind_text(query, call->tenant);
    query_bind_text(query, pattern_of(call->arena, table));
    if (query_next(query))
        *watermark = (struct watermark){.source = query_text(query, 0, call->arena),
                                        .at = query_integer(query, 1)};
    error = query_end(query, call->problem);
    if (error || watermark->source)
        return error;
    query = db_query(call->db, &newest_of_table);
    query_bind_text(query, call->tenant);
    query_bind_text(query, table);
    if (query_next(query))
        watermark->at = query_integer(query, 0);
    return query_end(query, call->problem);
}

/* "<watermark> <source>", without the source when there is none. */
static enum error read_kept(const struct storage_call *call, struct live_cache *cache,
                            const char *table, struct watermark *watermark)
{
    const char *key = arena_print(call->arena, "watermark:%s:%s", call->tenant, table), *kept;
    struct shm_cache_ticket ticket;
    char *rest;
    enum error error;

    if (live_cache_find(cache, call, key, "pipeline_events", &ticket, &kept)) {
        watermark->at = strtoll(kept, &rest, 10);
        watermark->source = rest[0] == ' ' && rest[1] ? rest + 1 : NULL;
        return ERROR_NONE;
    }
    error = read_table(call, table, watermark);
    if (!error && cache)
        live_cache_witness(cache, call);
    if (!error)
        live_cache_keep(cache, key, &ticket, kept_seconds,
                        arena_print(call->arena, "%lld %s", (long long)watermark->at,
                                    watermark->source ? watermark->source : ""));
    return error;
}

enum error watermark_read(const struct storage_call *call, struct live_cache *cache,
                          const struct string_list *tables, struct watermark *watermark)
{
    enum error error = ERROR_NONE;

    *watermark = (struct watermark){0};
    for (size_t i = 0; !error && i < tables->count; i++) {
        struct watermark one;

        error = read_kept(call, cache, tables->items[i], &one);
        if (!error && (!i || one.at < watermark->at))
            *watermark = one;
    }
    return error;
}

enum error sources_read(const struct storage_call *call, struct source_states *sources)
{
    struct query *query = db_query(call->db, &list_sources);

    *sources = (struct source_states){0};
    query_bind_text(query, call->tenant);
    while (query_next(query))
        *LIST_ADD(call->arena, sources) =
            (struct source_state){.name = query_text(query, 0, call->arena),
                                  .watermark = query_integer(query, 1),
                                  .feeds = query_text_or_null(query, 2, call->arena),
                                  .beat_at = query_integer(query, 3)};
    return query_end(query, call->problem);
}

bool source_feeds(const struct source_state *source, const char *table)
{
    size_t length = strlen(table);

    if (!source->feeds || strcmp(table, "pipeline_events") == 0)
        return true;
    for (const char *at = source->feeds; *at; at += strcspn(at + 1, ",") + 1)
        if (*at == ',' && strncmp(at + 1, table, length) == 0 && at[1 + length] == ',')
            return true;
    return false;
}
