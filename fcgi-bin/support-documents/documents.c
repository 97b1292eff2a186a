/* The documents that the knowledge base holds. */
#include "support-documents/documents.h"
#include "accounts/groups.h"
#include "accounts/people.h"
#include "base/list.h"
#include "http/people.h"
#include "support/documents/document_store.h"
#include "support/documents/vector_status.h"
#include "support/service.h"
#include "support/tools.h"

#include <string.h>

struct documents_query {
    const char *q;
    int64_t limit, offset;
};

#define OWNER struct documents_query
static const struct field documents_query_fields[] = {
    STRING(OWNER, q, .default_text = "", .max_length = 200,
           .help = "Text that the name or the title contains."),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(500), .default_value = 50),
    INTEGER(OWNER, offset, .lower = AT_LEAST(0), .default_value = 0),
};
#undef OWNER
SCHEMA(documents_query_schema, struct documents_query, "DocumentsQuery", documents_query_fields);

struct document_entry {
    const char *doc_id, *title, *source, *file_type, *language;
    int64_t version, chunk_count, page_count, size_bytes;
    json_t *categories;
    const char *last_updated, *created_at;
    bool auto_generated;
    struct string_list groups;
};

#define OWNER struct document_entry
static const struct field document_fields[] = {
    STRING(OWNER, doc_id),
    STRING(OWNER, title),
    STRING(OWNER, source),
    STRING(OWNER, file_type),
    STRING(OWNER, language),
    INTEGER(OWNER, version),
    INTEGER(OWNER, chunk_count),
    INTEGER(OWNER, page_count),
    INTEGER(OWNER, size_bytes),
    JSON_VALUE(OWNER, categories),
    STRING(OWNER, last_updated),
    STRING(OWNER, created_at),
    BOOLEAN(OWNER, auto_generated),
    STRINGS(OWNER, groups, .help = "Only their people may read it; none = the whole tenant."),
};
#undef OWNER
static SCHEMA(document_schema, struct document_entry, "Document", document_fields);

struct documents_reply {
    OBJECT_LIST(struct document_entry, documents);
    int64_t total;
    const struct vector_status *vectors;
};

#define OWNER struct documents_reply
static const struct field documents_fields[] = {OBJECTS(OWNER, documents, document_schema),
                                                INTEGER(OWNER, total),
                                                OBJECT(OWNER, vectors, vector_status_schema)};
#undef OWNER
SCHEMA(documents_schema, struct documents_reply, "Documents", documents_fields);

struct document_query {
    int64_t limit, offset;
};

#define OWNER struct document_query
static const struct field document_query_fields[] = {
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(200), .default_value = 50),
    INTEGER(OWNER, offset, .lower = AT_LEAST(0), .upper = AT_MOST(1000000), .default_value = 0)};
#undef OWNER
SCHEMA(document_query_schema, struct document_query, "DocumentQuery", document_query_fields);

/* A part of a document, as answers cite it. */
struct document_part {
    int64_t index;
    struct optional_integer page;
    const char *heading, *text;
};

#define OWNER struct document_part
static const struct field document_part_fields[] = {
    INTEGER(OWNER, index), NULLABLE_INTEGER(OWNER, page),
    STRING(OWNER, heading, .help = "Title of the document and headings above the text."),
    STRING(OWNER, text)};
#undef OWNER
static SCHEMA(document_part_schema, struct document_part, "DocumentPart", document_part_fields);

struct document_text {
    const struct document_entry *document;
    OBJECT_LIST(struct document_part, passages);
};

#define OWNER struct document_text
static const struct field document_text_fields[] = {OBJECT(OWNER, document, document_schema),
                                                    OBJECTS(OWNER, passages, document_part_schema)};
#undef OWNER
SCHEMA(document_text_schema, struct document_text, "DocumentText", document_text_fields);

struct document_groups {
    struct string_list groups;
};

