/* Uploads over HTTP: checks the name and type of a file, and selects whether this worker or the
 * program `ingest` ingests it. */
#include "support-documents/upload.h"
#include "accounts/groups.h"
#include "base/text.h"
#include "support/documents/contexts.h"
#include "support/documents/task.h"
#include "support/documents/upload_name.h"
#include "support/documents/upload_name_store.h"
#include "support/service.h"
#include "support/tools.h"

#include <endian.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    SNIFFED = 4096,
    DIRECTORY_BYTES = 131072,
    ENTRY_HEAD = 46, /* bytes of an entry in a zip's central directory, before its name */
    ENTRY_SIZE_AT = 24,
    TITLE_MOST = 500, /* bytes */
    WAIT_ROUNDS = 60,
    WAIT_MILLISECONDS = 50,
    MEMORY_PER_BYTE = 64 /* memory for extracting and indexing a file in a worker */
};

#define ABSENT " as soon as the program that reads documents is back: it does not run now"

static const struct form_part_rule upload_parts[] = {
    {.name = "file", .file = true, .required = true, .help = "A document: " UPLOAD_EXTENSIONS "."},
    {.name = "title", .help = "What readers see; the name of the file when there is none."},
    {.name = "groups",
     .help = "Names with commas: only their people may read a new document. Of one that is there "
             "already only administrators change them."}};
const struct form_rule upload_form = {
    .parts = upload_parts, .part_count = COUNT_OF(upload_parts), .file_limit = LIMIT_UPLOAD_FILE};

struct upload_reply {
    const char *status, *filename, *message, *tenant_id;
    json_t *assigned_categories;
    const char *task_id, *doc_id;
    int64_t version, chunks;
    bool deduplicated, replaced;
};

#define OWNER struct upload_reply
static const struct field upload_fields[] = {
    STRING(OWNER, status, .help = "ok, accepted (it will be indexed), or partial (it was not)."),
    STRING(OWNER, filename, .help = "Cleaned; numbered where another upload has that name."),
    STRING(OWNER, message),
    STRING(OWNER, tenant_id),
    JSON_VALUE(OWNER, assigned_categories),
    STRING(OWNER, task_id, .nullable = true),
    STRING(OWNER, doc_id),
    INTEGER(OWNER, version),
    INTEGER(OWNER, chunks),
    BOOLEAN(OWNER, deduplicated),
    BOOLEAN(OWNER, replaced,
            .help = "Another version of the document was there; of an accepted one: is there now."),
};
#undef OWNER
SCHEMA(upload_schema, struct upload_reply, "Upload", upload_fields);

struct task_reply {
    const char *task_id, *status;
    json_t *result, *meta;
};

#define OWNER struct task_reply
static const struct field task_fields[] = {
    STRING(OWNER, task_id),
    STRING(OWNER, status),
    JSON_OBJECT(OWNER, result, .nullable = true),
    JSON_OBJECT(OWNER, meta, .nullable = true),
};
#undef OWNER
SCHEMA(task_schema, struct task_reply, "Task", task_fields);

static enum error bad_upload(struct request *request, const char *text)
{
    return problem_set(&request->problem, ERROR_INVALID, "bad_upload", "%s", text);
}

/* Whether a zip's central directory, at its end, contains its main part; also its size according to
 * the directory. */
static bool names_part(const struct form_part *part, const char *main, int64_t *unpacked)
{
    size_t length = strlen(main);
    static char bytes[DIRECTORY_BYTES];
    off_t from = part->length > sizeof bytes ? (off_t)(part->length - sizeof bytes) : 0;
    ssize_t got = pread(part->file, bytes, sizeof bytes, from);
    const char *name = got > 0 ? memmem(bytes, (size_t)got, main, length) : NULL;
    const char *after = name ? name + length : NULL;
    uint32_t size = 0;

    /* The local file data contains the name too, before the directory. */
    while (after && (name - bytes < ENTRY_HEAD || memcmp(name - ENTRY_HEAD, "PK\1\2", 4) != 0) &&
           (name = memmem(after, (size_t)(bytes + got - after), main, length)))
        after = name + length;
    if (name && name - bytes >= ENTRY_HEAD)
        memcpy(&size, name - ENTRY_HEAD + ENTRY_SIZE_AT, sizeof size);
    *unpacked = le32toh(size);
    return after != NULL;
}

