/* Vectors of texts, in each protocol that has them. */
#include "llm/compose_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { VECTOR_MAX = 16384 };

static const char *const paths[LLM_PROTOCOL__MAX] = {
    [LLM_OPENAI] = "/embeddings",
    [LLM_MISTRAL] = "/embeddings",
    [LLM_OLLAMA] = "/api/embed",
    [LLM_AZURE] = "/openai/v1/embeddings",
};

const char *embedding_path(struct arena *arena, const struct llm_provider *provider)
{
    if (provider->protocol == LLM_GEMINI)
        return arena_print(arena, "/models/%s:batchEmbedContents", provider->model);
    if (provider->protocol == LLM_AZURE && provider->version)
        return arena_print(arena, "/openai/deployments/%s/embeddings?api-version=%s",
                           provider->model, provider->version);
    return paths[provider->protocol];
}

static void write_gemini_text(const struct composition *composition, const json_t *text)
{
    const struct llm_embedding *embedding = composition->request->embedding;
    struct json_writer *writer = composition->writer;

    writer_open_object(writer);
    writer_key_string(writer, "model",
                      arena_print(composition->arena, "models/%s", composition->provider->model));
    writer_key(writer, "content");
    writer_open_object(writer);
    writer_key(writer, "parts");
    writer_open_array(writer);
    writer_open_object(writer);
    writer_key_string(writer, "text", json_string_value(text));
    writer_close_object(writer);
    writer_close_array(writer);
    writer_close_object(writer);
    if (embedding->dimensions.given)
        writer_key_integer(writer, "outputDimensionality", embedding->dimensions.value);
    writer_close_object(writer);
}

static void write_gemini(const struct composition *composition)
{
    const json_t *input = composition->request->embedding->input;

    writer_key(composition->writer, "requests");
    writer_open_array(composition->writer);
    if (json_is_string(input))
        write_gemini_text(composition, input);
    for (size_t i = 0; i < json_array_size(input); i++)
        write_gemini_text(composition, json_array_get(input, i));
    writer_close_array(composition->writer);
}

void compose_embedding(const struct composition *composition)
{
    static const char *const dimensions[LLM_PROTOCOL__MAX] = {[LLM_OPENAI] = "dimensions",
                                                              [LLM_AZURE] = "dimensions",
                                                              [LLM_MISTRAL] = "output_dimension",
                                                              [LLM_OLLAMA] = "dimensions"};
    const struct llm_request *request = composition->request;
    enum llm_protocol protocol = composition->provider->protocol;
    struct json_writer *writer = composition->writer;

    if (protocol == LLM_GEMINI) {
        write_gemini(composition);
        return;
    }
    writer_key_string(writer, "model", composition->provider->model);
    writer_key(writer, "input");
    writer_value(writer, request->embedding->input);
    if (request->embedding->dimensions.given)
        writer_key_integer(writer, dimensions[protocol], request->embedding->dimensions.value);
    if (request->user)
        writer_key_string(writer, "user", request->user);
    compose_more(composition, request->more);
}

/* Values are those of 32-bit floats, whatever form the client wants them in. */
static bool read_vector(struct arena *arena, const json_t *list, struct llm_vector *vector)
{
    size_t count = json_array_size(list);
    double *values = ARENA_ARRAY(arena, double, count);

    for (size_t i = 0; i < count; i++) {
        if (!json_is_number(json_array_get(list, i)))
            return false;
        values[i] = json_number_value(json_array_get(list, i));
        if (fabs(values[i]) > (double)FLT_MAX)
            return false;
    }
    *vector = (struct llm_vector){count, values};
    return count > 0 && count <= VECTOR_MAX;
}

/* Items are vectors, or objects with one; OpenAI's have an index. */
static bool read_item(struct arena *arena, const json_t *item, size_t at, size_t count,
                      struct llm_vector *vectors)
{
    const json_t *index = json_object_get(item, "index");
    const json_t *list = json_object_get(item, "embedding");
    size_t place = json_is_integer(index) ? (size_t)json_integer_value(index) : at;

    if (!list)
        list = json_object_get(item, "values");
    return place < count && !vectors[place].count &&
           read_vector(arena, list ? list : item, &vectors[place]);
}

/* One vector for each text and for each list of tokens. */
static size_t vectors_asked_for(const json_t *input)
{
    bool is_one = json_is_string(input) || json_is_integer(json_array_get(input, 0));

    return is_one ? 1 : json_array_size(input);
}

bool read_embedding(struct arena *arena, const struct llm_embedding *embedding,
                    const json_t *document, struct llm_answer *answer)
{
    static const char *const names[] = {"data", "embeddings"};
    const json_t *list = NULL;
    struct llm_vector *vectors;
    size_t count;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && !list; i++)
        list = json_object_get(document, names[i]);
    count = json_array_size(list);
    if (!count || count != vectors_asked_for(embedding->input))
        return false;
    vectors = ARENA_ARRAY(arena, struct llm_vector, count);
    for (size_t i = 0; i < count; i++)
        if (!read_item(arena, json_array_get(list, i), i, count, vectors))
            return false;
    answer->vectors = vectors;
    answer->vector_count = count;
    return true;
}
