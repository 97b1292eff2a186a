/* The nearest chunks by vectors in OpenSearch: it proposes candidates, and how near they are is
 * computed here from their packed vectors. */
#include "base/list.h"
#include "crypto/base64url.h"
#include "search/opensearch_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSION_MOST = 16000, ROWS_AT_ONCE = 1000 };

const char *opensearch_vectors_prefix(struct arena *arena, const struct opensearch *server,
                                      uint64_t model)
{
    return arena_print(arena, "%s-vectors-%016" PRIx64 "-", server->index, model);
}

const char *opensearch_vectors_name(struct arena *arena, const struct opensearch *server,
                                    uint64_t model, uint32_t dimension)
{
    return arena_print(arena, "%s%" PRIu32, opensearch_vectors_prefix(arena, server, model),
                       dimension);
}

bool opensearch_vectors_parse(const char *name, uint64_t *model, uint32_t *dimension)
{
    static const char mark[] = "-vectors-";
    const char *at = strstr(name, mark), *next;
    char *end;
    unsigned long values;

    while (at && (next = strstr(at + 1, mark)) != NULL) /* an index may have such a name */
        at = next;
    if (!at)
        return false;
    *model = strtoull(at + strlen(mark), &end, 16);
    values = *end == '-' ? strtoul(end + 1, &end, 10) : 0;
    *dimension = values <= DIMENSION_MOST ? (uint32_t)values : 0;
    return *model && *dimension && !*end;
}

struct opensearch opensearch_vectors_of(const struct opensearch *server, const char *name)
{
    struct opensearch of = *server;

    of.index = name;
    return of;
}

enum error opensearch_vectors_put(const struct opensearch *server, struct arena *arena,
                                  const char *tenant, int64_t document,
                                  const struct opensearch_vectors *chunks, size_t count,
                                  struct problem *problem)
{
    uint64_t model;
    uint32_t dimension;

    if (!count || !opensearch_vectors_parse(server->index, &model, &dimension))
        return ERROR_NONE;
    return opensearch_send_lines(
        server, arena, opensearch_put_body(arena, tenant, document, dimension, chunks, count),
        problem);
}

enum error opensearch_vectors_count(const struct opensearch *server, struct arena *arena,
                                    const struct opensearch_scope *scope, int64_t *chunks,
                                    struct problem *problem)
{
    struct opensearch_totals totals;
    enum error error = opensearch_read_totals(server, arena, scope, &totals, problem);

    *chunks = error ? 0 : totals.totals.chunks;
    return error;
}

uint64_t opensearch_vector_model(void *engine, uint32_t *dimension)
{
    const struct opensearch_view *view = engine;

    *dimension = view->dimension;
    return view->vectors ? view->model : 0;
}

/* False for a row that is not as opensearch_vectors_put() wrote it. */
static bool read_row(const struct opensearch_view *view, const json_t *source,
                     struct opensearch_known_chunk *chunk)
{
    const char *text = json_string_value(json_object_get(source, "rows"));
    int64_t texts = json_integer_value(json_object_get(source, "texts"));
    size_t bytes = search_vector_bytes(view->dimension), size = 0;

    if (!text)
        return false;
    chunk->document = json_integer_value(json_object_get(source, "document"));
    chunk->vectors =
        (struct opensearch_vectors){.chunk = json_integer_value(json_object_get(source, "chunk")),
                                    .rows = base64url_read(view->arena, text, strlen(text), &size)};
    chunk->vectors.count = (uint32_t)(size / bytes);
    chunk->vectors.texts = (uint32_t)texts;
    return chunk->vectors.rows && size % bytes == 0 && texts > 0 &&
           texts <= (int64_t)chunk->vectors.count;
}

static const struct opensearch_known_chunk *find_known(const struct opensearch_view *view,
                                                       int64_t key)
{
    for (size_t i = 0; i < view->near.count; i++)
        if (view->near.items[i].vectors.chunk == key)
            return &view->near.items[i];
    return NULL;
}

static struct search_nearness nearness_of(const struct opensearch_vectors *chunk,
                                          const uint8_t *vector, uint32_t dimension)
{
    struct search_nearness nearness = {-1, -1, 0};
    size_t bytes = search_vector_bytes(dimension);

    for (uint32_t i = 0; i < chunk->count; i++) {
        double cosine = search_vector_cosine(vector, chunk->rows + i * bytes, dimension);

        if (i < chunk->texts) {
            nearness.text = fmax(nearness.text, cosine);
        } else if (cosine > nearness.title) {
            nearness.title = cosine;
            nearness.place = i - chunk->texts;
        }
    }
    return nearness;
}

/* The answers of searches for rows; NULL with the view's error. */
static const json_t *ask_rows(struct opensearch_view *view, const char *body, size_t searches)
{
    const struct opensearch server = opensearch_vectors_of(view->server, view->vectors);
    const struct opensearch_call call = {
        .path = "/_msearch?filter_path=responses.timed_out,responses._shards,responses.status,"
                "responses.hits.hits._source",
        .body = body,
        .lines = true};
    struct problem problem = {0};
    const json_t *responses = NULL;
    json_t *answer;
    enum error error;

    opensearch_view_waits(view);
    error = opensearch_ask(&server, view->arena, &call, &answer, &problem);
    if (!error)
        responses = json_object_get(answer, "responses");
    for (size_t i = 0; !error && i < searches; i++)
        error = opensearch_is_whole(json_array_get(responses, i), &problem);
    if (error)
        opensearch_view_fail(view, error, &problem);
    return error ? NULL : responses;
}

