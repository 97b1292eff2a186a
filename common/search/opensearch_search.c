/*
 * The searches of a question in OpenSearch: statistics of the tenant, and candidates that are
 * scored here from their tokens, so that scores do not depend on other tenants of a shard or on
 * OpenSearch's rounded lengths.
 */
#include "base/list.h"
#include "search/opensearch_internal.h"
#include "search/segment_format.h"
#include "search/terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 2048, /* of the table of a search's terms: at most 480 of them */
    REPEATS = 3   /* of a search whose hits were replaced meanwhile */
};

void opensearch_view_fail(struct opensearch_view *view, enum error error,
                          const struct problem *problem)
{
    if (view->error)
        return;
    view->error = error;
    view->problem = *problem;
}

void opensearch_view_waits(const struct opensearch_view *view)
{
    const struct opensearch_caller *caller = view->caller;

    if (caller && caller->before_wait)
        caller->before_wait(caller->context);
}

static int64_t read_value(const json_t *parent, const char *name, const char *value)
{
    return (int64_t)json_number_value(json_object_get(json_object_get(parent, name), value));
}

static uint64_t read_languages(const json_t *aggregations)
{
    const json_t *buckets = json_object_get(json_object_get(aggregations, "language"), "buckets");
    uint64_t languages = 0;

    for (size_t i = 0; i < json_array_size(buckets); i++) {
        const char *code = json_string_value(json_object_get(json_array_get(buckets, i), "key"));

        languages |= code ? UINT64_C(1) << language_by_code(code) : 0;
    }
    return languages;
}

enum error opensearch_read_totals(const struct opensearch *server, struct arena *arena,
                                  const struct opensearch_scope *scope,
                                  struct opensearch_totals *totals, struct problem *problem)
{
    const struct opensearch_call call = {
        .path = opensearch_path(arena, "/_search", scope->tenant,
                                "&allow_partial_search_results=false"
                                "&filter_path=timed_out,_shards,aggregations"),
        .body = opensearch_totals_body(arena, scope)};
    const json_t *found;
    json_t *answer;
    enum error error = opensearch_ask(server, arena, &call, &answer, problem);

    if (!error)
        error = opensearch_is_whole(answer, problem);
    if (error)
        return error;
    found = json_object_get(answer, "aggregations");
    if (!found)
        return problem_set(problem, ERROR_UNAVAILABLE, "search_unavailable",
                           "the search engine gave no counts");
    *totals =
        (struct opensearch_totals){.totals = {.chunks = read_value(found, "chunk", "value"),
                                              .words = read_value(found, "words", "value"),
                                              .passages = read_value(found, "passages", "value"),
                                              .languages = read_languages(found)},
                                   .parents = read_value(found, "parents", "doc_count"),
                                   .visible = read_value(found, "visible", "doc_count")};
    return ERROR_NONE;
}

static struct search_totals give_totals(void *engine)
{
    const struct opensearch_view *view = engine;

    return view->totals->totals;
}

static int give_count(void *engine, int most)
{
    const struct opensearch_view *view = engine;

    return view->totals->visible < most ? (int)view->totals->visible : most;
}

static const struct opensearch_known_term *find_known(const struct opensearch_view *view,
                                                      const char *name, size_t length)
{
    for (size_t i = 0; i < view->known.count; i++) {
        const struct opensearch_known_term *known = &view->known.items[i];

        if (known->length == length && memcmp(known->name, name, length) == 0)
            return known;
    }
    return NULL;
}

/* The number that the next search of the answer has counted. */
static int64_t read_count(struct opensearch_view *view, const json_t *responses, size_t *at)
{
    const json_t *response = json_array_get(responses, (*at)++);
    const json_t *total = json_object_get(json_object_get(response, "hits"), "total");
    struct problem problem = {0};
    enum error error = opensearch_is_whole(response, &problem);

    if (error)
        opensearch_view_fail(view, error, &problem);
    return json_integer_value(json_object_get(total, "value"));
}

