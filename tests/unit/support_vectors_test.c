/* Vectors of chunks in the database, on both engines: written, read, replaced, and gone with their
 * chunk; which document and which segment come next. */
#include "../db/fixture.h"

#include "support/documents/ingest.h"
#include "support/documents/vector_store.h"

static const char *nothing(const char *name)
{
    (void)name;
    return NULL;
}

static struct document_call call_of(struct store *store, struct support_settings *settings)
{
    static const struct db_schema schema = {.directory = "sql/support"};

    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    CHECK_OK(support_settings_load(settings, store->arena, nothing, &store->problem));
    settings->data_directory = arena_print(store->arena, "%s/data", store->directory);
    return (struct document_call){store->db, store->arena, "default", &store->problem};
}

static void ingest(struct store *store, const struct document_call *call,
                   const struct support_settings *settings, const char *name, const char *text)
{
    struct ingest_result result;
    struct ingest_request request = {.text = text, .doc_id = name};

    CHECK_OK(ingest_document(call, settings, &request, &result));
}

/* The key of a document, and its first chunk's. */
static int64_t keys_of(struct store *store, const struct document_call *call, const char *name,
                       int64_t *chunk)
{
    struct document_row row;
    struct object_list rows;
    bool found;

    CHECK_OK(document_find(call, name, &row, &found));
    CHECK(found);
    CHECK_OK(document_chunks(call, row.key, 0, 100, &rows));
    *chunk = ((const struct chunk_row *)rows.items)[0].key;
    return row.key;
}

static void write_one(struct store *store, const struct document_call *call, const char *model,
                      int64_t chunk, int8_t value)
{
    const uint8_t row[8] = {0, 0, 0, 0x3c, (uint8_t)value, (uint8_t)-127, 0, 0}; /* .0078125 */
    const struct chunk_vector vector = {chunk, 0, 3, row};

    CHECK_OK(vectors_write(call, model, &vector, 1));
}

static const char *next_segment(struct store *store, const struct document_call *call,
                                const char *model)
{
    const char *tenant, *segment;

    CHECK_OK(vectors_next_segment(call->db, call->arena, model, &tenant, &segment, call->problem));
    return segment;
}

static int64_t next_document(struct store *store, const struct document_call *call,
                             const char *model)
{
    const char *tenant;
    int64_t key;

    CHECK_OK(vectors_next_document(call->db, call->arena, model, &tenant, &key, call->problem));
    CHECK(!key == !tenant);
    return key;
}

ON_BOTH(a_vector_is_read_as_it_was_written)
{
    struct support_settings settings = {0};
    struct document_call call = call_of(store, &settings);
    struct chunk_vectors read;
    int64_t chunk;

    ingest(store, &call, &settings, "a.md", "# Returns\n\nGoods can be returned within 14 days.\n");
    (void)keys_of(store, &call, "a.md", &chunk);
    write_one(store, &call, "small", chunk, 100);
    CHECK_OK(vectors_read(&call, "small", chunk, chunk, &read));
    CHECK_INT(read.count, 1);
    CHECK_INT(read.items[0].chunk, chunk);
    CHECK_INT(read.items[0].dimension, 3);
    CHECK(memcmp(read.items[0].row, "\0\0\0\x3c\x64\x81\0\0", 8) == 0);
    write_one(store, &call, "large", chunk, 7); /* one model at a time */
    CHECK_OK(vectors_read(&call, "small", chunk, chunk, &read));
    CHECK_INT(read.count, 0);
    CHECK_OK(vectors_read(&call, "large", chunk, chunk + 1000, &read));
    CHECK_INT(read.items[0].row[4], 7);
    write_one(store, &call, "large", chunk + 1000, 7); /* a chunk that is gone */
    CHECK_OK(vectors_read(&call, "large", chunk, chunk + 1000, &read));
    CHECK_INT(read.count, 1);
}

ON_BOTH(vectors_go_with_their_chunk)
{
    struct support_settings settings = {0};
    struct document_call call = call_of(store, &settings);
    struct chunk_vectors read;
    int64_t chunk, key;

    ingest(store, &call, &settings, "a.md", "# Returns\n\nGoods can be returned within 14 days.\n");
    key = keys_of(store, &call, "a.md", &chunk);
    write_one(store, &call, "small", chunk, 1);
    CHECK_OK(vectors_complete(&call, "small", key));
    CHECK_INT(next_document(store, &call, "small"), 0);
    ingest(store, &call, &settings, "a.md", "# Returns\n\nGoods cannot be returned.\n");
    CHECK_OK(vectors_read(&call, "small", chunk, chunk, &read));
    CHECK_INT(read.count, 0);
    CHECK_OK(vectors_complete(&call, "small", key)); /* of the version before */
    key = keys_of(store, &call, "a.md", &chunk);
    CHECK_INT(next_document(store, &call, "small"), key);
}

ON_BOTH(what_lacks_vectors_comes_next)
{
    struct support_settings settings = {0};
    struct document_call call = call_of(store, &settings);
    struct vector_progress progress;
    int64_t chunk, first, second;

    CHECK_INT(next_document(store, &call, "small"), 0);
    CHECK(!next_segment(store, &call, "small"));
    ingest(store, &call, &settings, "a.md", "# Returns\n\nGoods can be returned within 14 days.\n");
    ingest(store, &call, &settings, "b.md", "# Parcels\n\nParcels travel for two days.\n");
    first = keys_of(store, &call, "a.md", &chunk);
    second = keys_of(store, &call, "b.md", &chunk);
    CHECK_INT(next_document(store, &call, "small"), second); /* the newest */
    CHECK(!next_segment(store, &call, "small"));
    CHECK_OK(vectors_complete(&call, "small", second));
    CHECK_INT(next_document(store, &call, "small"), first);
    CHECK(next_segment(store, &call, "small") != NULL); /* of b.md */
    CHECK_OK(vectors_progress(call.db, "default", "small", &progress, call.problem));
    CHECK_INT(progress.chunks, 2);
    CHECK_INT(progress.embedded, 1);
    CHECK_OK(vectors_progress(call.db, NULL, "large", &progress, call.problem));
    CHECK_INT(progress.embedded, 0);
    CHECK_OK(vectors_complete(&call, "small", first));
    CHECK_INT(next_document(store, &call, "small"), 0);
    CHECK(next_document(store, &call, "large") != 0);
    CHECK(!next_segment(store, &call, "large"));
}

TEST_MAIN(CASE(a_vector_is_read_as_it_was_written), CASE(vectors_go_with_their_chunk),
          CASE(what_lacks_vectors_comes_next))
