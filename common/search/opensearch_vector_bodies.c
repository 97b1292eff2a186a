/* The bodies of calls to OpenSearch about vectors. */
#include "crypto/base64url.h"
#include "search/opensearch_internal.h"

#include <math.h>
#include <string.h>

enum {
    BODY_MAX = 256 << 20,
    SAMPLE_VALUES = 65536, /* a chunk has one of them, from 0 */
    SAMPLE_CHUNKS = 500    /* about: their mean is within .05 deviations of that of all */
};

/* Spread evenly, whatever the keys are. */
static int64_t sample_value(int64_t chunk)
{
    uint64_t mixed = (uint64_t)chunk * UINT64_C(0x9E3779B97F4A7C15);

    return (int64_t)(mixed >> 48);
}

static void write_type(struct json_writer *writer, const char *name, const char *type)
{
    opensearch_open_member(writer, name);
    writer_key_string(writer, "type", type);
    writer_close_object(writer);
}

/* What is only read. */
static void write_kept(struct json_writer *writer, const char *name, const char *type)
{
    opensearch_open_member(writer, name);
    writer_key_string(writer, "type", type);
    writer_key_boolean(writer, "index", false);
    writer_key_boolean(writer, "doc_values", false);
    writer_close_object(writer);
}

static void write_vector_field(struct json_writer *writer, uint32_t dimension)
{
    opensearch_open_member(writer, "vectors");
    writer_key_string(writer, "type", "nested");
    opensearch_open_member(writer, "properties");
    opensearch_open_member(writer, "vector");
    writer_key_string(writer, "type", "knn_vector");
    writer_key_integer(writer, "dimension", dimension);
    opensearch_open_member(writer, "method");
    writer_key_string(writer, "engine", "lucene");
    writer_key_string(writer, "name", "hnsw");
    writer_key_string(writer, "space_type", "cosinesimil");
    for (int i = 0; i < 4; i++)
        writer_close_object(writer);
}

static void write_settings(struct json_writer *writer, const char *alias, int64_t shards,
                           int64_t copies)
{
    opensearch_open_member(writer, "settings");
    writer_key_boolean(writer, "index.knn", true);
    writer_key_integer(writer, "number_of_shards", shards);
    writer_key_integer(writer, "number_of_replicas", copies);
    writer_close_object(writer);
    opensearch_open_member(writer, "aliases");
    opensearch_open_member(writer, alias);
    writer_close_object(writer);
    writer_close_object(writer);
}

static void write_mappings(struct json_writer *writer, uint32_t dimension)
{
    opensearch_open_member(writer, "mappings");
    writer_key_string(writer, "dynamic", "strict");
    opensearch_open_member(writer, "_routing");
    writer_key_boolean(writer, "required", true);
    writer_close_object(writer);
    opensearch_open_member(writer, "_source"); /* the rows have them in fewer bytes */
    writer_key(writer, "excludes");
    writer_open_array(writer);
    writer_string(writer, "vectors");
    writer_close_array(writer);
    writer_close_object(writer);
    opensearch_open_member(writer, "properties");
    write_type(writer, "tenant", "keyword");
    write_type(writer, "document", "long");
    write_type(writer, "chunk", "long");
    write_type(writer, "sample", "integer");
    write_kept(writer, "texts", "integer");
    write_kept(writer, "rows", "keyword");
    write_vector_field(writer, dimension);
    writer_close_object(writer);
    writer_close_object(writer);
}

const char *opensearch_vector_index_body(struct arena *arena, const struct opensearch *server,
                                         uint32_t dimension, int64_t shards, int64_t copies)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, BODY_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    write_settings(&writer, server->index, shards, copies);
    write_mappings(&writer, dimension);
    writer_close_object(&writer);
    return text.bytes;
}

/* Cosines do not depend on the length, so that a row is written without its scale. */
static void write_vector(struct json_writer *writer, const uint8_t *row, uint32_t dimension)
{
    const int8_t *values = (const int8_t *)(row + sizeof(float));

    writer_key(writer, "vector");
    writer_open_array(writer);
    for (uint32_t i = 0; i < dimension; i++)
        writer_integer(writer, values[i]);
    writer_close_array(writer);
}

static bool is_zero(const uint8_t *row, uint32_t dimension)
{
    for (uint32_t i = 0; i < dimension; i++)
        if (row[sizeof(float) + i])
            return false;
    return true;
}