#define OWNER struct document_groups
static const struct field document_groups_fields[] = {
    STRINGS(OWNER, groups, .required = true, .max_length = GROUPS_MAX,
            .help = "Names of groups; none = the whole tenant may read it.")};
#undef OWNER
SCHEMA(document_groups_schema, struct document_groups, "DocumentGroups", document_groups_fields,
       .example = "{\"groups\":[\"Personnel\"]}");

struct group_choice {
    struct string_list groups, known;
};

#define OWNER struct group_choice
static const struct field group_choice_fields[] = {
    STRINGS(OWNER, groups),
    STRINGS(OWNER, known, .help = "Those that people or documents of the tenant are in.")};
#undef OWNER
SCHEMA(group_choice_schema, struct group_choice, "GroupChoice", group_choice_fields);

struct deleted {
    const char *status;
};

#define OWNER struct deleted
static const struct field deleted_fields[] = {STRING(OWNER, status)};
#undef OWNER
SCHEMA(deleted_schema, struct deleted, "Deleted", deleted_fields);

static struct document_entry as_entry(const struct request *request, const struct document_row *row)
{
    return (struct document_entry){.doc_id = row->doc_id,
                                   .title = row->title,
                                   .source = row->source,
                                   .file_type = row->file_type,
                                   .language = row->language,
                                   .version = row->version,
                                   .chunk_count = row->chunk_count,
                                   .page_count = row->page_count,
                                   .size_bytes = row->size_bytes,
                                   .categories = service_json(request, row->categories),
                                   .last_updated = row->last_updated,
                                   .created_at = row->created_at,
                                   .auto_generated = row->auto_generated};
}

static enum error add_groups(const struct service_tools *tools, struct document_entry *entries,
                             size_t count)
{
    struct arena *arena = tools->documents.arena;
    const char **ids = ARENA_ARRAY(arena, const char *, count + 1);
    struct string_list *groups = ARENA_ARRAY(arena, struct string_list, count + 1);
    enum error error;

    for (size_t i = 0; i < count; i++)
        ids[i] = entries[i].doc_id;
    error = document_read_groups(&tools->documents, ids, count, groups);
    for (size_t i = 0; !error && i < count; i++)
        entries[i].groups = groups[i];
    return error;
}

static enum error not_found(struct request *request)
{
    return problem_set(&request->problem, ERROR_NOT_FOUND, "document_not_found",
                       "document not found");
}

enum error documents_handle(struct request *request, struct reply *reply)
{
    const struct documents_query *query = request->query;
    struct documents_reply *object = ARENA_NEW(request->arena, struct documents_reply);
    struct vector_status *vectors = ARENA_NEW(request->arena, struct vector_status);
    struct service_tools tools;
    struct object_list rows;
    struct document_entry *entries;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = document_list(&tools.documents,
                              &(struct document_filter){query->q, query->limit, query->offset},
                              &rows, &object->total);
    if (!error)
        error = vector_status_read(tools.documents.db, request->arena, service_settings(request),
                                   tools.documents.tenant, vectors, &request->problem);
    if (error)
        return error;
    entries = ARENA_ARRAY(request->arena, struct document_entry, rows.count + 1);
    for (size_t i = 0; i < rows.count; i++)
        entries[i] = as_entry(request, &((const struct document_row *)rows.items)[i]);
    error = add_groups(&tools, entries, rows.count);
    if (error)
        return error;
    object->documents = (struct object_list){rows.count, entries};
    object->vectors = vectors;
    reply->object = object;
    return ERROR_NONE;
}

static struct object_list as_parts(const struct request *request, const struct object_list *rows)
{
    struct document_part *parts =
        ARENA_ARRAY(request->arena, struct document_part, rows->count + 1);

    for (size_t i = 0; i < rows->count; i++) {
        const struct chunk_row *row = &((const struct chunk_row *)rows->items)[i];

        parts[i] = (struct document_part){.index = row->chunk_index,
                                          .page = row->page,
                                          .heading = row->header ? row->header : "",
                                          .text = row->body};
    }
    return (struct object_list){rows->count, parts};
}

