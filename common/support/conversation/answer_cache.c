/* Cached answers as JSON, written and read by one schema. */
#include "support/conversation/answer_cache.h"
#include "base/schema.h"
#include "crypto/digest.h"
#include "db/query.h"
#include "db/store.h"
#include "text/fold.h"

#include <string.h>

enum { HASH_DIGITS = 16, ANSWER_MAX = 4 << 20, JSON_DEPTH = 8, MICROSECONDS = 1000000 };

static const struct statement get_answer = {
    .name = "answer_cache_get",
    .sql = "SELECT answer FROM answer_cache WHERE tenant_id = ? AND cache_key = ?"
           " AND expires_at > {now_microseconds}",
};
static const struct statement put_answer = {
    .name = "answer_cache_put",
    .sql = "INSERT INTO answer_cache (tenant_id, cache_key, answer, expires_at)"
           " VALUES (?, ?, ?, {now_microseconds} + ?) ON CONFLICT (tenant_id, cache_key)"
           " DO UPDATE SET answer = excluded.answer, expires_at = excluded.expires_at",
};
static const struct statement forget_answers = {
    .name = "answer_cache_forget",
    .sql = "DELETE FROM answer_cache WHERE expires_at <= {now_microseconds}",
};

struct cached_source {
    const char *source, *doc_id, *title, *text, *excerpt, *metadata;
    double relevance;
    bool cited;
};

#define OWNER struct cached_source
static const struct field source_fields[] = {
    STRING(OWNER, source), STRING(OWNER, doc_id),    STRING(OWNER, title),
    STRING(OWNER, text),   STRING(OWNER, excerpt),   STRING(OWNER, metadata, .nullable = true),
    BOOLEAN(OWNER, cited), NUMBER(OWNER, relevance),
};
#undef OWNER
static SCHEMA(source_schema, struct cached_source, "CachedSource", source_fields);

struct cached {
    const char *answer, *trace_id, *quality_source, *complexity, *search_query, *language;
    int64_t quality, factuality;
    double relevance, evidence;
    bool knowledge_gap, verification_skipped;
    struct string_list suggestions, used;
    OBJECT_LIST(struct cached_source, sources);
};

#define OWNER struct cached
static const struct field cached_fields[] = {
    STRING(OWNER, answer, .required = true),
    STRING(OWNER, trace_id, .required = true),
    STRING(OWNER, quality_source, .required = true),
    STRING(OWNER, complexity, .required = true),
    STRING(OWNER, search_query, .nullable = true),
    STRING(OWNER, language, .required = true),
    INTEGER(OWNER, quality, .required = true, .upper = AT_MOST(100)),
    INTEGER(OWNER, factuality, .required = true, .upper = AT_MOST(100)),
    NUMBER(OWNER, relevance, .required = true),
    NUMBER(OWNER, evidence, .required = true),
    BOOLEAN(OWNER, knowledge_gap, .required = true),
    BOOLEAN(OWNER, verification_skipped, .required = true),
    STRINGS(OWNER, suggestions, .max_length = SUGGESTIONS_MAX),
    STRINGS(OWNER, used),
    OBJECTS(OWNER, sources, source_schema, .max_length = ANSWER_DOCUMENTS_MAX),
};
#undef OWNER
static SCHEMA(cached_schema, struct cached, "CachedAnswer", cached_fields);

const char *answer_cache_key(const struct graph_tools *tools, const char *question,
                             int64_t *kb_version)
{
    const struct registry *registry = tools->models ? models_registry(tools->models) : NULL;
    const struct document_reader *reader = tools->call->reader;
    const char *text = text_lower(tools->call->arena, question);
    char hash[DIGEST_SHA256_TEXT];

    if (document_kb_version(tools->call, kb_version))
        return NULL;
    digest_sha256_hex(text, strlen(text), hash);
    return arena_print(tools->call->arena, "llm_resp:%s:%.*s:%lld:%s%s%s%s%s", tools->call->tenant,
                       HASH_DIGITS, hash, (long long)*kb_version,
                       registry ? registry->active->name : "embedded",
                       tools->mark && *tools->mark ? ":" : "", tools->mark ? tools->mark : "",
                       reader ? ":hides:" : "", reader ? reader->mark : "");
}

bool answer_cache_wants(const struct graph_outcome *outcome)
{
    return outcome->route == ROUTE_AUTO && *outcome->answer && !outcome->cached && !outcome->error;
}

static const char *write_cached(const struct graph_tools *tools, const char *trace_id,
                                const struct graph_outcome *outcome)
{
    struct cached_source *sources =
        ARENA_ARRAY(tools->call->arena, struct cached_source, outcome->source_count + 1);
    const struct cached cached = {
        .answer = outcome->answer,
        .trace_id = trace_id,
        .quality_source = outcome->quality_source,
        .complexity = outcome->complexity,
        .search_query = outcome->search_query,
        .language = language_codes[outcome->language],
        .quality = outcome->quality,
        .factuality = outcome->factuality,
        .relevance = outcome->relevance,
        .evidence = outcome->evidence,
        .knowledge_gap = outcome->knowledge_gap,
        .verification_skipped = outcome->verification_skipped,
        .suggestions = {outcome->suggestion_count, (const char **)outcome->suggestions},
        .used = outcome->used,
        .sources = {outcome->source_count, sources}};

    for (size_t i = 0; i < outcome->source_count; i++) {
        const struct graph_source *from = &outcome->sources[i];

        sources[i] = (struct cached_source){.source = from->source,
                                            .doc_id = from->doc_id,
                                            .title = from->title,
                                            .text = from->text,
                                            .excerpt = from->excerpt,
                                            .metadata = from->metadata,
                                            .relevance = from->relevance,
                                            .cited = from->cited};
    }
    return schema_json(tools->call->arena, ANSWER_MAX, &cached_schema, &cached);
}

