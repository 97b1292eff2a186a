/* Uploads with a prompt: texts become part of it, pictures are attachments. */
#include "orchestrator-upload/upload.h"

#include "base/json.h"
#include "base/log.h"
#include "documents/extraction_server.h"
#include "orchestrator/bodies.h"
#include "orchestrator/plan/assess.h"
#include "orchestrator/runs/orchestrate.h"
#include "orchestrator/service.h"
#include "orchestrator/task_answer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { PROMPT_BYTES_MAX = 64 << 20 };

static const struct form_part_rule upload_parts[] = {
    {.name = "prompt", .help = "What is asked."},
    {.name = "model", .help = "One model, by id, name or alias."},
    {.name = "models", .help = "Several of them: a JSON array of texts."},
    {.name = "session_id"},
    {.name = "dry_run"},
    {.name = "files", .file = true, .most = UPLOAD_FILES_MAX, .help = "Texts, PDFs and pictures."},
};
const struct form_rule upload_form = {
    .parts = upload_parts, .part_count = COUNT_OF(upload_parts), .file_limit = LIMIT_UPLOAD_FILE};

static const char *const picture_types[] = {"image/gif", "image/jpeg", "image/jpg",
                                            "image/png", "image/webp", NULL};
static const char *const picture_endings[] = {".gif", ".jpeg", ".jpg", ".png", ".webp", NULL};
static const char *const text_endings[] = {".csv", ".html", ".js",   ".json", ".md",
                                           ".py",  ".rst",  ".toml", ".ts",   ".txt",
                                           ".xml", ".yaml", ".yml",  NULL};

/* What an upload comes to. */
struct upload {
    struct request *request;
    struct text prompt;
    const char *names[UPLOAD_FILES_MAX]; /* of pictures */
    int files[UPLOAD_FILES_MAX];         /* the form's */
    size_t picture_count;
};

static bool is_one_of(const char *word, const char *const *words)
{
    for (size_t i = 0; word && words[i]; i++)
        if (strcasecmp(word, words[i]) == 0)
            return true;
    return false;
}

static const char *ending_of(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot ? dot : "";
}

/* Bytes that are no text become U+FFFD, one each. */
static void append_text(struct text *out, const char *bytes, size_t length)
{
    while (length) {
        size_t valid = utf8_valid_prefix(bytes, length);

        text_append(out, bytes, valid);
        bytes += valid;
        length -= valid;
        if (!length)
            break;
        text_append_string(out, "\xef\xbf\xbd");
        bytes++;
        length--;
    }
}

static enum error take_text(struct upload *upload, const struct form_part *part)
{
    char *bytes = arena_alloc(upload->request->arena, part->length + 1);
    size_t length = 0;
    ssize_t count;

    while (length < part->length &&
           (count = pread(part->file, bytes + length, part->length - length, (off_t)length)) > 0)
        length += (size_t)count;
    text_append_format(&upload->prompt, "\n\n[File: %s]\n", part->file_name);
    append_text(&upload->prompt, bytes, length);
    return ERROR_NONE;
}

/* Read by a child of the program that may have some. */
static enum error take_pdf(struct upload *upload, const struct form_part *part)
{
    struct request *request = upload->request;
    const struct orchestrator_settings *settings = service_settings(request);
    const struct reader_limits limits = {settings->reader_memory_bytes, settings->reader_seconds,
                                         settings->reader_text_bytes};
    struct reading_result result;
    enum error error = extraction_ask(request->arena, getenv("ASSAY_RUN_DIR"), part->file, FILE_PDF,
                                      &limits, &result, &request->problem);

    if (error == ERROR_UNAVAILABLE) {
        log_event(LOG_ERROR, "pdf_not_read", request->problem.text);
        return error;
    }
    if (error == ERROR_TOO_LARGE)
        return prompt_refuse_length(request, "prompt");
    if (error)
        return problem_set(&request->problem, ERROR_INVALID, "plan_rejected",
                           "Cannot extract text from PDF: %s", part->file_name);
    text_append_format(&upload->prompt, "\n\n[File: %s]", part->file_name);
    for (size_t i = 0; i < result.count; i++) {
        text_append_byte(&upload->prompt, '\n');
        text_append(&upload->prompt, result.pages[i].text, result.pages[i].length);
    }
    return ERROR_NONE;
}

static enum error take_file(struct upload *upload, const struct form_part *part, size_t position)
{
    struct arena *arena = upload->request->arena;
    const char *sent = part->content_type ? part->content_type : "";
    const char *type = arena_copy(arena, sent, strcspn(sent, "; "));
    const char *ending = ending_of(part->file_name);

