/* Names of uploads in the database. */
#include "support/documents/upload_name_store.h"
#include "crypto/digest.h"
#include "db/query.h"
#include "support/documents/upload_name.h"

#include <string.h>

enum { NUMBERS_MOST = 1000 };

static const struct statement find_name = {
    .name = "upload_name_find",
    .sql = "SELECT doc_id FROM kb_upload_names WHERE tenant_id = ? AND name_hash = ?",
};
static const struct statement find_taken = {
    .name = "upload_name_taken",
    .sql = "SELECT 1 FROM kb_upload_names WHERE tenant_id = ? AND doc_id = ?",
};
static const struct statement find_document = {
    .name = "upload_name_document",
    .sql = "SELECT 1 FROM kb_documents WHERE tenant_id = ? AND doc_id = ?",
};
static const struct statement put_name = {
    .name = "upload_name_put",
    .sql = "INSERT INTO kb_upload_names (tenant_id, name_hash, doc_id) VALUES (?, ?, ?)",
};
static const struct statement drop_name = {
    .name = "upload_name_drop",
    .sql = "DELETE FROM kb_upload_names WHERE tenant_id = ? AND doc_id = ?",
};

/* A name on its way to a document. */
struct claim {
    const char *clean;
    const struct upload_name_own *own; /* NULL = of an upload */
    char hash[DIGEST_SHA256_TEXT];
};

static struct query *ask(const struct document_call *call, const struct statement *statement,
                         const char *text)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, call->tenant);
    query_bind_text(query, text);
    return query;
}

/* `*doc_id` is NULL when the name is new. */
static enum error find(const struct document_call *call, const char *hash, const char **doc_id)
{
    struct query *query = ask(call, &find_name, hash);

    *doc_id = query_next(query) ? query_text(query, 0, call->arena) : NULL;
    return query_end(query, call->problem);
}

static enum error is_there(const struct document_call *call, const struct statement *statement,
                           const char *doc_id, bool *there)
{
    struct query *query = ask(call, statement, doc_id);

    *there = query_next(query);
    return query_end(query, call->problem);
}

/* The people of a deleted document's groups read what gets its id. */
static enum error is_of_others(const struct document_call *call, const struct upload_name_own *own,
                               const char *doc_id, bool *of_others)
{
    struct string_list left;
    enum error error = document_read_groups(call, &doc_id, 1, &left);

    *of_others = left.count && !(own->last && strcmp(own->last, doc_id) == 0) &&
                 !document_groups_equal(&left, own->groups);
    return error;
}

/* A document may have no upload name: it is of an older version, or was not uploaded. An
 * upload with exactly its name replaces it; a numbered name never does. */
static enum error is_taken(const struct document_call *call, const struct claim *claim,
                           const char *doc_id, bool *taken)
{
    enum error error = is_there(call, &find_taken, doc_id, taken);

    if (error || *taken || (!claim->own && strcmp(doc_id, claim->clean) == 0))
        return error;
    error = is_there(call, &find_document, doc_id, taken);
    return error || *taken || !claim->own ? error : is_of_others(call, claim->own, doc_id, taken);
}

static enum error put(const struct document_call *call, const char *hash, const char *doc_id)
{
    struct query *query = ask(call, &put_name, hash);

    query_bind_text(query, doc_id);
    return query_end(query, call->problem);
}

static enum error take_free(const struct document_call *call, const struct claim *claim,
                            const char **doc_id)
{
    for (int number = 1; number <= NUMBERS_MOST; number++) {
        bool taken = false;
        enum error error;

        *doc_id =
            number == 1 ? claim->clean : upload_numbered_name(call->arena, claim->clean, number);
        error = is_taken(call, claim, *doc_id, &taken);
        if (error || !taken)
            return error ? error : put(call, claim->hash, *doc_id);
    }
    return problem_set(call->problem, ERROR_CONFLICT, "names_used_up",
                       "too many documents have names like this one; choose another");
}

static enum error take(const struct document_call *call, const struct claim *claim,
                       const char **doc_id)
{
    enum error error = upload_name_lock(call);

    if (!error)
        error = find(call, claim->hash, doc_id);
    return error || *doc_id ? error : take_free(call, claim, doc_id);
}

static enum error claim_name(const struct document_call *call, const char *name,
                             struct claim *claim, const char **doc_id)
{
    enum error error;

    digest_sha256_hex(name, strlen(name), claim->hash);
    error = find(call, claim->hash, doc_id);
    if (error || *doc_id)
        return error;
    error = db_begin(call->db, DB_WRITE, call->problem);
    return error ? error : db_finish(call->db, take(call, claim, doc_id), call->problem);
}

enum error upload_name_claim(const struct document_call *call, const char *name, const char *clean,
                             const char **doc_id)
{
    return claim_name(call, name, &(struct claim){.clean = clean}, doc_id);
}

enum error upload_name_claim_own(const struct document_call *call,
                                 const struct upload_name_own *own, const char **doc_id)
{
    return claim_name(call, own->name, &(struct claim){.clean = own->clean, .own = own}, doc_id);
}

enum error upload_name_keep(const struct document_call *call, const char *name, const char *doc_id)
{
    char hash[DIGEST_SHA256_TEXT];

    digest_sha256_hex(name, strlen(name), hash);
    return put(call, hash, doc_id);
}

enum error upload_name_find(const struct document_call *call, const char *name, const char **doc_id)
{
    char hash[DIGEST_SHA256_TEXT];

    digest_sha256_hex(name, strlen(name), hash);
    return find(call, hash, doc_id);
}

enum error upload_name_lock(const struct document_call *call)
{
    return db_lock(call->db, "kb_upload_names", call->problem);
}

enum error upload_name_release(const struct document_call *call, const char *doc_id)
{
    return query_end(ask(call, &drop_name, doc_id), call->problem);
}