/* Detects the type by the beginning of the file, and by a zip's directory. The extraction validates
 * the content. */
static enum error check_content(struct request *request, const struct form_part *part,
                                enum file_type type)
{
    int64_t most = service_settings(request)->reader_text_bytes, size = (int64_t)part->length;
    const char *main = file_main_part(type);
    char bytes[SNIFFED];
    ssize_t got = pread(part->file, bytes, sizeof bytes, 0);

    if (got < 0 || !file_has_type_of(type, bytes, (size_t)got) ||
        (main && !names_part(part, main, &size)))
        return bad_upload(request, "Unsupported file content");
    if (main)
        most *= READER_UNPACKED_FACTOR;
    if (size > most && (main || !file_type_needs_child(type)))
        return problem_set(&request->problem, ERROR_TOO_LARGE, "text_too_large",
                           "the document holds more text than is allowed");
    return ERROR_NONE;
}

/* Nobody replaces a document that he may not read. */
static enum error check_reader(struct request *request, const struct service_tools *tools,
                               const char *doc_id)
{
    if (!document_is_hidden(tools->documents.reader, doc_id))
        return ERROR_NONE;
    return problem_set(&request->problem, ERROR_CONFLICT, "document_withheld",
                       "This name belongs to a document for other groups; choose another name");
}

static enum error groups_are_fixed(struct request *request)
{
    return problem_set(&request->problem, ERROR_FORBIDDEN, "document_groups_fixed",
                       "Only administrators change the groups of a document");
}

/* Also those that a deleted document has left to its name. */
static enum error check_groups(struct request *request, const struct service_tools *tools,
                               const char *doc_id, const struct string_list *groups)
{
    struct string_list left;
    struct document_row row;
    bool found = false;
    enum error error = document_find(&tools->documents, doc_id, &row, &found);

    if (error || found)
        return error ? error : groups_are_fixed(request);
    error = document_read_groups(&tools->documents, &doc_id, 1, &left);
    return error || !left.count || document_groups_equal(&left, groups) ? error
                                                                        : groups_are_fixed(request);
}

/* Before there is text, so that nobody else sees any of it. */
static enum error take_groups(struct request *request, const struct service_tools *tools,
                              const char *doc_id)
{
    const struct form_part *part = form_find(request->form, "groups");
    struct string_list groups;
    enum error error;

    if (!part)
        return ERROR_NONE;
    error = groups_of_text(request->arena, part->text, &groups, &request->problem);
    if (!error && request->who.role < SUPPORT_ADMIN)
        error = check_groups(request, tools, doc_id, &groups);
    return error ? error : document_set_groups(&tools->documents, doc_id, &groups);
}

/* One that is stored for all hosts only passes through this one. */
static const char *path_of(struct request *request, const struct service_tools *tools,
                           const char *name)
{
    const struct support_settings *settings = service_settings(request);

    if (blobs_are_shared(settings))
        return ingest_passing_path(request->arena, settings);
    return arena_print(request->arena, "%s/%s",
                       ingest_upload_folder(request->arena, settings, tools->documents.tenant),
                       name);
}

/* The file with its clean name, after all checks that need no extraction. */
static enum error receive(struct request *request, const char **name, const char **path,
                          const struct service_tools *tools, size_t *size)
{
    const struct form_part *part = form_find(request->form, "file");
    const char *clean;
    enum file_type type;
    enum error error;

    if (!part || part->file < 0 || !part->file_name || !*part->file_name)
        return bad_upload(request, "No filename provided");
    if (form_find(request->form, "title") && form_find(request->form, "title")->length > TITLE_MOST)
        return bad_upload(request, "The title is too long");
    clean = upload_clean_name(request->arena, part->file_name);
    if (!clean)
        return bad_upload(request, "Invalid filename");
    type = file_type_of(clean);
    if (!upload_is_allowed(type))
        return bad_upload(request,
                          arena_print(request->arena, "Unsupported file type: %s. Allowed: %s",
                                      upload_extension(clean), UPLOAD_EXTENSIONS));
    error = check_content(request, part, type);
    if (!error)
        error =
            upload_name_claim(&tools->documents, upload_base_name(part->file_name), clean, name);
    if (error)
        return error;
    error = check_reader(request, tools, *name);
    if (!error)
        error = take_groups(request, tools, *name);
    if (error)
        return error;
    *path = path_of(request, tools, *name);
    *size = part->length;
    return form_save(part, *path, &request->problem);
}