/* A text that could not be embedded has zeros, which have no cosine. */
static void write_vectors(struct json_writer *writer, const struct opensearch_vectors *chunk,
                          uint32_t dimension)
{
    size_t bytes = search_vector_bytes(dimension);

    writer_key(writer, "vectors");
    writer_open_array(writer);
    for (uint32_t i = 0; i < chunk->count; i++) {
        const uint8_t *row = chunk->rows + i * bytes;

        if (is_zero(row, dimension))
            continue;
        writer_open_object(writer);
        write_vector(writer, row, dimension);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static void write_row(struct text *text, struct arena *arena, const char *tenant, int64_t document,
                      uint32_t dimension, const struct opensearch_vectors *chunk)
{
    struct json_writer writer;

    writer_start(&writer, text);
    writer_open_object(&writer);
    opensearch_open_member(&writer, "index");
    writer_key_string(&writer, "_id",
                      arena_print(arena, "%s:%lld", tenant, (long long)chunk->chunk));
    writer_key_string(&writer, "routing", tenant);
    writer_close_object(&writer);
    writer_close_object(&writer);
    text_append_byte(text, '\n');
    writer_start(&writer, text);
    writer_open_object(&writer);
    writer_key_string(&writer, "tenant", tenant);
    writer_key_integer(&writer, "document", document);
    writer_key_integer(&writer, "chunk", chunk->chunk);
    writer_key_integer(&writer, "sample", sample_value(chunk->chunk));
    writer_key_integer(&writer, "texts", chunk->texts);
    writer_key_string(
        &writer, "rows",
        base64url_write(arena, chunk->rows, chunk->count * search_vector_bytes(dimension)));
    write_vectors(&writer, chunk, dimension);
    writer_close_object(&writer);
    text_append_byte(text, '\n');
}

const char *opensearch_put_body(struct arena *arena, const char *tenant, int64_t document,
                                uint32_t dimension, const struct opensearch_vectors *chunks,
                                size_t count)
{
    struct text text;

    text_start(&text, arena, BODY_MAX);
    for (size_t i = 0; i < count; i++)
        write_row(&text, arena, tenant, document, dimension, &chunks[i]);
    return text.bytes;
}

static void start_search(struct json_writer *writer, struct text *text, const char *tenant,
                         int64_t size)
{
    writer_start(writer, text);
    writer_open_object(writer);
    writer_key_string(writer, "routing", tenant);
    writer_close_object(writer);
    text_append_byte(text, '\n');
    writer_start(writer, text);
    writer_open_object(writer);
    writer_key_integer(writer, "size", size);
    writer_key_boolean(writer, "track_total_hits", false);
    writer_key(writer, "query");
}

static void end_search(struct json_writer *writer, struct text *text)
{
    writer_close_object(writer);
    text_append_byte(text, '\n');
}

static void write_nearest(struct json_writer *writer, const struct opensearch_scope *scope,
                          const uint8_t *vector, uint32_t dimension, int64_t size)
{
    writer_open_object(writer);
    opensearch_open_member(writer, "nested");
    writer_key_string(writer, "path", "vectors");
    writer_key_string(writer, "score_mode", "max");
    opensearch_open_member(writer, "query");
    opensearch_open_member(writer, "knn");
    opensearch_open_member(writer, "vectors.vector");
    write_vector(writer, vector, dimension);
    writer_key_integer(writer, "k", size);
    writer_key(writer, "filter");
    opensearch_open_query(writer, scope, true, true, NULL, NULL);
    opensearch_close_query(writer);
    for (int i = 0; i < 5; i++)
        writer_close_object(writer);
}

/* So many values of `sample` that about SAMPLE_CHUNKS of the chunks have one of them. */
static int64_t sample_limit(int64_t chunks)
{
    double share = chunks > 0 ? (double)SAMPLE_CHUNKS / (double)chunks : 1;

    return (int64_t)ceil(fmin(share, 1) * SAMPLE_VALUES);
}

/* The caller writes what one of is required. */
static void open_choice(struct json_writer *writer, const struct opensearch_scope *scope)
{
    opensearch_open_query(writer, scope, true, true, NULL, NULL);
    writer_key_integer(writer, "minimum_should_match", 1);
    writer_key(writer, "should");
    writer_open_array(writer);
    writer_open_object(writer);
}

static void close_choice(struct json_writer *writer)
{
    writer_close_object(writer);
    writer_close_array(writer);
    opensearch_close_query(writer);
}

const char *opensearch_nearest_body(struct arena *arena, const struct opensearch_scope *scope,
                                    const uint8_t *vector, uint32_t dimension, int64_t size,
                                    int64_t chunks)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, BODY_MAX);
    start_search(&writer, &text, scope->tenant, size);
    write_nearest(&writer, scope, vector, dimension, size);
    end_search(&writer, &text);
    start_search(&writer, &text, scope->tenant, (int64_t)SAMPLE_CHUNKS * 2);
    open_choice(&writer, scope);
    opensearch_open_member(&writer, "range");
    opensearch_open_member(&writer, "sample");
    writer_key_integer(&writer, "lte", sample_limit(chunks) - 1);
    writer_close_object(&writer);
    writer_close_object(&writer);
    close_choice(&writer);
    end_search(&writer, &text);
    return text.bytes;
}

const char *opensearch_rows_body(struct arena *arena, const struct opensearch_scope *scope,
                                 const int64_t *chunks, size_t count)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, BODY_MAX);
    start_search(&writer, &text, scope->tenant, (int64_t)count);
    open_choice(&writer, scope);
    opensearch_open_member(&writer, "terms");
    writer_key(&writer, "chunk");
    writer_open_array(&writer);
    for (size_t i = 0; i < count; i++)
        writer_integer(&writer, chunks[i]);
    writer_close_array(&writer);
    writer_close_object(&writer);
    close_choice(&writer);
    end_search(&writer, &text);
    return text.bytes;
}
