/* How the service does, for the administration: as JSON, and as a piece of a page. */
#include "livedata-events/events.h"

#include "base/number.h"
#include "livedata/access/analytics.h"

struct cache_summary {
    const char *backend;
    double ttl_seconds, entity_ttl_seconds;
};

#define OWNER struct cache_summary
static const struct field cache_fields[] = {STRING(OWNER, backend), NUMBER(OWNER, ttl_seconds),
                                            NUMBER(OWNER, entity_ttl_seconds)};
#undef OWNER
static SCHEMA(cache_schema, struct cache_summary, "CacheSummary", cache_fields);

struct pool_summary {
    const char *engine;
    struct optional_integer size, limit, held; /* null on SQLite, where nobody counts */
};

#define OWNER struct pool_summary
static const struct field pool_fields[] = {STRING(OWNER, engine), NULLABLE_INTEGER(OWNER, size),
                                           NULLABLE_INTEGER(OWNER, limit),
                                           NULLABLE_INTEGER(OWNER, held)};
#undef OWNER
static SCHEMA(pool_schema, struct pool_summary, "PoolSummary", pool_fields);

struct summary_answer {
    const struct health_report *health;
    double qps;
    int64_t configured_keys;
    const struct cache_summary *cache;
    const char *rate_limit_backend;
    const struct pool_summary *pool;
};

#define OWNER struct summary_answer
static const struct field summary_fields[] = {
    OBJECT(OWNER, health, health_schema), NUMBER(OWNER, qps),
    INTEGER(OWNER, configured_keys),      OBJECT(OWNER, cache, cache_schema),
    STRING(OWNER, rate_limit_backend),    OBJECT(OWNER, pool, pool_schema)};
#undef OWNER
SCHEMA(service_summary_schema, struct summary_answer, "ServiceSummary", summary_fields);

static const char in_shared_memory[] = "shared_memory";

struct summary {
    struct health_report health;
    struct db_pool_figures pool;
    struct live_keys keys; /* that were issued */
    const char *engine;
    const char *cache;
    size_t configured; /* those of settings and files as well */
    double qps;
};

static enum error read_summary(struct request *request, struct keys_call *call,
                               struct summary *summary)
{
    struct analytics_question question = {.arena = request->arena, .problem = &request->problem};
    struct storage_call storage;
    enum error error = service_database(request, &call->db);

    if (error)
        return error;
    *call = service_keys_call(request, call->db);
    question.db = call->db;
    question.now = call->now;
    storage = service_storage(request, call->db);
    health_inspect(&storage, service_settings(request), &summary->health);
    error = live_key_list(call, &summary->keys);
    if (!error)
        error = analytics_rate(&question, &summary->qps);
    if (error)
        return error;
    db_pool_read(call->db, &summary->pool);
    summary->configured = service_fixed_keys(request) + summary->keys.count;
    summary->engine = db_engine(call->db) == DB_POSTGRES ? "postgres" : "sqlite";
    summary->cache = service_cache(request)->shared ? in_shared_memory : "none";
    return ERROR_NONE;
}

static struct pool_summary pool_of(const struct summary *summary)
{
    const struct db_pool_figures *pool = &summary->pool;
    bool counted = pool->size > 0;

    return (struct pool_summary){.engine = summary->engine,
                                 .size = {counted, pool->size},
                                 .limit = {counted, pool->limit},
                                 .held = {counted, pool->held}};
}

enum error summary_handle(struct request *request, struct reply *reply)
{
    const struct livedata_settings *settings = service_settings(request);
    struct summary *summary = ARENA_NEW(request->arena, struct summary);
    struct summary_answer *answer = ARENA_NEW(request->arena, struct summary_answer);
    struct cache_summary *cache = ARENA_NEW(request->arena, struct cache_summary);
    struct pool_summary *pool = ARENA_NEW(request->arena, struct pool_summary);
    struct keys_call call;
    enum error error = read_summary(request, &call, summary);