enum error answer_cache_put(const struct graph_tools *tools, const char *key, const char *trace_id,
                            const struct graph_outcome *outcome)
{
    const char *json = write_cached(tools, trace_id, outcome);
    struct query *query;

    if (!json)
        return ERROR_NONE;
    query = db_query(tools->call->db, &put_answer);
    query_bind_text(query, tools->call->tenant);
    query_bind_text(query, key);
    query_bind_json(query, json);
    query_bind_integer(query, tools->settings->cache_ttl_seconds * MICROSECONDS);
    return query_end(query, tools->call->problem);
}

/* The state after the one step of a cached answer. */
struct cached_state {
    const char *question, *search_query, *answer;
    bool cached;
    const char *cached_trace_id;
    int64_t quality_score;
    double relevance_score;
    const char *quality_source;
    int64_t factuality_score;
    const char *route, *trace_id, *session_id, *tenant_id;
};

#define OWNER struct cached_state
static const struct field state_fields[] = {
    STRING(OWNER, question),
    STRING(OWNER, search_query, .nullable = true),
    STRING(OWNER, answer),
    BOOLEAN(OWNER, cached),
    STRING(OWNER, cached_trace_id),
    INTEGER(OWNER, quality_score),
    NUMBER(OWNER, relevance_score),
    STRING(OWNER, quality_source),
    INTEGER(OWNER, factuality_score),
    STRING(OWNER, route),
    STRING(OWNER, trace_id),
    STRING(OWNER, session_id),
    STRING(OWNER, tenant_id),
};
#undef OWNER
static SCHEMA(state_schema, struct cached_state, "CachedState", state_fields);

static struct graph_step as_step(const struct graph_tools *tools,
                                 const struct graph_request *request, const struct cached *cached)
{
    struct arena *arena = tools->call->arena;
    const struct cached_state state = {.question = request->question,
                                       .search_query = cached->search_query,
                                       .answer = cached->answer,
                                       .cached = true,
                                       .cached_trace_id = cached->trace_id,
                                       .quality_score = cached->quality,
                                       .relevance_score = cached->relevance,
                                       .quality_source = cached->quality_source,
                                       .factuality_score = cached->factuality,
                                       .route = route_kind_names[ROUTE_AUTO],
                                       .trace_id = request->trace_id,
                                       .session_id = request->session_id,
                                       .tenant_id = tools->call->tenant};

    return (struct graph_step){.node = "cache",
                               .state = schema_json(arena, ANSWER_MAX, &state_schema, &state),
                               .ts = store_now(arena)};
}

static void take_sources(const struct cached *cached, struct graph_outcome *outcome)
{
    const struct cached_source *sources = cached->sources.items;

    for (size_t i = 0; i < cached->sources.count; i++) {
        outcome->sources[i] = (struct graph_source){.source = sources[i].source,
                                                    .doc_id = sources[i].doc_id,
                                                    .title = sources[i].title,
                                                    .text = sources[i].text,
                                                    .excerpt = sources[i].excerpt,
                                                    .metadata = sources[i].metadata,
                                                    .relevance = sources[i].relevance,
                                                    .cited = sources[i].cited};
        outcome->found[i] = outcome->sources[i];
    }
    outcome->source_count = outcome->found_count = cached->sources.count;
}

static void take_cached(const struct graph_tools *tools, const struct graph_request *request,
                        const struct cached *cached, struct graph_outcome *outcome)
{
    *outcome = (struct graph_outcome){.answer = cached->answer,
                                      .quality = (int)cached->quality,
                                      .relevance = cached->relevance,
                                      .route = ROUTE_AUTO,
                                      .factuality = (int)cached->factuality,
                                      .verification_skipped = cached->verification_skipped,
                                      .knowledge_gap = cached->knowledge_gap,
                                      .complexity = cached->complexity,
                                      .search_query = cached->search_query,
                                      .quality_source = cached->quality_source,
                                      .language = language_by_code(cached->language),
                                      .evidence = cached->evidence,
                                      .used = cached->used,
                                      .cached = true};
    take_sources(cached, outcome);
    for (size_t i = 0; i < cached->suggestions.count; i++)
        outcome->suggestions[outcome->suggestion_count++] = cached->suggestions.items[i];
    outcome->steps[outcome->step_count++] = as_step(tools, request, cached);
}

enum error answer_cache_get(const struct graph_tools *tools, const struct graph_request *request,
                            const char *key, struct graph_outcome *outcome, bool *found)
{
    struct arena *arena = tools->call->arena;
    struct query *query = db_query(tools->call->db, &get_answer);
    struct cached *cached = ARENA_NEW(arena, struct cached);
    struct schema_errors errors = {.arena = arena};
    struct json_fault fault;
    const char *text;
    json_t *document;
    enum error error;

    query_bind_text(query, tools->call->tenant);
    query_bind_text(query, key);
    text = query_next(query) ? query_json(query, 0, arena) : NULL;
    error = query_end(query, tools->call->problem);
    *found = !error && text &&
             !json_read(arena, text, strlen(text), JSON_DEPTH, &document, &fault) &&
             !schema_decode(&cached_schema, document, "answer", cached, &errors, arena);
    if (*found)
        take_cached(tools, request, cached, outcome);
    return error;
}

enum error answer_cache_forget(struct db *db, struct problem *problem)
{
    return query_end(db_query(db, &forget_answers), problem);
}