static void ask_frequencies(struct opensearch_view *view, const struct search_term *terms,
                            size_t count)
{
    const struct opensearch_call call = {
        .path = "/_msearch?filter_path=responses.timed_out,responses._shards,responses.status,"
                "responses.hits.total",
        .body = opensearch_frequencies_body(view->arena, view->scope, terms, count),
        .lines = true};
    struct problem problem = {0};
    const json_t *responses;
    json_t *answer;
    size_t at = 0;
    enum error error;

    opensearch_view_waits(view);
    error = opensearch_ask(view->server, view->arena, &call, &answer, &problem);
    if (error) {
        opensearch_view_fail(view, error, &problem);
        return;
    }
    responses = json_object_get(answer, "responses");
    for (size_t i = 0; i < count; i++) {
        struct opensearch_known_term *known = LIST_ADD(view->arena, &view->known);

        known->name = arena_copy(view->arena, terms[i].name, terms[i].length);
        known->length = terms[i].length;
        known->frequency.chunks = read_count(view, responses, &at);
        if (opensearch_token_of(known->name, known->length).field != OPENSEARCH_GRAMS)
            known->frequency.passages = read_count(view, responses, &at);
    }
}

static void expect(void *engine, const struct search_term *terms, size_t count)
{
    struct opensearch_view *view = engine;
    struct search_term *missing = ARENA_ARRAY(view->arena, struct search_term, count + 1);
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        if (terms[i].length && !find_known(view, terms[i].name, terms[i].length))
            missing[found++] = terms[i];
    if (found && !view->error)
        ask_frequencies(view, missing, found);
}

static struct search_frequency give_frequency(void *engine, const char *name, size_t length)
{
    struct opensearch_view *view = engine;
    const struct search_term term = {name, length, 1};
    const struct opensearch_known_term *known;

    expect(view, &term, 1);
    known = find_known(view, name, length);
    return known && !view->error ? known->frequency : (struct search_frequency){0, 0};
}

/* A term of the search that is running: its weight with idf, and how often the candidate that is
 * read has it. */
struct sought {
    struct opensearch_token token;
    double weight;
    uint32_t frequency;
};

struct scoring {
    struct sought *terms;
    size_t count;
    uint16_t slots[SLOTS]; /* hash table of the terms: their index plus 1 */
    double average;
};

static size_t slot_of(enum opensearch_field field, const char *bytes, size_t length)
{
    uint32_t hash = 2166136261u ^ (uint32_t)field;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 16777619u;
    return (hash ^ hash >> 15) & (SLOTS - 1);
}

static struct sought *find_sought(struct scoring *scoring, enum opensearch_field field,
                                  const char *bytes, size_t length, size_t *slot)
{
    for (*slot = slot_of(field, bytes, length); scoring->slots[*slot];
         *slot = (*slot + 1) & (SLOTS - 1)) {
        struct sought *sought = &scoring->terms[scoring->slots[*slot] - 1];

        if (sought->token.field == field && sought->token.length == length &&
            memcmp(sought->token.bytes, bytes, length) == 0)
            return sought;
    }
    return NULL;
}

/* The weights include the idf among the tenant's chunks, as those of the embedded index do. */
static void start_scoring(struct opensearch_view *view, const struct search_term *terms,
                          size_t count, struct scoring *scoring)
{
    const struct search_totals *totals = &view->totals->totals;
    double chunks = (double)totals->chunks;

    scoring->terms = ARENA_ARRAY(view->arena, struct sought, count + 1);
    scoring->average = fmax((double)totals->words / chunks, 1);
    for (size_t i = 0; i < count && scoring->count < SLOTS / 2; i++) {
        const struct opensearch_token token = opensearch_token_of(terms[i].name, terms[i].length);
        double holding = (double)give_frequency(view, terms[i].name, terms[i].length).chunks;
        double weight =
            terms[i].weight * (SEARCH_K1 + 1) * log1p((chunks - holding + 0.5) / (holding + 0.5));
        struct sought *same;
        size_t slot;

        if (!(weight > 0))
            continue;
        same = find_sought(scoring, token.field, token.bytes, token.length, &slot);
        if (same) {
            same->weight += weight;
            continue;
        }
        scoring->terms[scoring->count] = (struct sought){token, weight, 0};
        scoring->slots[slot] = (uint16_t)++scoring->count;
    }
}