/* The process that ingests an upload. */
struct plan {
    bool later;   /* the program `ingest` */
    bool drained; /* this worker */
    bool waits;   /* the program, while the answer waits a moment for it */
};

/* A worker ingests files that fit into its memory limit; larger ones wait for the program, even if
 * it is not running. */
static enum error plan_reading(struct request *request, const struct service_tools *tools,
                               enum file_type type, int64_t size, struct plan *plan)
{
    const struct support_settings *settings = service_settings(request);
    bool is_large = size > settings->ingest_async_min_bytes;
    bool fits = size <= settings->max_request_memory_bytes / MEMORY_PER_BYTE;
    enum error error = task_is_drained(tools->documents.db, request->arena, settings,
                                       &plan->drained, &request->problem);

    plan->later = file_type_needs_child(type) || !fits || settings->ingest_async == INGEST_ALWAYS;
    if (settings->ingest_async == INGEST_AUTO)
        plan->later |= is_large || (plan->drained && contexts_are_wanted(settings));
    plan->waits = plan->drained && !is_large && settings->ingest_async != INGEST_ALWAYS;
    return error;
}

/* NULL when none was given. */
static const char *title_of(const struct request *request)
{
    const struct form_part *part = form_find(request->form, "title");
    const char *title = part ? text_trimmed(request->arena, part->text, part->length) : "";

    return *title ? title : NULL;
}

/* A shared original that no document refers to is deleted after a while. */
static const char *explain_failure(struct request *request, const char *detail)
{
    bool saved = !blobs_are_shared(service_settings(request));

    return arena_print(request->arena, "%s failed: %s",
                       saved ? "File saved but ingestion" : "Ingestion", detail);
}

static enum error ingest_now(struct request *request, const struct service_tools *tools,
                             const char *path, struct upload_reply *reply)
{
    struct ingest_request ingest = {
        .path = path, .doc_id = reply->doc_id, .title = title_of(request)};
    struct ingest_result result;
    enum error error =
        ingest_document(&tools->documents, service_settings(request), &ingest, &result);

    if (error == ERROR_UNAVAILABLE || error == ERROR_BUSY || error == ERROR_SYSTEM ||
        error == ERROR_TOO_LARGE)
        return error;
    if (error) {
        reply->status = "partial";
        reply->message = explain_failure(request, request->problem.text);
        return ERROR_NONE;
    }
    reply->status = result.documents ? "ok" : "partial";
    reply->message =
        result.documents
            ? arena_print(request->arena, "File uploaded and indexed. %lld document(s) processed.",
                          (long long)result.documents)
            : "File saved but no text content could be extracted.";
    reply->version = result.version;
    reply->chunks = result.chunks;
    reply->deduplicated = result.deduplicated;
    reply->replaced = result.replaced;
    reply->assigned_categories = service_json(request, result.categories);
    return ERROR_NONE;
}

static void nap(void)
{
    nanosleep(&(struct timespec){0, WAIT_MILLISECONDS * 1000000L}, NULL);
}

static bool flag_of(struct request *request, const struct task *task, const char *name)
{
    return json_is_true(json_object_get(service_json(request, task->result), name));
}

static const char *member_of(struct request *request, const struct task *task, const char *name)
{
    const char *text =
        json_string_value(json_object_get(service_json(request, task->result), name));

    return text ? text : "";
}

static enum error show_failure(struct request *request, const struct task *task,
                               struct upload_reply *reply)
{
    const char *detail = member_of(request, task, "detail");

    if (strcmp(member_of(request, task, "reason"), "text_too_large") == 0)
        return problem_set(&request->problem, ERROR_TOO_LARGE, "text_too_large", "%s", detail);
    reply->status = "partial";
    reply->message = explain_failure(request, detail);
    return ERROR_NONE;
}

/* Small files are ingested in a moment: then the answer contains the result. */
static enum error wait_for(struct request *request, const struct service_tools *tools,
                           struct upload_reply *reply)
{
    struct task task = {.status = "PENDING"};
    struct document_row row;
    bool found = false;
    enum error error = ERROR_NONE;

