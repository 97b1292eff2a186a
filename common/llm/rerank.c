/* Reranking over HTTP. */
#include "llm/rerank.h"

#include <math.h>

enum { BODY_MAX = 64 << 20 };

static const char *body_of(struct arena *arena, const char *model, const char *query,
                           const char *const *documents, size_t count)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, BODY_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "model", model);
    writer_key_string(&writer, "query", query);
    writer_key(&writer, "documents");
    writer_strings(&writer, documents, count);
    writer_close_object(&writer);
    return text.bytes;
}

static bool read_scores(const json_t *results, size_t count, double *scores)
{
    for (size_t i = 0; i < count; i++)
        scores[i] = NAN;
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *item = json_array_get(results, i), *index = json_object_get(item, "index");
        const json_t *score = json_object_get(item, "relevance_score");
        json_int_t place = json_integer_value(index);

        if (!json_is_integer(index) || place < 0 || (size_t)place >= count ||
            !json_is_number(score) || !isnan(scores[place]))
            return false;
        scores[place] = json_number_value(score);
    }
    for (size_t i = 0; i < count; i++)
        if (!isfinite(scores[i]))
            return false;
    return true;
}

static void to_shares(double *scores, size_t count)
{
    bool logits = false;

    for (size_t i = 0; i < count; i++)
        logits |= scores[i] < 0 || scores[i] > 1;
    for (size_t i = 0; logits && i < count; i++)
        scores[i] = 1 / (1 + exp(-scores[i]));
}

const char *rerank_texts(struct arena *arena, const struct llm_endpoint *endpoint,
                         const char *query, const char *const *documents, size_t count,
                         const struct fetch_watch *watch, double *scores)
{
    json_t *document;
    const char *failure =
        llm_endpoint_post(arena, endpoint, body_of(arena, endpoint->model, query, documents, count),
                          watch, &document);

    if (failure)
        return failure;
    if (!read_scores(json_object_get(document, "results"), count, scores))
        return "malformed";
    to_shares(scores, count);
    return NULL;
}