    if (!*part->file_name)
        return request_fault(upload->request, "body", arena_print(arena, "files.%zu", position),
                             "value_error", "Value error, the file has no name");
    if (is_one_of(type, picture_types) || is_one_of(ending, picture_endings)) {
        if (upload->picture_count < UPLOAD_FILES_MAX) {
            upload->names[upload->picture_count] = part->file_name;
            upload->files[upload->picture_count++] = part->file;
        }
        return ERROR_NONE;
    }
    if (strcasecmp(type, "application/pdf") == 0 || strcasecmp(ending, ".pdf") == 0)
        return take_pdf(upload, part);
    if (is_one_of(ending, text_endings) || strncasecmp(type, "text/", 5) == 0)
        return take_text(upload, part);
    return problem_set(&upload->request->problem, ERROR_INVALID, "plan_rejected",
                       "Unsupported file type: %s. Send texts, PDFs or pictures.",
                       *type ? type : ending);
}

static const char *field(const struct form *form, const char *name)
{
    const struct form_part *part = form_find(form, name);

    return part && part->text && *part->text ? part->text : NULL;
}

static enum error read_models(struct request *request, struct string_list *models)
{
    static const char message[] = "Field 'models' must be a JSON array of strings.";
    const char *text = field(request->form, "models");
    struct json_fault fault;
    json_t *list;

    if (!text)
        return ERROR_NONE;
    if (json_read(request->arena, text, strlen(text), 2, &list, &fault) || !json_is_array(list))
        return problem_set(&request->problem, ERROR_INVALID, "plan_rejected", "%s", message);
    models->items = ARENA_ARRAY(request->arena, const char *, json_array_size(list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));

        if (!name)
            return problem_set(&request->problem, ERROR_INVALID, "plan_rejected", "%s", message);
        models->items[models->count++] = name;
    }
    return ERROR_NONE;
}

static bool is_yes(const char *word)
{
    static const char *const words[] = {"true", "t", "yes", "y", "on", "1", NULL};

    return is_one_of(word, words);
}

static enum error check(struct request *request, const struct upload *upload,
                        const struct orchestration_request *wanted)
{
    if (is_blank(upload->prompt.bytes))
        return request_fault(request, "body", NULL, "value_error",
                             "Value error, The prompt must not be blank.");
    if (wanted->plan.model && wanted->plan.models.count)
        return request_fault(request, "body", NULL, "value_error",
                             "Value error, Use either 'model' or 'models', not both.");
    if (wanted->plan.models.count > 8)
        return request_fault(request, "body", "models", "too_long",
                             arena_print(request->arena,
                                         "List should have at most 8 items after validation, not "
                                         "%zu",
                                         wanted->plan.models.count));
    return prompt_check_length(request, "prompt", upload->prompt.bytes);
}

static enum error gather(struct request *request, struct upload *upload,
                         struct orchestration_request *wanted)
{
    const char *prompt = field(request->form, "prompt");
    enum error error = ERROR_NONE;
    size_t position = 0;

    if (!prompt)
        return request_fault(request, "body", "prompt", "missing", "Field required");
    text_append_string(&upload->prompt, prompt);
    for (size_t i = 0; !error && i < request->form->count; i++)
        if (strcmp(request->form->parts[i].name, "files") == 0)
            error = take_file(upload, &request->form->parts[i], position++);
    *wanted = (struct orchestration_request){
        .prompt = upload->prompt.bytes,
        .plan = {.model = field(request->form, "model"), .quorum = 1, .cancel_on_quorum = true},
        .dry_run = is_yes(field(request->form, "dry_run")),
        .decompose = true,
        .session_id = field(request->form, "session_id"),
        .attachments = {upload->picture_count, upload->names, upload->files}};
    if (!error)
        error = read_models(request, &wanted->plan.models);
    return error ? error : check(request, upload, wanted);
}

enum error upload_handle(struct request *request, struct reply *reply)
{
    struct orchestration *orchestration = ARENA_NEW(request->arena, struct orchestration);
    struct upload *upload = ARENA_NEW(request->arena, struct upload);
    struct orchestration_request wanted;
    struct db *db;
    enum error error;

    upload->request = request;
    text_start(&upload->prompt, request->arena, PROMPT_BYTES_MAX);
    error = gather(request, upload, &wanted);
    if (error)
        return error;
    error = service_database(request, &db);
    if (!error)
        error = orchestrate(service_worker(request), request->arena, db, &wanted, orchestration,
                            &request->problem);
    if (!error)
        return task_answer_make(request, reply, orchestration);
    return service_storage_error(request, error, "replace_task_snapshot");
}