    for (int round = 0; round < WAIT_ROUNDS && !request_gone(request) && !error; round++) {
        nap();
        error = task_find(&tools->documents, reply->task_id, &task);
        if (strcmp(task.status, "SUCCESS") == 0 || strcmp(task.status, "FAILURE") == 0)
            break;
    }
    if (error || (strcmp(task.status, "SUCCESS") != 0 && strcmp(task.status, "FAILURE") != 0))
        return error;
    reply->task_id = NULL;
    if (strcmp(task.status, "FAILURE") == 0)
        return show_failure(request, &task, reply);
    error = document_find(&tools->documents, reply->doc_id, &row, &found);
    if (error || !found)
        return error;
    reply->status = member_of(request, &task, "status");
    reply->message = member_of(request, &task, "message");
    reply->deduplicated = flag_of(request, &task, "deduplicated");
    reply->replaced = flag_of(request, &task, "replaced");
    reply->version = row.version;
    reply->chunks = row.chunk_count;
    reply->assigned_categories = service_json(request, row.categories);
    return ERROR_NONE;
}

static enum error ingest_later(struct request *request, const struct service_tools *tools,
                               const char *path, const struct plan *plan,
                               struct upload_reply *reply)
{
    const struct support_settings *settings = service_settings(request);
    const struct ingest_request file = {
        .path = path, .doc_id = reply->doc_id, .title = title_of(request)};
    struct document_row row;
    bool held_up = false;
    enum error error = document_find(&tools->documents, reply->doc_id, &row, &reply->replaced);

    if (!error && plan->waits) /* a worker does not wait for long tasks */
        error = task_is_held_up(&tools->documents, settings, &held_up);
    if (!error)
        error = task_submit(&tools->documents, settings, &file, &reply->task_id);
    if (error)
        return error;
    reply->status = "accepted";
    reply->message =
        arena_print(request->arena, "File uploaded. Processing in background%s. task_id=%s",
                    plan->drained ? "" : ABSENT, reply->task_id);
    return plan->waits && !held_up ? wait_for(request, tools, reply) : ERROR_NONE;
}

enum error upload_handle(struct request *request, struct reply *reply)
{
    struct upload_reply *upload = ARENA_NEW(request->arena, struct upload_reply);
    struct service_tools tools;
    const char *name = "", *path = "";
    struct plan plan = {.later = false};
    size_t size = 0;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = receive(request, &name, &path, &tools, &size);
    if (!error)
        error = plan_reading(request, &tools, file_type_of(name), (int64_t)size, &plan);
    if (error)
        return error;
    *upload = (struct upload_reply){.filename = name,
                                    .doc_id = name,
                                    .tenant_id = tools.documents.tenant,
                                    .assigned_categories = service_json(request, "[]")};
    error = plan.later ? ingest_later(request, &tools, path, &plan, upload)
                       : ingest_now(request, &tools, path, upload);
    if (error == ERROR_UNAVAILABLE && !plan.later &&
        strcmp(request->problem.reason, "search_unavailable") == 0)
        error = ingest_later(request, &tools, path, &plan, upload);
    if (blobs_are_shared(service_settings(request)))
        unlink(path);
    if (error)
        return error;
    service_audit(request, "upload", arena_print(request->arena, "document:%s", name),
                  arena_print(request->arena, "{\"tenant\":\"%s\"}", tools.documents.tenant));
    reply->object = upload;
    return ERROR_NONE;
}

static enum error show_task(struct request *request, struct reply *reply, const struct task *task)
{
    struct task_reply *object = ARENA_NEW(request->arena, struct task_reply);

    *object = (struct task_reply){.task_id = task->id,
                                  .status = task->status,
                                  .result = service_json(request, task->result),
                                  .meta = service_json(request, task->meta)};
    reply->object = object;
    return ERROR_NONE;
}

enum error task_handle(struct request *request, struct reply *reply)
{
    struct service_tools tools;
    struct task task;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = task_find(&tools.documents, request->arguments[0], &task);
    return error ? error : show_task(request, reply, &task);
}

enum error task_revoke_handle(struct request *request, struct reply *reply)
{
    struct service_tools tools;
    struct task task;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = task_revoke(&tools.documents, request->arguments[0], &task);
    return error ? error : show_task(request, reply, &task);
}
