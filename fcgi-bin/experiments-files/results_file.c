/* POST /api/v1/results/file: decodes the mapping of the form and analyzes its file. */
#include "experiments-files/results_file.h"

#include "experiments-files/room.h"

#include <string.h>

enum { MAPPING_LEVELS = 4 };

static const struct form_part_rule parts[] = {
    {.name = "mapping",
     .required = true,
     .help = "JSON of the schema DataMapping: which column is the arm, the value, the covariates, "
             "and what is asked for."},
    {.name = "file",
     .file = true,
     .required = true,
     .help = "CSV with a line of names, or NDJSON; UTF-8, one user per record."},
};
const struct form_rule results_file_form = {.parts = parts, .part_count = COUNT_OF(parts)};

/* `mapping.covariates.0`; steps above `mapping` have no parent. */
static const char *place_of(const struct schema_path *path, struct arena *arena)
{
    const char *above;

    if (!path || !path->parent)
        return "mapping";
    above = place_of(path->parent, arena);
    return path->key ? arena_print(arena, "%s.%s", above, path->key)
                     : arena_print(arena, "%s.%zu", above, path->index);
}

/* 400 data_mapping, which names the member. */
static enum error refuse_mapping(struct request *request, const char *key, const char *place)
{
    return problem_set(
        &request->problem, ERROR_INVALID, "data_mapping", "%s",
        locale_format(request->locale, request->arena, key, TEXT_ARGUMENTS({"name", place})));
}

enum error results_file_mapping(struct request *request, struct data_mapping *mapping)
{
    const struct form_part *part = form_find(request->form, "mapping");
    struct schema_errors errors = {.arena = request->arena};
    struct json_fault fault;
    json_t *document = NULL;

    if (json_read(request->arena, part->text, part->length, MAPPING_LEVELS, &document, &fault))
        return refuse_mapping(request, "errors.data.mapping", "mapping");
    if (!schema_decode_request(&data_mapping_schema, document, "mapping", mapping, &errors,
                               request->arena))
        return ERROR_NONE;
    return refuse_mapping(request,
                          errors.items[0].fault == FAULT_RULE ? errors.items[0].rule->key
                                                              : "errors.data.mapping",
                          place_of(errors.items[0].path, request->arena));
}

static bool client_is_gone(void *context, int64_t bytes_read)
{
    (void)bytes_read;
    return request_gone(context);
}

enum error results_file_handle(struct request *request, struct reply *reply)
{
    const struct results_call call = {request->locale, request->arena, &request->problem};
    const struct form_part *file = form_find(request->form, "file");
    struct data_mapping *mapping = ARENA_NEW(request->arena, struct data_mapping);
    struct data_reply *answer = ARENA_NEW(request->arena, struct data_reply);
    const struct data_upload upload = {.file = file->file,
                                       .length = (int64_t)file->length,
                                       .rows_most = service_settings(request)->data_temporary_bytes,
                                       .gone = client_is_gone,
                                       .context = request};
    struct arena_guard *guard = NULL;
    enum error error = results_file_mapping(request, mapping);

    if (!error)
        error = room_take(request, reply, upload.length, &guard);
    if (!error)
        error = data_analyze(&call, mapping, &upload, answer);
    if (guard)
        arena_guard_end(guard);
    reply->object = error ? NULL : answer;
    return error;
}
