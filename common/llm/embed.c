/* Embeddings over HTTP. */
#include "llm/embed.h"

#include <math.h>
#include <string.h>

enum { BODY_MAX = 64 << 20 };

static const char *body_of(struct arena *arena, const char *model, const char *const *texts,
                           size_t count)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, BODY_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "model", model);
    writer_key(&writer, "input");
    writer_strings(&writer, texts, count);
    writer_close_object(&writer);
    return text.bytes;
}

/* Copies a vector into a row, normalized to length 1. */
static bool read_row(const json_t *list, float *row, uint32_t dimension)
{
    double squares = 0;

    for (uint32_t i = 0; i < dimension; i++) {
        const json_t *value = json_array_get(list, i);

        if (!json_is_number(value))
            return false;
        row[i] = (float)json_number_value(value);
        squares += (double)row[i] * (double)row[i];
    }
    if (!(squares > 0) || !isfinite(squares))
        return false;
    for (uint32_t i = 0; i < dimension; i++)
        row[i] = (float)((double)row[i] / sqrt(squares));
    return true;
}

static bool read_vectors(struct arena *arena, const json_t *data, size_t count,
                         struct embed_answer *answer)
{
    size_t dimension = json_array_size(json_object_get(json_array_get(data, 0), "embedding"));
    bool *known = ARENA_ARRAY(arena, bool, count);

    if (json_array_size(data) != count || !dimension || dimension > EMBED_DIMENSION_MAX)
        return false;
    answer->dimension = (uint32_t)dimension;
    answer->vectors = ARENA_ARRAY(arena, float, count *dimension);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(data, i), *index = json_object_get(item, "index");
        const json_t *list = json_object_get(item, "embedding");
        size_t place = json_is_integer(index) ? (size_t)json_integer_value(index) : i;

        if (place >= count || known[place] || json_array_size(list) != dimension ||
            !read_row(list, answer->vectors + place * dimension, answer->dimension))
            return false;
        known[place] = true;
    }
    return true;
}

void embed_texts(struct arena *arena, const struct llm_endpoint *endpoint, const char *const *texts,
                 size_t count, const struct fetch_watch *watch, struct embed_answer *answer)
{
    json_t *document;

    *answer = (struct embed_answer){.vectors = NULL};
    answer->failure = llm_endpoint_post(
        arena, endpoint, body_of(arena, endpoint->model, texts, count), watch, &document);
    if (!answer->failure && !read_vectors(arena, json_object_get(document, "data"), count, answer))
        answer->failure = "malformed";
}
