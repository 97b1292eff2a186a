/* Which versions of documents the search engine holds, on both engines: what a search leaves out,
 * what is still to be indexed, and what may be deleted. */
#include "../db/fixture.h"

#include "support/documents/search_engine_store.h"

static const struct statement insert_state = {
    .name = "test_state",
    .sql = "INSERT INTO kb_state (tenant_id, version, next_key) VALUES (?, 7, 100)",
};
static const struct statement insert_document = {
    .name = "test_document",
    .sql = "INSERT INTO kb_documents (tenant_id, doc_id, document_key, version, title, source,"
           " file_type, language, content_hash, size_bytes, categories, page_count, chunk_count,"
           " auto_generated, last_updated, created_at, parent_child)"
           " VALUES (?, ?, ?, 1, '', '', 'md', 'en', '', 1, '[]', 0, ?, 0, {now}, {now}, 0)",
};
static const struct statement insert_segment = {
    .name = "test_segment",
    .sql = "INSERT INTO kb_segments (tenant_id, name, bytes, created_at) VALUES (?, ?, ?, {now})",
};
static const struct statement insert_place = {
    .name = "test_place",
    .sql = "INSERT INTO kb_segment_documents (tenant_id, segment, place, document_key, dead)"
           " VALUES (?, ?, 0, ?, 1)",
};
static const struct statement count_segments = {
    .name = "test_count",
    .sql = "SELECT (SELECT count(*) FROM kb_segments) * 100"
           " + (SELECT count(*) FROM kb_segment_documents)",
};
static const struct statement drop_document = {
    .name = "test_drop",
    .sql = "DELETE FROM kb_documents WHERE document_key = ?",
};

static struct document_call call_of(struct store *store, const char *tenant)
{
    return (struct document_call){store->db, store->arena, tenant, &store->problem, NULL};
}

static void add_document(struct store *store, const char *tenant, int64_t key, int64_t chunks)
{
    struct query *query = db_query(store->db, &insert_document);

    query_bind_text(query, tenant);
    query_bind_text(query, arena_print(store->arena, "d%lld.md", (long long)key));
    query_bind_integer(query, key);
    query_bind_integer(query, chunks);
    CHECK_OK(query_end(query, &store->problem));
}

static void add_segment(struct store *store, const char *name, int64_t bytes, int64_t key)
{
    struct query *query = db_query(store->db, &insert_segment);

    query_bind_text(query, "a");
    query_bind_text(query, name);
    query_bind_integer(query, bytes);
    CHECK_OK(query_end(query, &store->problem));
    query = db_query(store->db, &insert_place);
    query_bind_text(query, "a");
    query_bind_text(query, name);
    query_bind_integer(query, key);
    CHECK_OK(query_end(query, &store->problem));
}

static void prepare(struct store *store)
{
    static const struct db_schema schema = {.directory = "sql/support"};
    struct query *query;

    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    for (int i = 0; i < 2; i++) {
        query = db_query(store->db, &insert_state);
        query_bind_text(query, i ? "b" : "a");
        CHECK_OK(query_end(query, &store->problem));
    }
    add_document(store, "a", 10, 3);
    add_document(store, "a", 11, 4);
    add_document(store, "a", 12, 0); /* without text: nothing to index */
    add_document(store, "b", 10, 2);
}

static void index_wholly(const struct document_call *call, struct store *store, int64_t key)
{
    CHECK_OK(search_documents_begin(call, key));
    CHECK_OK(search_documents_end(call, key));
}

static int64_t lag(struct store *store)
{
    int64_t documents = -1;

    CHECK_OK(search_documents_lag(store->db, &documents, &store->problem));
    return documents;
}

static struct search_documents read_all(const struct document_call *call, struct store *store)
{
    struct search_documents documents;
    struct integer_list hidden;

    CHECK_OK(search_documents_read(call, &documents, &hidden));
    CHECK_INT(hidden.count, 0);
    return documents;
}

ON_BOTH(a_version_is_searched_when_it_is_whole_and_current)
{
    struct document_call a = call_of(store, "a");
    struct search_documents documents;
    const int64_t keys[] = {10, 11, 99};
    bool current[3];

    prepare(store);
    CHECK_INT(lag(store), 3);
    CHECK_OK(search_documents_begin(&a, 10));
    CHECK_INT(lag(store), 3); /* half of it is nothing */
    documents = read_all(&a, store);
    CHECK_INT(documents.version, 7);
    CHECK_INT(documents.newest, 100);
    CHECK_INT(documents.chunks, 7);
    CHECK_INT(documents.missing, 2);
    CHECK_INT(documents.gone.count, 1);
    CHECK_OK(search_documents_end(&a, 10));
    index_wholly(&a, store, 11);
    index_wholly(&a, store, 99); /* of an upload that the database does not know yet */
    documents = read_all(&a, store);
    CHECK_INT(documents.missing, 0);
    CHECK_INT(documents.gone.count, 1);
    CHECK_INT(documents.gone.items[0], 99);
    CHECK_INT(lag(store), 1); /* the other tenant's */
    CHECK_OK(search_documents_current(&a, keys, 3, current));
    CHECK(current[0] && current[1] && !current[2]);
}