enum error document_handle(struct request *request, struct reply *reply)
{
    const struct document_query *query = request->query;
    struct document_text *object = ARENA_NEW(request->arena, struct document_text);
    struct document_entry *entry = ARENA_NEW(request->arena, struct document_entry);
    struct document_row row;
    struct object_list rows;
    struct service_tools tools;
    bool found = false;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = document_find(&tools.documents, request->arguments[0], &row, &found);
    if (error)
        return error;
    if (!found)
        return not_found(request);
    error = document_chunks(&tools.documents, row.key, query->offset,
                            query->offset + query->limit - 1, &rows);
    if (error)
        return error;
    *entry = as_entry(request, &row);
    error = add_groups(&tools, entry, 1);
    if (error)
        return error;
    object->document = entry;
    object->passages = as_parts(request, &rows);
    reply->object = object;
    return ERROR_NONE;
}

/* The groups of a document that is there, or that was deleted with groups. */
static enum error find_groups(struct request *request, const struct service_tools *tools,
                              struct string_list *groups)
{
    struct document_row row;
    bool found = false;
    enum error error = document_find(&tools->documents, request->arguments[0], &row, &found);

    if (!error)
        error = document_read_groups(&tools->documents, &request->arguments[0], 1, groups);
    return error || found || groups->count ? error : not_found(request);
}

enum error document_groups_handle(struct request *request, struct reply *reply)
{
    const struct document_groups *body = request->body;
    struct document_groups *object = ARENA_NEW(request->arena, struct document_groups);
    const char *doc_id = request->arguments[0];
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = find_groups(request, &tools, &object->groups);
    if (!error)
        error = groups_read(request->arena, &body->groups, &object->groups, &request->problem);
    if (!error)
        error = document_set_groups(&tools.documents, doc_id, &object->groups);
    if (error)
        return error;
    service_audit(request, "document_groups", arena_print(request->arena, "document:%s", doc_id),
                  arena_print(request->arena, "{\"groups\":%s}",
                              groups_json(request->arena, &object->groups)));
    reply->object = object;
    return ERROR_NONE;
}

/* Those that people of the tenant are in. Without the account store only documents name groups. */
static void add_groups_of_people(struct request *request, const char *tenant,
                                 struct string_list *names)
{
    struct problem problem = request->problem;
    struct accounts_call call;
    struct object_list people = {0};

    if (request_accounts(request, &call) || people_list(&call, &people)) {
        request->problem = problem;
        return;
    }
    for (size_t i = 0; i < people.count; i++) {
        const struct person *person = &((const struct person *)people.items)[i];

        for (size_t k = 0; strcmp(person->tenant, tenant) == 0 && k < person->groups.count; k++)
            *ARRAY_ADD(request->arena, names->items, names->count) = person->groups.items[k];
    }
}

enum error group_choice_handle(struct request *request, struct reply *reply)
{
    struct group_choice *object = ARENA_NEW(request->arena, struct group_choice);
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = find_groups(request, &tools, &object->groups);
    if (!error)
        error = document_list_groups(&tools.documents, &object->known);
    if (error)
        return error;
    add_groups_of_people(request, tools.documents.tenant, &object->known);
    groups_sort(&object->known);
    reply->object = object;
    return ERROR_NONE;
}

enum error document_delete_handle(struct request *request, struct reply *reply)
{
    static const struct deleted deleted = {"ok"};
    struct service_tools tools;
    bool found = false;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = document_delete(&tools.documents, request->arguments[0], &found);
    if (error)
        return error;
    if (!found)
        return not_found(request);
    service_audit(request, "delete_document",
                  arena_print(request->arena, "document:%s", request->arguments[0]), NULL);
    reply->object = &deleted;
    return ERROR_NONE;
}