    if (error)
        return error;
    health_show(request->arena, &summary->health, true, &summary->pool);
    *cache = (struct cache_summary){.backend = summary->cache,
                                    .ttl_seconds = settings->cache_ttl_seconds,
                                    .entity_ttl_seconds = settings->entity_cache_ttl_seconds};
    *pool = pool_of(summary);
    *answer = (struct summary_answer){.health = &summary->health,
                                      .qps = summary->qps,
                                      .configured_keys = (int64_t)summary->configured,
                                      .cache = cache,
                                      .rate_limit_backend = in_shared_memory,
                                      .pool = pool};
    reply->object = answer;
    return ERROR_NONE;
}

/* Text of others between tags. */
static void put_text(struct text *page, const char *string)
{
    for (; *string; string++)
        switch (*string) {
        case '<':
            text_append_string(page, "&lt;");
            break;
        case '>':
            text_append_string(page, "&gt;");
            break;
        case '&':
            text_append_string(page, "&amp;");
            break;
        default:
            text_append_byte(page, *string);
        }
}

static void put_cell(struct text *page, const char *string)
{
    text_append_string(page, "<td>");
    put_text(page, string);
    text_append_string(page, "</td>");
}

static void put_components(struct text *page, const struct health_report *report)
{
    text_append_format(page,
                       "<p>Health: <strong>%s</strong></p>\n<table><caption>Components</caption>"
                       "<tr><th>Component</th><th>Status</th><th>Message</th></tr>\n",
                       health_words[report->status]);
    for (size_t i = 0; i < report->count; i++) {
        text_append_string(page, "<tr>");
        put_cell(page, report->all[i].name);
        put_cell(page, health_words[report->all[i].status]);
        put_cell(page, report->all[i].message);
        text_append_string(page, "</tr>\n");
    }
    text_append_string(page, "</table>\n");
}

static void put_counts(struct text *page, const struct summary *summary,
                       const struct livedata_settings *settings)
{
    text_append_format(page,
                       "<dl><dt>Requests a second, last minute</dt><dd>%.2f</dd>"
                       "<dt>Configured keys</dt><dd>%zu</dd><dt>Cache</dt><dd>%s</dd>"
                       "<dt>Entities are cached for</dt><dd>%g s</dd>"
                       "<dt>Rate limits</dt><dd>%s</dd><dt>Database</dt><dd>%s",
                       summary->qps, summary->configured, summary->cache,
                       settings->entity_cache_ttl_seconds, in_shared_memory, summary->engine);
    if (summary->pool.size > 0)
        text_append_format(page, ", %d of %d connections held", summary->pool.held,
                           summary->pool.limit);
    text_append_string(page, "</dd></dl>\n");
}

static enum error put_keys(struct request *request, struct text *page, const struct keys_call *call,
                           const struct live_keys *keys)
{
    const struct analytics_question question = {
        .db = call->db, .arena = request->arena, .problem = &request->problem, .now = call->now};
    enum error error = ERROR_NONE;

    text_append_string(page, "<table><caption>Keys</caption><tr><th>Tenant</th><th>Name</th>"
                             "<th>Requests a minute</th><th>Requests, 24 h</th>"
                             "<th>Rotation</th></tr>\n");
    for (size_t i = 0; !error && i < keys->count; i++) {
        const struct live_key *key = &keys->items[i];
        int64_t day, old_hour;

        error = analytics_key_use(&question, key->key_id, &day, &old_hour);
        if (error)
            return error;
        text_append_string(page, "<tr>");
        put_cell(page, key->tenant);
        put_cell(page, key->name);
        text_append_format(page, "<td>%lld</td><td>%lld</td><td>%s</td></tr>\n",
                           (long long)key->rate_limit_rpm, (long long)day,
                           key->previous_lookup && key->previous_until > call->now ? "grace_period"
                                                                                   : "idle");
    }
    text_append_string(page, "</table>\n");
    return error;
}

enum error summary_piece_handle(struct request *request, struct reply *reply)
{
    struct summary *summary = ARENA_NEW(request->arena, struct summary);
    struct keys_call call;
    enum error error = read_summary(request, &call, summary);

    if (error)
        return error;
    reply->content_type = SUMMARY_PIECE_TYPE;
    put_components(&reply->body, &summary->health);
    put_counts(&reply->body, summary, service_settings(request));
    return put_keys(request, &reply->body, &call, &summary->keys);
}
