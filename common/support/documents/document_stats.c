/* Citation counts of documents, and frequently cited documents that were not checked for a long
 * time. */
#include "db/query.h"
#include "support/documents/document_store.h"

#include <string.h>

enum { SECONDS_A_DAY = 86400 };

#define OWNER struct stale_document
static const struct field stale_document_fields[] = {
    STRING(OWNER, doc_id),          STRING(OWNER, title),
    STRING(OWNER, source),          STRING(OWNER, last_updated),
    INTEGER(OWNER, citation_count), STRING(OWNER, last_cited_at, .nullable = true),
};
#undef OWNER
SCHEMA(stale_document_schema, struct stale_document, "StaleDocument", stale_document_fields);

static const struct statement stale_documents = {
    .name = "document_stale",
    .sql = "SELECT doc_id, title, source, last_updated, citation_count, last_cited_at FROM"
           " (SELECT d.doc_id, d.title, d.source, d.last_updated, s.citation_count,"
           " s.last_cited_at FROM document_stats s JOIN kb_documents d"
           " ON d.tenant_id = s.tenant_id AND d.doc_id = s.doc_id WHERE s.tenant_id = ?"
           " ORDER BY s.citation_count DESC, d.doc_id LIMIT ?) AS cited"
           " WHERE last_updated < {now_plus:?} ORDER BY citation_count DESC, doc_id",
};
static const struct statement count_stale = {
    .name = "document_count_stale",
    .sql = "SELECT count(*) FROM (SELECT d.last_updated, row_number() OVER (PARTITION BY"
           " s.tenant_id ORDER BY s.citation_count DESC, d.doc_id) AS place FROM document_stats s"
           " JOIN kb_documents d ON d.tenant_id = s.tenant_id AND d.doc_id = s.doc_id) AS cited"
           " WHERE place <= ? AND last_updated < {now_plus:?}",
};
static const struct statement note_citation = {
    .name = "document_cited",
    .sql = "INSERT INTO document_stats (tenant_id, doc_id, citation_count, last_cited_at)"
           " VALUES (?, ?, 1, {now}) ON CONFLICT (tenant_id, doc_id) DO UPDATE SET"
           " citation_count = document_stats.citation_count + 1,"
           " last_cited_at = excluded.last_cited_at",
};

enum error document_stale(const struct document_call *call, int64_t days, int64_t most,
                          struct object_list *rows)
{
    struct stale_document *items =
        ARENA_ARRAY(call->arena, struct stale_document, (size_t)most + 1);
    struct query *query = db_query(call->db, &stale_documents);

    query_bind_text(query, call->tenant);
    query_bind_integer(query, most);
    query_bind_number(query, -(double)days * SECONDS_A_DAY);
    *rows = (struct object_list){.items = items};
    while (rows->count < (size_t)most && query_next(query))
        query_read(query, &stale_document_schema, &items[rows->count++], call->arena);
    return query_end(query, call->problem);
}

enum error document_count_stale(struct db *db, int64_t days, int64_t most, int64_t *count,
                                struct problem *problem)
{
    struct query *query = db_query(db, &count_stale);

    query_bind_integer(query, most);
    query_bind_number(query, -(double)days * SECONDS_A_DAY);
    *count = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

enum error document_note_citations(const struct document_call *call, const char *const *doc_ids,
                                   size_t count)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < count && !error; i++) {
        struct query *query;
        bool again = false;

        for (size_t j = 0; j < i && !again; j++)
            again = strcmp(doc_ids[i], doc_ids[j]) == 0;
        if (again)
            continue;
        query = db_query(call->db, &note_citation);
        query_bind_text(query, call->tenant);
        query_bind_text(query, doc_ids[i]);
        error = query_end(query, call->problem);
    }
    return error;
}