static void count_tokens(struct scoring *scoring, enum opensearch_field field, const char *bytes)
{
    while (bytes && *bytes) {
        size_t length = strcspn(bytes, " "), slot;
        struct sought *sought = find_sought(scoring, field, bytes, length, &slot);

        if (sought)
            sought->frequency++;
        bytes += length + (bytes[length] == ' ');
    }
}

static double score(struct scoring *scoring, const json_t *source)
{
    double length = json_number_value(json_object_get(source, "words")), sum = 0;

    for (size_t i = 0; i < scoring->count; i++)
        scoring->terms[i].frequency = 0;
    for (int i = 0; i < OPENSEARCH_FIELD__MAX; i++)
        count_tokens(scoring, (enum opensearch_field)i,
                     json_string_value(json_object_get(source, opensearch_fields[i])));
    for (size_t i = 0; i < scoring->count; i++) {
        const struct sought *sought = &scoring->terms[i];

        if (sought->frequency)
            sum += sought->weight * bm25_impact(sought->frequency, length, scoring->average);
    }
    return sum;
}

int opensearch_best_first(const void *left, const void *right)
{
    const struct search_hit *a = left, *b = right;

    if (a->score < b->score || a->score > b->score)
        return a->score < b->score ? 1 : -1;
    return (a->chunk > b->chunk) - (a->chunk < b->chunk);
}

/* Of the children of a chunk the best one remains. */
static size_t drop_children(struct search_hit *hits, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        bool known = false;

        for (size_t j = 0; j < kept && !known; j++)
            known = hits[j].chunk == hits[i].chunk;
        if (!known)
            hits[kept++] = hits[i];
    }
    return kept;
}

