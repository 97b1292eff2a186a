/* Writing and deleting the chunks of documents in OpenSearch. */
#include "search/opensearch_internal.h"
#include "search/terms.h"
#include "text/exact_words.h"

#include <string.h>

enum {
    SCRATCH_BYTES = 1 << 30,
    BULK_MAX = 512 << 20,
    TOKENS_MAX = 64 << 20,
    DELETED_AT_ONCE = 2000,
    DELETIONS_MAX = 100000 /* calls for one document: far more than it can need */
};

struct opensearch_writer {
    const struct opensearch *server;
    struct opensearch_document document;
    struct arena *scratch; /* of one call */
    struct text text;
    enum error error;
    struct problem problem;
};

/* What one chunk consists of. */
struct tokens {
    struct text of[OPENSEARCH_FIELD__MAX];
    struct text head, passage; /* words of the heading, and of the passage that is read */
    uint32_t position;
};

static void start_call(struct opensearch_writer *writer)
{
    arena_reset(writer->scratch);
    text_start(&writer->text, writer->scratch, BULK_MAX);
}

struct opensearch_writer *opensearch_writer_start(const struct opensearch *server,
                                                  struct arena *arena,
                                                  const struct opensearch_document *document)
{
    struct opensearch_writer *writer = ARENA_NEW(arena, struct opensearch_writer);

    writer->server = server;
    writer->document = *document;
    writer->scratch = arena_create_below(arena, SCRATCH_BYTES);
    start_call(writer);
    return writer;
}

/* One item of the answer that failed decides about all. */
static enum error read_items(const json_t *answer, struct problem *problem)
{
    const json_t *items = json_object_get(answer, "items");

    if (json_is_false(json_object_get(answer, "errors")))
        return ERROR_NONE;
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item =
            json_object_iter_value(json_object_iter((json_t *)(uintptr_t)json_array_get(items, i)));
        const char *type =
            json_string_value(json_object_get(json_object_get(item, "error"), "type"));

        if (type && strcmp(type, "index_not_found_exception") == 0)
            return problem_set(problem, ERROR_NOT_FOUND, "search_index_missing",
                               "the search engine does not have the index; it is made again");
        if (type)
            return problem_set(problem, ERROR_UNAVAILABLE, "search_unavailable",
                               "the search engine did not store everything: %.100s", type);
    }
    return problem_set(problem, ERROR_UNAVAILABLE, "search_unavailable",
                       "the search engine did not say that it has stored everything");
}

enum error opensearch_send_lines(const struct opensearch *server, struct arena *arena,
                                 const char *lines, struct problem *problem)
{
    const struct opensearch_call call = {
        .path = "/_bulk?require_alias=true&filter_path=errors,items.*.error.type",
        .body = lines,
        .lines = true};
    json_t *answer;
    enum error error = opensearch_ask(server, arena, &call, &answer, problem);

    return error ? error : read_items(answer, problem);
}

static enum error send_lines(const struct opensearch *server, struct arena *arena,
                             const struct text *lines, struct problem *problem)
{
    if (lines->overflowed)
        return problem_set(problem, ERROR_TOO_LARGE, "index_memory",
                           "the document is too large to be indexed");
    return opensearch_send_lines(server, arena, lines->bytes, problem);
}

static void flush(struct opensearch_writer *writer)
{
    if (!writer->error && writer->text.length)
        writer->error =
            send_lines(writer->server, writer->scratch, &writer->text, &writer->problem);
    start_call(writer);
}

static void add_token(struct text *text, const char *bytes, size_t length)
{
    if (text->length)
        text_append_byte(text, ' ');
    text_append(text, bytes, length);
}

static void add_term(struct tokens *tokens, const char *name, size_t length)
{
    const struct opensearch_token token = opensearch_token_of(name, length);

    add_token(&tokens->of[token.field], token.bytes, token.length);
}

/* The terms of the words that the embedded index takes (builder.c), in the same order. */
static void read_words(struct tokens *tokens, enum text_language language, const char *bytes,
                       size_t length, struct text *stems)
{
    struct word_reader reader;
    struct word word;

    word_reader_start(&reader, bytes, length);
    while (tokens->position < TERM_POSITION_MAX && exact_word_next(&reader, &word)) {
        struct term_gram grams[TERM_GRAMS_MAX];
        char stem[WORD_BYTES_MAX + 1];
        size_t stem_length = term_stem(language, &word, stem), count = term_grams(&word, grams);

        add_term(tokens, stem, stem_length);
        add_token(stems, stem, stem_length);
        for (size_t i = 0; i < count; i++)
            add_term(tokens, grams[i].bytes, grams[i].length);
        tokens->position++;
    }
}

/* The line that says what the next one is. `passage` is negative for the chunk itself. */
static void write_action(struct opensearch_writer *writer, int64_t key, int child, int passage)
{
    const char *tenant = writer->document.tenant;
    const char *id =
        passage < 0
            ? arena_print(writer->scratch, "%s:%lld:%d", tenant, (long long)key, child)
            : arena_print(writer->scratch, "%s:%lld:%d:%d", tenant, (long long)key, child, passage);
    struct json_writer json;

    writer_start(&json, &writer->text);
    writer_open_object(&json);
    writer_key(&json, "index");
    writer_open_object(&json);
    writer_key_string(&json, "_id", id);
    writer_key_string(&json, "routing", tenant);
    writer_close_object(&json);
    writer_close_object(&json);
    text_append_byte(&writer->text, '\n');
}

static void open_source(struct opensearch_writer *writer, struct json_writer *json)
{
    writer_start(json, &writer->text);
    writer_open_object(json);
    writer_key_string(json, "tenant", writer->document.tenant);
    writer_key_integer(json, "document", writer->document.key);
}