/* The rows that one of the searches found, which are remembered. */
static void read_rows(struct opensearch_view *view, const json_t *response,
                      struct opensearch_known_chunk *chunks, size_t *count)
{
    const json_t *hits = json_object_get(json_object_get(response, "hits"), "hits");

    *count = 0;
    for (size_t i = 0; i < json_array_size(hits); i++) {
        const json_t *source = json_object_get(json_array_get(hits, i), "_source");
        struct opensearch_known_chunk *chunk = &chunks[*count];
        struct problem problem = {0};

        if (read_row(view, source, chunk))
            ++*count;
        else
            opensearch_view_fail(view,
                                 problem_set(&problem, ERROR_UNAVAILABLE, "search_unavailable",
                                             "the search engine gave no vectors"),
                                 &problem);
    }
    for (size_t i = 0; i < *count; i++)
        if (!find_known(view, chunks[i].vectors.chunk))
            *LIST_ADD(view->arena, &view->near) = chunks[i];
}

static struct opensearch_known_chunk *rows_of(struct opensearch_view *view, const json_t *response,
                                              size_t *count)
{
    const json_t *hits = json_object_get(json_object_get(response, "hits"), "hits");
    struct opensearch_known_chunk *chunks =
        ARENA_ARRAY(view->arena, struct opensearch_known_chunk, json_array_size(hits) + 1);

    read_rows(view, response, chunks, count);
    return chunks;
}

static struct search_spread spread_of(const struct opensearch_view *view,
                                      const struct opensearch_known_chunk *chunks, size_t count,
                                      const uint8_t *vector)
{
    double sum = 0, squares = 0, n = (double)count;
    struct search_spread spread = {0, 0};

    for (size_t i = 0; i < count; i++) {
        const struct search_nearness near =
            nearness_of(&chunks[i].vectors, vector, view->dimension);
        double score = search_nearness_both(&near);

        sum += score;
        squares += score * score;
    }
    if (count) {
        spread.mean = sum / n;
        spread.deviation = sqrt(fmax(0, squares / n - spread.mean * spread.mean));
    }
    return spread;
}

size_t opensearch_nearest(void *engine, struct arena *arena, const uint8_t *vector,
                          struct search_hit *hits, size_t most, struct search_spread *spread)
{
    struct opensearch_view *view = engine;
    int64_t size =
        view->server->candidates > (int64_t)most ? view->server->candidates : (int64_t)most;
    const struct opensearch_known_chunk *chunks;
    struct search_hit *all;
    const json_t *responses;
    size_t count;

    *spread = (struct search_spread){0, 0};
    if (!most || !view->vectors || view->error)
        return 0;
    responses = ask_rows(view,
                         opensearch_nearest_body(view->arena, view->scope, vector, view->dimension,
                                                 size, view->totals->visible),
                         2);
    chunks = rows_of(view, json_array_get(responses, 1), &count);
    *spread = spread_of(view, chunks, count, vector);
    view->mean = spread->mean;
    chunks = rows_of(view, json_array_get(responses, 0), &count);
    all = ARENA_ARRAY(arena, struct search_hit, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct search_nearness near =
            nearness_of(&chunks[i].vectors, vector, view->dimension);

        all[i] = (struct search_hit){chunks[i].vectors.chunk, chunks[i].document,
                                     search_nearness_both(&near)};
    }
    qsort(all, count, sizeof *all, opensearch_best_first);
    count = opensearch_keep_current(view, all, count);
    count = count < most ? count : most;
    if (view->error || !count)
        return 0;
    memcpy(hits, all, count * sizeof *hits);
    return count;
}

/* Reads the vectors of chunks that no search has given yet. */
static void read_missing(struct opensearch_view *view, const int64_t *keys, size_t count)
{
    int64_t *missing = ARENA_ARRAY(view->arena, int64_t, count + 1);
    size_t wanted = 0, read;

    for (size_t i = 0; i < count; i++)
        if (!find_known(view, keys[i]))
            missing[wanted++] = keys[i];
    for (size_t i = 0; i < wanted && !view->error; i += ROWS_AT_ONCE) {
        size_t some = wanted - i < ROWS_AT_ONCE ? wanted - i : ROWS_AT_ONCE;
        const json_t *responses =
            ask_rows(view, opensearch_rows_body(view->arena, view->scope, missing + i, some), 1);

        rows_of(view, json_array_get(responses, 0), &read);
    }
}

/* A chunk that has no vector yet, as that of a document which was replaced during the question,
 * counts as one of average nearness. */
void opensearch_nearness(void *engine, const uint8_t *vector, const int64_t *keys, size_t count,
                         struct search_nearness *nearness)
{
    struct opensearch_view *view = engine;

    if (view->vectors)
        read_missing(view, keys, count);
    for (size_t i = 0; i < count; i++) {
        const struct opensearch_known_chunk *chunk = find_known(view, keys[i]);

        nearness[i] = chunk ? nearness_of(&chunk->vectors, vector, view->dimension)
                            : (struct search_nearness){view->vectors ? view->mean : -1, -1, 0};
    }
}