size_t opensearch_keep_current(struct opensearch_view *view, struct search_hit *hits, size_t count)
{
    const struct opensearch_caller *caller = view->caller;
    int64_t *documents = ARENA_ARRAY(view->arena, int64_t, count + 1);
    bool *current = ARENA_ARRAY(view->arena, bool, count + 1);
    struct problem problem = {0};
    size_t kept = 0;
    enum error error;

    if (!caller || !caller->keep_current || !count)
        return count;
    for (size_t i = 0; i < count; i++)
        documents[i] = hits[i].document;
    error = caller->keep_current(caller->context, documents, count, current, &problem);
    if (error) {
        opensearch_view_fail(view, error, &problem);
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        if (current[i])
            hits[kept++] = hits[i];
    return kept;
}

static const json_t *ask_candidates(struct opensearch_view *view, const struct search_term *terms,
                                    size_t count, size_t most)
{
    int64_t size =
        view->server->candidates > (int64_t)most ? view->server->candidates : (int64_t)most;
    const struct opensearch_call call = {
        .path = opensearch_path(view->arena, "/_search", view->scope->tenant,
                                "&allow_partial_search_results=false"
                                "&filter_path=timed_out,_shards,hits.hits._source"),
        .body = opensearch_best_body(view->arena, view->scope, terms, count, size)};
    struct problem problem = {0};
    json_t *answer;
    enum error error;

    opensearch_view_waits(view);
    error = opensearch_ask(view->server, view->arena, &call, &answer, &problem);
    if (!error)
        error = opensearch_is_whole(answer, &problem);
    if (error) {
        opensearch_view_fail(view, error, &problem);
        return NULL;
    }
    return json_object_get(json_object_get(answer, "hits"), "hits");
}

/* What a search found. */
struct found {
    struct search_hit *hits; /* that are current, best first */
    size_t count;
    bool dropped;      /* others are not current */
    bool best_dropped; /* the best one of all is among them */
};

static struct found find_best(struct opensearch_view *view, struct arena *arena,
                              const struct search_term *terms, size_t count, size_t most)
{
    struct scoring scoring = {.count = 0};
    struct found best = {.hits = NULL};
    const json_t *found;
    size_t scored = 0;
    int64_t first;

    if (!most || !view->totals->totals.chunks || view->error)
        return best;
    expect(view, terms, count);
    start_scoring(view, terms, count, &scoring);
    if (!scoring.count || view->error)
        return best;
    found = ask_candidates(view, terms, count, most);
    best.hits = ARENA_ARRAY(arena, struct search_hit, json_array_size(found) + 1);
    for (size_t i = 0; i < json_array_size(found); i++) {
        const json_t *source = json_object_get(json_array_get(found, i), "_source");
        struct search_hit hit = {json_integer_value(json_object_get(source, "chunk")),
                                 json_integer_value(json_object_get(source, "document")),
                                 score(&scoring, source)};

        if (hit.score > 0)
            best.hits[scored++] = hit;
    }
    qsort(best.hits, scored, sizeof *best.hits, opensearch_best_first);
    scored = drop_children(best.hits, scored);
    first = scored ? best.hits[0].chunk : 0;
    best.count = opensearch_keep_current(view, best.hits, scored);
    best.dropped = best.count < scored;
    best.best_dropped = best.dropped && (!best.count || best.hits[0].chunk != first);
    best.count = best.count < most ? best.count : most;
    return best;
}

/* False when the documents of the question stay as they are, which is no failure if the best hit is
 * there and the new ones are not yet. */
static bool renew(struct opensearch_view *view, bool has_best)
{
    const struct opensearch_caller *caller = view->caller;
    struct problem problem = {0};
    enum error error;

    if (!caller || !caller->renew || view->error)
        return false;
    error = caller->renew(caller->context, &view->scope, &view->totals, &problem);
    if (error == ERROR_UNAVAILABLE && has_best)
        return false;
    if (error)
        opensearch_view_fail(view, error, &problem);
    view->known.count = 0;
    return !error;
}

/* While a document is replaced its old version is dropped, and what was read before has no new one:
 * the answer would be that nothing is known. A document that is replaced faster than it is searched
 * for is no longer waited for. */
static size_t give_best(void *engine, struct arena *arena, const struct search_term *terms,
                        size_t count, struct search_hit *hits, size_t most)
{
    struct opensearch_view *view = engine;
    struct found best = find_best(view, arena, terms, count, most);
    struct problem problem = {0};
    bool renewed = false;

    for (int i = 0; i < REPEATS && best.dropped && renew(view, !best.best_dropped); i++) {
        best = find_best(view, arena, terms, count, most);
        renewed = true;
    }
    if (renewed && best.best_dropped)
        opensearch_view_fail(view,
                             problem_set(&problem, ERROR_UNAVAILABLE, "search_unavailable",
                                         "the search engine: documents are being replaced"),
                             &problem);
    if (view->error)
        return 0;
    if (best.count)
        memcpy(hits, best.hits, best.count * sizeof *hits);
    return best.count;
}

static const struct search_backend backend = {
    give_totals,        give_count,         expect,
    give_frequency,     give_best,          opensearch_vector_model,
    opensearch_nearest, opensearch_nearness};

struct opensearch_view *opensearch_view_open(struct arena *arena, const struct opensearch *server,
                                             const struct opensearch_scope *scope,
                                             const struct opensearch_totals *totals,
                                             const struct opensearch_caller *caller)
{
    struct opensearch_view *view = ARENA_NEW(arena, struct opensearch_view);

    *view = (struct opensearch_view){
        .arena = arena, .server = server, .scope = scope, .totals = totals, .caller = caller};
    view->index = search_index_over(arena, &backend, view);
    if (scope->vectors && opensearch_vectors_parse(scope->vectors, &view->model, &view->dimension))
        view->vectors = scope->vectors;
    return view;
}

struct search_index *opensearch_view_index(struct opensearch_view *view)
{
    return view->index;
}

enum error opensearch_view_error(const struct opensearch_view *view, struct problem *problem)
{
    if (view->error)
        *problem = view->problem;
    return view->error;
}