static void close_source(struct opensearch_writer *writer, struct json_writer *json)
{
    writer_close_object(json);
    text_append_byte(&writer->text, '\n');
}

/* The words of the heading count for each passage. */
static void write_passage(struct opensearch_writer *writer, struct tokens *tokens)
{
    struct json_writer json;

    if (tokens->head.length)
        add_token(&tokens->passage, tokens->head.bytes, tokens->head.length);
    open_source(writer, &json);
    writer_key(&json, "passage");
    writer_bytes(&json, tokens->passage.bytes, tokens->passage.length);
    close_source(writer, &json);
    text_cut(&tokens->passage, 0);
}

static void write_chunk(struct opensearch_writer *writer, int64_t key, int child, size_t passages,
                        const struct tokens *tokens)
{
    struct json_writer json;

    write_action(writer, key, child, -1);
    open_source(writer, &json);
    writer_key_integer(&json, "chunk", key);
    writer_key_integer(&json, "child", child);
    writer_key_integer(&json, "words", tokens->position);
    writer_key_integer(&json, "passages", (int64_t)passages);
    writer_key_string(&json, "language", language_codes[writer->document.language]);
    for (int i = 0; i < OPENSEARCH_FIELD__MAX; i++) {
        writer_key(&json, opensearch_fields[i]);
        writer_bytes(&json, tokens->of[i].bytes, tokens->of[i].length);
    }
    close_source(writer, &json);
}

void opensearch_writer_chunk(struct opensearch_writer *writer, int64_t key, int child,
                             const char *head, const struct index_passage *passages, size_t count)
{
    enum text_language language = writer->document.language;
    struct tokens tokens = {.position = 0};

    if (writer->error)
        return;
    for (int i = 0; i < OPENSEARCH_FIELD__MAX; i++)
        text_start(&tokens.of[i], writer->scratch, TOKENS_MAX);
    text_start(&tokens.head, writer->scratch, TOKENS_MAX);
    text_start(&tokens.passage, writer->scratch, TOKENS_MAX);
    if (head)
        read_words(&tokens, language, head, strlen(head), &tokens.head);
    for (size_t i = 0; i < count; i++) {
        tokens.position += tokens.position > 0; /* as in the embedded index, which leaves a gap */
        read_words(&tokens, language, passages[i].text, passages[i].length, &tokens.passage);
        write_action(writer, key, child, (int)i);
        write_passage(writer, &tokens);
    }
    write_chunk(writer, key, child, count, &tokens);
    if ((int64_t)writer->text.length >= writer->server->bulk_bytes)
        flush(writer);
}

enum error opensearch_writer_finish(struct opensearch_writer *writer, struct problem *problem)
{
    flush(writer);
    arena_destroy(writer->scratch);
    writer->scratch = NULL;
    if (writer->error)
        *problem = writer->problem;
    return writer->error;
}

static void write_deletion(struct text *lines, const char *tenant, const char *id)
{
    struct json_writer json;

    writer_start(&json, lines);
    writer_open_object(&json);
    writer_key(&json, "delete");
    writer_open_object(&json);
    writer_key_string(&json, "_id", id);
    writer_key_string(&json, "routing", tenant);
    writer_close_object(&json);
    writer_close_object(&json);
    text_append_byte(lines, '\n');
}

/* Deletes some of what a search with this body finds; `*none` when it found nothing. */
static enum error remove_some(const struct opensearch *server, struct arena *arena,
                              const char *tenant, const char *body, bool *none,
                              struct problem *problem)
{
    const struct opensearch_call call = {
        .path = opensearch_path(arena, "/_search", tenant,
                                "&allow_partial_search_results=false"
                                "&filter_path=timed_out,_shards,hits.hits._id"),
        .body = body};
    const json_t *hits;
    struct text lines;
    json_t *answer;
    enum error error = opensearch_ask(server, arena, &call, &answer, problem);

    if (!error)
        error = opensearch_is_whole(answer, problem);
    if (error)
        return error;
    hits = json_object_get(json_object_get(answer, "hits"), "hits");
    *none = json_array_size(hits) == 0;
    text_start(&lines, arena, BULK_MAX);
    for (size_t i = 0; i < json_array_size(hits); i++)
        write_deletion(&lines, tenant,
                       json_string_value(json_object_get(json_array_get(hits, i), "_id")));
    return *none ? ERROR_NONE : send_lines(server, arena, &lines, problem);
}

/* What was deleted is found until it is refreshed. */
enum error opensearch_remove(const struct opensearch *server, struct arena *arena,
                             const char *tenant, int64_t document, struct problem *problem)
{
    struct arena *scratch = arena_create_below(arena, SCRATCH_BYTES);
    bool none = false;
    enum error error = ERROR_NONE;

    for (int i = 0; i < DELETIONS_MAX && !error && !none; i++) {
        error = remove_some(server, scratch, tenant,
                            opensearch_ids_body(scratch, tenant, document, DELETED_AT_ONCE), &none,
                            problem);
        if (!error && !none)
            error = opensearch_refresh(server, scratch, problem);
        arena_reset(scratch);
    }
    arena_destroy(scratch);
    return error;
}

enum error opensearch_remove_others(const struct opensearch *server, struct arena *arena,
                                    const char *tenant, const struct integer_list *documents,
                                    bool *none, struct problem *problem)
{
    enum error error = remove_some(
        server, arena, tenant, opensearch_others_body(arena, tenant, documents, DELETED_AT_ONCE),
        none, problem);

    return error || *none ? error : opensearch_refresh(server, arena, problem);
}
