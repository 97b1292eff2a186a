/* Gaps and drafts: contains all SQL about them, and applies a decision on a draft. */
#include "support/documents/draft_store.h"
#include "base/schema.h"
#include "crypto/token.h"
#include "db/query.h"

#include <string.h>

#define OWNER struct gap_row
static const struct field gap_fields[] = {INTEGER(OWNER, id),
                                          STRING(OWNER, tenant_id),
                                          STRING(OWNER, cluster_id),
                                          STRING(OWNER, topic_summary),
                                          WRITTEN_JSON_OBJECTS(OWNER, sample_questions),
                                          INTEGER(OWNER, question_count),
                                          STRING(OWNER, created_at),
                                          STRING(OWNER, resolved_at, .nullable = true)};
#undef OWNER
static SCHEMA(gap_schema, struct gap_row, "GapRow", gap_fields);

#define OWNER struct draft_row
static const struct field draft_fields[] = {STRING(OWNER, id),
                                            STRING(OWNER, tenant_id),
                                            STRING(OWNER, topic),
                                            STRING(OWNER, draft_content),
                                            WRITTEN_JSON_OBJECTS(OWNER, source_ticket_ids),
                                            STRING(OWNER, status),
                                            STRING(OWNER, created_at),
                                            STRING(OWNER, reviewed_at, .nullable = true)};
#undef OWNER
static SCHEMA(draft_schema, struct draft_row, "DraftRow", draft_fields);

static const struct statement list_gaps = {
    .name = "gap_list",
    .sql = "SELECT id, tenant_id, cluster_id, topic_summary, sample_questions, question_count,"
           " created_at, resolved_at FROM knowledge_gaps WHERE tenant_id = ?"
           " ORDER BY created_at DESC, id DESC LIMIT ?",
};
#define DRAFT_COLUMNS                                                                              \
    "id, tenant_id, topic, draft_content, source_ticket_ids, status, created_at, reviewed_at"
static const struct statement list_drafts = {
    .name = "draft_list",
    .sql = "SELECT " DRAFT_COLUMNS " FROM kb_drafts WHERE tenant_id = ?"
           " AND (? = '' OR status = ?) ORDER BY created_at DESC, id LIMIT ?",
};
static const struct statement find_draft = {
    .name = "draft_find",
    .sql = "SELECT " DRAFT_COLUMNS " FROM kb_drafts WHERE tenant_id = ? AND id = ?",
};
static const struct statement insert_draft = {
    .name = "draft_insert",
    .sql = "INSERT INTO kb_drafts (id, tenant_id, topic, draft_content, source_ticket_ids, status,"
           " created_at) VALUES (?, ?, ?, ?, ?, 'pending', {now})",
};
static const struct statement edit_draft = {
    .name = "draft_edit",
    .sql = "UPDATE kb_drafts SET draft_content = ? WHERE tenant_id = ? AND id = ?"
           " AND status = 'pending'",
};
static const struct statement decide_draft = {
    .name = "draft_decide",
    .sql = "UPDATE kb_drafts SET status = ?, reviewed_at = {now} WHERE tenant_id = ? AND id = ?"
           " AND status = 'pending'",
};

enum error gap_list(const struct document_call *call, struct object_list *rows)
{
    struct gap_row *items = ARENA_ARRAY(call->arena, struct gap_row, DRAFTS_MOST);
    struct query *query = db_query(call->db, &list_gaps);

    query_bind_text(query, call->tenant);
    query_bind_integer(query, DRAFTS_MOST);
    *rows = (struct object_list){.items = items};
    while (rows->count < DRAFTS_MOST && query_next(query))
        query_read(query, &gap_schema, &items[rows->count++], call->arena);
    return query_end(query, call->problem);
}

enum error draft_list(const struct document_call *call, const char *status,
                      struct object_list *rows)
{
    struct draft_row *items = ARENA_ARRAY(call->arena, struct draft_row, DRAFTS_MOST);
    struct query *query = db_query(call->db, &list_drafts);

    query_bind_text(query, call->tenant);
    query_bind_text(query, status ? status : "");
    query_bind_text(query, status ? status : "");
    query_bind_integer(query, DRAFTS_MOST);
    *rows = (struct object_list){.items = items};
    while (rows->count < DRAFTS_MOST && query_next(query))
        query_read(query, &draft_schema, &items[rows->count++], call->arena);
    return query_end(query, call->problem);
}

static enum error find(const struct document_call *call, const char *id, struct draft_row *row)
{
    struct query *query = db_query(call->db, &find_draft);
    bool found;
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    error = query_read_one(query, &draft_schema, row, call->arena, &found, call->problem);
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "draft_not_found", "draft not found");
}

/* Runs a change that is allowed only for pending drafts, or returns the reason why it is not. */
static enum error change(const struct document_call *call, const struct statement *statement,
                         const char *value, const char *id)
{
    struct query *query = db_query(call->db, statement);
    struct draft_row row;
    int64_t changes;
    enum error error;

    query_bind_text(query, value);
    query_bind_text(query, call->tenant);
    query_bind_text(query, id);
    changes = query_changes(query);
    error = query_end(query, call->problem);
    if (!error && !changes)
        error = find(call, id, &row);
    if (error || changes)
        return error;
    return problem_set(call->problem, ERROR_CONFLICT, "draft_immutable", "draft is immutable");
}

enum error draft_edit(const struct document_call *call, const char *id, const char *content)
{
    return change(call, &edit_draft, content, id);
}

enum error draft_reject(const struct document_call *call, const char *id)
{
    return change(call, &decide_draft, "rejected", id);
}

/* Ingests the document first: a published draft without its document would be worse than a pending
 * draft with its document, which a second attempt completes. */
enum error draft_publish(const struct document_call *call, const struct support_settings *settings,
                         const char *id)
{
    struct draft_row row = {.status = ""};
    struct ingest_result result;
    enum error error = find(call, id, &row);

    if (!error && strcmp(row.status, "pending") != 0)
        error = problem_set(call->problem, ERROR_CONFLICT, "draft_immutable", "draft is immutable");
    if (!error) {
        struct ingest_request request = {.text = row.draft_content,
                                         .doc_id = arena_print(call->arena, "kb-builder/%s", id),
                                         .title = row.topic,
                                         .auto_generated = true};

        error = ingest_document(call, settings, &request, &result);
        if (error)
            return problem_set(call->problem, ERROR_UNAVAILABLE, "draft_not_indexed",
                               "the draft could not be put into the knowledge base: %s",
                               arena_copy_string(call->arena, call->problem->text));
    }
    return error ? error : change(call, &decide_draft, "published", id);
}

enum error draft_add(const struct document_call *call, const char *topic, const char *content,
                     const char *ticket_ids, const char **id)
{
    struct query *query = db_query(call->db, &insert_draft);
    char uuid[TOKEN_UUID_TEXT];

    token_uuid(uuid);
    *id = arena_copy_string(call->arena, uuid);
    query_bind_text(query, *id);
    query_bind_text(query, call->tenant);
    query_bind_text(query, topic);
    query_bind_text(query, content);
    query_bind_json(query, ticket_ids);
    return query_end(query, call->problem);
}
