/* Embeddings: the same way through the dispatcher as an answer, with vectors at its end. */
#include "orchestrator-streams/embeddings.h"

#include "orchestrator-streams/exchange.h"
#include "orchestrator-streams/parameters.h"

#include <string.h>

enum { INPUTS_MAX = 2048, PROMPT_MAX = 8 << 20, VECTOR_TEXT_MAX = 1 << 20 };

static const char *const formats[] = {"float", "base64", NULL};

struct embeddings_body {
    const char *model, *user;
    json_t *input;
    int encoding_format;
    struct optional_integer dimensions;
    const json_t *document; /* all of it */
};

#define OWNER struct embeddings_body
static const struct field body_fields[] = {
    STRING(OWNER, model, .required = true, .min_length = 1, .max_length = 200),
    JSON_VALUE(OWNER, input, .required = true),
    CHOICE(OWNER, encoding_format, formats, .choice_count = 2,
           .help = "base64: of 32-bit floats, the lowest byte first."),
    NULLABLE_INTEGER(OWNER, dimensions, .lower = AT_LEAST(1), .upper = AT_MOST(16384)),
    STRING(OWNER, user, .nullable = true),
};
#undef OWNER
SCHEMA(embeddings_body_schema, struct embeddings_body, "EmbeddingsBody", body_fields,
       .help = "Members beyond these are passed on to models of OpenAI's protocol.",
       .extra = EXTRA_KEEP, .document = offsetof(struct embeddings_body, document),
       .example = "{\"model\":\"text-embedding-3-small\",\"input\":\"Hi\"}");

struct embedding_row {
    const char *object;
    int64_t index;
    const char *embedding; /* JSON: a list of numbers, or a text */
};

struct embedding_usage {
    int64_t prompt_tokens, total_tokens;
};

#define OWNER struct embedding_usage
static const struct field usage_fields[] = {INTEGER(OWNER, prompt_tokens),
                                            INTEGER(OWNER, total_tokens)};
#undef OWNER
static SCHEMA(embedding_usage_schema, struct embedding_usage, "EmbeddingUsage", usage_fields);

struct embeddings {
    const char *object;
    const char *data; /* a JSON array */
    const char *model;
    const struct embedding_usage *usage;
};

#define OWNER struct embeddings
static const struct field answer_fields[] = {
    STRING(OWNER, object),
    WRITTEN_JSON_OBJECTS(OWNER, data),
    STRING(OWNER, model),
    OBJECT(OWNER, usage, embedding_usage_schema),
};
#undef OWNER
SCHEMA(embeddings_schema, struct embeddings, "EmbeddingList", answer_fields);

static void accepted(struct exchange_call *exchange)
{
    (void)exchange;
}

/* 32-bit floats, the lowest byte first, whatever the machine. */
static void write_base64(struct json_writer *writer, struct arena *arena,
                         const struct llm_vector *vector)
{
    unsigned char *bytes = arena_alloc(arena, vector->count * 4);
    struct text text;

    for (size_t i = 0; i < vector->count; i++) {
        float value = (float)vector->values[i];
        uint32_t bits;

        memcpy(&bits, &value, sizeof bits);
        for (size_t j = 0; j < 4; j++)
            bytes[4 * i + j] = (unsigned char)(bits >> (8 * j));
    }
    text_start(&text, arena, VECTOR_TEXT_MAX);
    text_append_base64(&text, bytes, vector->count * 4);
    writer_string(writer, text.bytes);
}

static void write_vector(struct json_writer *writer, struct arena *arena,
                         const struct llm_vector *vector, bool is_base64)
{
    if (is_base64) {
        write_base64(writer, arena, vector);
        return;
    }
    writer_open_array(writer);
    for (size_t i = 0; i < vector->count; i++)
        writer_number(writer, vector->values[i]);
    writer_close_array(writer);
}

static void answer(struct exchange_call *exchange, const struct final_answer *final)
{
    const struct embeddings_body *body = exchange->request->body;
    struct arena *arena = exchange->request->arena;
    struct embeddings *row = ARENA_NEW(arena, struct embeddings);
    struct embedding_usage *usage = ARENA_NEW(arena, struct embedding_usage);
    size_t count = final->result ? final->result->vector_count : 0;
    struct exchange_usage tokens;
    struct json_writer writer;
    struct text data;

    (void)exchange_usage(final, &tokens);
    text_start(&data, arena, (size_t)VECTOR_TEXT_MAX * (count + 1));
    writer_start(&writer, &data);
    writer_open_array(&writer);
    for (size_t i = 0; i < count; i++) {
        writer_open_object(&writer);
        writer_key_string(&writer, "object", "embedding");
        writer_key_integer(&writer, "index", (int64_t)i);
        writer_key(&writer, "embedding");
        write_vector(&writer, arena, &final->result->vectors[i], body->encoding_format == 1);
        writer_close_object(&writer);
    }
    writer_close_array(&writer);
    *usage = (struct embedding_usage){tokens.input, tokens.input};
    *row = (struct embeddings){"list", data.bytes, exchange->call->model, usage};
    exchange->reply->object = row;
}

static const struct dialect dialect = {
    .route = "embeddings", .accepted = accepted, .answer = answer};

/* Texts, or token numbers: one list of them, or a list of lists. */
static bool is_input(const json_t *input)
{
    size_t count = json_array_size(input);

    if (json_is_string(input))
        return json_string_length(input) > 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(input, i);

        if (!(json_is_string(item) && json_string_length(item)) && !json_is_integer(item) &&
            !json_array_size(item))
            return false;
    }
    return count > 0 && (count <= INPUTS_MAX || json_is_integer(json_array_get(input, 0)));
}

/* The texts, as the task shows them. */
static const char *prompt_of(struct arena *arena, const json_t *input)
{
    struct text text;

    if (json_is_string(input))
        return json_string_value(input);
    text_start(&text, arena, PROMPT_MAX);
    for (size_t i = 0; i < json_array_size(input); i++) {
        const char *item = json_string_value(json_array_get(input, i));

        if (item && text.length)
            text_append_string(&text, "\n\n");
        if (item)
            text_append_string(&text, item);
    }
    return text.bytes;
}

enum error embeddings_handle(struct request *request, struct reply *reply)
{
    const struct embeddings_body *body = request->body;
    struct llm_embedding *embedding = ARENA_NEW(request->arena, struct llm_embedding);
    struct gateway_call *call = ARENA_NEW(request->arena, struct gateway_call);
    struct exchange_call exchange = {
        .request = request, .reply = reply, .dialect = &dialect, .call = call};
    const char *own[COUNT_OF(body_fields) + 1];

    if (!is_input(body->input))
        return request_fault(request, "body", "input", "value_error",
                             "input should be text, a list of at most 2048 texts, or numbers of "
                             "tokens");
    for (size_t i = 0; i < COUNT_OF(body_fields); i++)
        own[i] = body_fields[i].name;
    own[COUNT_OF(body_fields)] = NULL;
    *embedding = (struct llm_embedding){body->input, body->dimensions};
    *call = (struct gateway_call){.model = body->model,
                                  .prompt = prompt_of(request->arena, body->input)};
    call->request =
        (struct llm_request){.embedding = embedding,
                             .user = body->user,
                             .more = members_beyond(request->arena, body->document, own)};
    return exchange_run(&exchange);
}
