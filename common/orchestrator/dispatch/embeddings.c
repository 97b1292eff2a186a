/* Embeddings over HTTP. */
#include "orchestrator/dispatch/embeddings.h"

#include "base/list.h"
#include "base/schema.h"

#include "base/json.h"
#include "text/words.h"

#include <string.h>

enum { BODY_MAX = 64 << 20, ANSWER_MAX = 64 << 20, DEPTH_MAX = 8, WORD_PLACES = 2048 };

bool embeddings_are_configured(const struct worker_context *worker)
{
    return worker->settings->mistral.api_key != NULL;
}

static const struct vector *find(const struct embedding_cache *cache, const char *text)
{
    for (size_t i = 0; i < cache->count; i++)
        if (strcmp(cache->items[i].text, text) == 0)
            return &cache->items[i].vector;
    return NULL;
}

static void keep(struct arena *arena, struct embedding_cache *cache, const char *text,
                 struct vector vector)
{
    *LIST_ADD(arena, cache) = (struct known_embedding){text, vector};
}

struct embeddings_body {
    const char *model;
    struct string_list input;
};

#define OWNER struct embeddings_body
static const struct field body_fields[] = {STRING(OWNER, model), STRINGS(OWNER, input)};
#undef OWNER
static SCHEMA(body_schema, struct embeddings_body, "EmbeddingsRequest", body_fields);

static const char *body_of(const struct run *run, const struct string_list *texts)
{
    const char **items = ARENA_ARRAY(run->arena, const char *, texts->count);

    for (size_t i = 0; i < texts->count; i++)
        items[i] =
            run->redaction ? redaction_hide(run->redaction, texts->items[i]) : texts->items[i];
    return schema_json(run->arena, BODY_MAX, &body_schema,
                       &(struct embeddings_body){"mistral-embed", {texts->count, items}});
}

static bool read_vector(struct arena *arena, const json_t *list, struct vector *vector)
{
    double *values = ARENA_ARRAY(arena, double, json_array_size(list));

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);

        if (!json_is_number(value))
            return false;
        values[i] = json_number_value(value);
    }
    *vector = (struct vector){json_array_size(list), values};
    return vector->length > 0;
}

/* Vectors come in the order of the texts, unless they carry an index. */
static bool read_answer(struct arena *arena, const struct fetch_answer *answer,
                        const struct string_list *texts, struct embedding_cache *cache)
{
    struct vector *vectors = ARENA_ARRAY(arena, struct vector, texts->count);
    struct json_fault fault;
    json_t *document, *data;

    if (answer->outcome != FETCH_ANSWERED || answer->status != 200 ||
        json_read(arena, answer->body, answer->length, DEPTH_MAX, &document, &fault))
        return false;
    data = json_object_get(document, "data");
    if (json_array_size(data) != texts->count)
        return false;
    for (size_t i = 0; i < texts->count; i++) {
        const json_t *item = json_array_get(data, i);
        const json_t *index = json_object_get(item, "index");
        size_t position = json_is_integer(index) ? (size_t)json_integer_value(index) : i;

        if (position >= texts->count ||
            !read_vector(arena, json_object_get(item, "embedding"), &vectors[position]))
            return false;
    }
    for (size_t i = 0; i < texts->count; i++)
        keep(arena, cache, texts->items[i], vectors[i]);
    return true;
}

static enum error ask(struct run *run, struct embedding_cache *cache,
                      const struct string_list *texts)
{
    const struct orchestrator_settings *settings = run->worker->settings;
    const struct provider_settings *provider = &settings->mistral;
    struct fetch_request request = {
        .url = arena_print(run->arena, "%s/embeddings", provider->base_url),
        .body = body_of(run, texts),
        .headers = {{"Content-Type", "application/json"},
                    {"Authorization", arena_print(run->arena, "Bearer %s", provider->api_key)}},
        .header_count = 2,
        .answer_max = ANSWER_MAX,
        .private_too = settings->outbound_allow_private,
        .policy = {.connect_seconds = 10,
                   .attempt_seconds = provider->timeout_seconds,
                   .total_seconds = run_seconds_left(run),
                   .attempts = 1 + (uint32_t)provider->max_retries,
                   .first_pause_seconds = provider->backoff_seconds,
                   .pause_factor = 2,
                   .retry_after_seconds = 20}};
    struct fetch_answer answer;

    request.body_length = strlen(request.body);
    fetch(run->arena, &request, &answer);
    if (read_answer(run->arena, &answer, texts, cache))
        return ERROR_NONE;
    return problem_set(run->problem, ERROR_UNAVAILABLE, "embeddings_unavailable",
                       "Embeddings are not available.");
}

/* Counts of the words of the text, at positions given by their hashes (FNV-1a). */
static struct vector vector_of_words(struct arena *arena, const char *text)
{
    double *counts = ARENA_ARRAY(arena, double, WORD_PLACES);
    struct word_reader reader;
    struct word word;

    word_reader_start(&reader, text, strlen(text));
    while (word_next(&reader, &word)) {
        uint32_t hash = 2166136261U;

        for (size_t i = 0; i < word.length; i++)
            hash = (hash ^ (unsigned char)word.text[i]) * 16777619U;
        counts[hash % WORD_PLACES]++;
    }
    return (struct vector){WORD_PLACES, counts};
}

enum error embed(struct run *run, struct embedding_cache *cache, const char *const *texts,
                 size_t count, struct vector *vectors)
{
    struct string_list missing = {.items = ARENA_ARRAY(run->arena, const char *, count)};
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < count; i++) {
        bool known = find(cache, texts[i]) != NULL;

        for (size_t j = 0; !known && j < missing.count; j++)
            known = strcmp(missing.items[j], texts[i]) == 0;
        if (!known)
            missing.items[missing.count++] = texts[i];
    }
    for (size_t i = 0; i < missing.count && !embeddings_are_configured(run->worker); i++)
        keep(run->arena, cache, missing.items[i], vector_of_words(run->arena, missing.items[i]));
    if (missing.count && embeddings_are_configured(run->worker))
        error = ask(run, cache, &missing);
    for (size_t i = 0; !error && i < count; i++)
        vectors[i] = *find(cache, texts[i]);
    return error;
}