ON_BOTH(an_index_of_vectors_has_a_name_while_it_is_used)
{
    struct document_call a = call_of(store, "a");
    const char *name = "unset";

    prepare(store);
    index_wholly(&a, store, 10);
    index_wholly(&a, store, 11);
    CHECK_OK(search_vectors_name(store->db, store->arena, &name, &store->problem));
    CHECK(name == NULL);
    CHECK_OK(search_vectors_end(&a, 11, "vectors-4"));
    CHECK_OK(search_vectors_name(store->db, store->arena, &name, &store->problem));
    CHECK_TEXT(name, "vectors-4");
    CHECK_OK(search_vectors_forget(store->db, NULL, NULL, &store->problem));
    CHECK_OK(search_vectors_name(store->db, store->arena, &name, &store->problem));
    CHECK(name == NULL);
}

ON_BOTH(what_is_missing_is_found_one_after_the_other)
{
    struct document_call a = call_of(store, "a");
    struct search_document place = {"", 0};
    char seen[64] = "";
    bool found = true;

    prepare(store);
    index_wholly(&a, store, 10);
    while (found) {
        CHECK_OK(search_documents_next(store->db, store->arena, &place, &place, &found,
                                       &store->problem));
        if (found)
            snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s%lld ", place.tenant,
                     (long long)place.key);
    }
    CHECK_TEXT(seen, "a11 b10 ");
    CHECK_OK(search_documents_forget(store->db, "a", &store->problem));
    CHECK_INT(lag(store), 3);
    CHECK_INT(read_all(&a, store).version, 8); /* searches read the state again */
    index_wholly(&a, store, 10);
    CHECK_OK(search_documents_forget(store->db, NULL, &store->problem));
    CHECK_INT(lag(store), 3);
}

/* One that was noted while it was being stored is not old. */
ON_BOTH(a_version_that_became_current_is_kept_when_it_is_replaced)
{
    struct document_call a = call_of(store, "a");
    struct search_document gone = {"", 0};
    struct query *query;
    bool found;

    prepare(store);
    index_wholly(&a, store, 20);
    CHECK_OK(search_documents_note_gone(store->db, 3600, &store->problem));
    add_document(store, "a", 20, 1);
    CHECK_OK(search_documents_note_gone(store->db, 3600, &store->problem));
    query = db_query(store->db, &drop_document);
    query_bind_integer(query, 20);
    CHECK_OK(query_end(query, &store->problem));
    CHECK_OK(
        search_documents_next_gone(store->db, store->arena, -1, &gone, &found, &store->problem));
    CHECK(!found); /* its minute has not begun */
}

static bool embedded_answers(const struct document_call *call, struct store *store)
{
    bool answers;

    CHECK_OK(search_documents_embedded_answers(call, &answers));
    return answers;
}

ON_BOTH(the_embedded_index_answers_until_all_has_moved)
{
    struct document_call a = call_of(store, "a"), none = call_of(store, "none");

    prepare(store);
    CHECK(!embedded_answers(&none, store));
    add_segment(store, "written", 500, 10);
    CHECK(embedded_answers(&a, store));
    index_wholly(&a, store, 10);
    CHECK(embedded_answers(&a, store));
    index_wholly(&a, store, 11);
    CHECK(!embedded_answers(&a, store));
    CHECK_OK(search_documents_forget(store->db, "a", &store->problem));
    CHECK(embedded_answers(&a, store));
    add_segment(store, "never-written", 0, 11);
    CHECK(!embedded_answers(&a, store));
}

ON_BOTH(an_old_version_is_deleted_later)
{
    struct document_call a = call_of(store, "a");
    struct search_document gone = {"", 0};
    struct query *query;
    bool found;

    prepare(store);
    index_wholly(&a, store, 10);
    CHECK_OK(search_documents_begin(&a, 98)); /* being written: not to be touched for an hour */
    add_segment(store, "never-written", 0, 10);
    add_segment(store, "written", 500, 11);
    CHECK_OK(search_documents_note_gone(store->db, 3600, &store->problem));
    CHECK_OK(
        search_documents_next_gone(store->db, store->arena, 0, &gone, &found, &store->problem));
    CHECK(!found);
    query = db_query(store->db, &drop_document);
    query_bind_integer(query, 10);
    CHECK_OK(query_end(query, &store->problem));
    CHECK_OK(search_documents_note_gone(store->db, 3600, &store->problem));
    CHECK_OK(
        search_documents_next_gone(store->db, store->arena, 60, &gone, &found, &store->problem));
    CHECK(!found);
    CHECK_OK(
        search_documents_next_gone(store->db, store->arena, -1, &gone, &found, &store->problem));
    CHECK(found);
    CHECK_TEXT(gone.tenant, "a");
    CHECK_INT(gone.key, 10);
    CHECK_OK(search_documents_drop(&a, 10));
    CHECK_OK(
        search_documents_next_gone(store->db, store->arena, -1, &gone, &found, &store->problem));
    CHECK(!found);
    query = db_query(store->db, &count_segments);
    CHECK(query_next(query));
    CHECK_INT(query_integer(query, 0), 101); /* the segment that has a file stays */
    CHECK_OK(query_end(query, &store->problem));
    CHECK_OK(search_documents_note_gone(store->db, -1, &store->problem));
    CHECK_OK(
        search_documents_next_gone(store->db, store->arena, -1, &gone, &found, &store->problem));
    CHECK(found);
    CHECK_INT(gone.key, 98);
}

TEST_MAIN(CASE(a_version_is_searched_when_it_is_whole_and_current),
          CASE(an_index_of_vectors_has_a_name_while_it_is_used),
          CASE(what_is_missing_is_found_one_after_the_other),
          CASE(a_version_that_became_current_is_kept_when_it_is_replaced),
          CASE(the_embedded_index_answers_until_all_has_moved),
          CASE(an_old_version_is_deleted_later))
