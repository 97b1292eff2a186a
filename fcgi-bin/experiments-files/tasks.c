/* The upload gets a name in the folder of this host, then its task is stored. */
#include "experiments-files/tasks.h"

#include "crypto/token.h"
#include "experiments-files/results_file.h"
#include "experiments/datafiles/data_spool.h"
#include "experiments/datafiles/data_task.h"
#include "experiments/service.h"

#include <unistd.h>

static enum error begin(struct request *request, struct data_task_call *call)
{
    *call = (struct data_task_call){.arena = request->arena,
                                    .settings = service_settings(request),
                                    .folder = service_uploads(request),
                                    .problem = &request->problem};
    return service_database(request, &call->db);
}

static enum error save(const struct data_task_call *call, const struct form_part *file,
                       const char *path)
{
    struct arena_guard *guard;
    enum error error = data_spool_reserve(call->arena, call->folder, (int64_t)file->length,
                                          call->settings->data_tasks_bytes, &guard, call->problem);

    if (!error)
        error = form_save(file, path, call->problem);
    arena_guard_end(guard);
    return error;
}

static void state_retry(const struct data_task_call *call, struct reply *reply)
{
    reply_add_header(
        reply, "Retry-After",
        arena_print(call->arena, "%lld", (long long)call->settings->compute_retry_after_seconds));
}

static enum error order(struct request *request, const struct data_task_call *call, const char *id,
                        struct data_task *task)
{
    const struct form_part *file = form_find(request->form, "file");
    const struct data_task_order order = {.id = id,
                                          .mapping = form_find(request->form, "mapping")->text,
                                          .locale = request->locale,
                                          .bytes = (int64_t)file->length};
    const char *path = data_spool_path(call->arena, call->folder, id);
    enum error error = save(call, file, path);

    if (error)
        return error;
    error = data_task_submit(call, &order, task);
    if (error)
        unlink(path);
    return error;
}

enum error task_handle_order(struct request *request, struct reply *reply)
{
    struct data_mapping *mapping = ARENA_NEW(request->arena, struct data_mapping);
    struct data_task *task = ARENA_NEW(request->arena, struct data_task);
    char *id = arena_alloc(request->arena, TOKEN_UUID_TEXT);
    struct data_task_call call;
    enum error error = results_file_mapping(request, mapping);

    if (!error)
        error = begin(request, &call);
    if (!error && !call.folder)
        error = problem_set(&request->problem, ERROR_UNAVAILABLE, "uploads_off",
                            "This host has no folder for uploads: ASSAY_STATE_DIR is not set");
    if (error)
        return error;
    token_uuid(id);
    error = order(request, &call, id, task);
    if (error == ERROR_BUSY)
        state_retry(&call, reply);
    reply->object = error ? NULL : task;
    return error;
}

enum error task_handle_read(struct request *request, struct reply *reply)
{
    struct data_task *task = ARENA_NEW(request->arena, struct data_task);
    struct data_task_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = data_task_read(&call, request->arguments[0], task);
    reply->object = error ? NULL : task;
    return error;
}

enum error task_handle_delete(struct request *request, struct reply *reply)
{
    struct data_task *task = ARENA_NEW(request->arena, struct data_task);
    const char *id = request->arguments[0];
    struct data_task_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = data_task_delete(&call, id, task);
    if (!error && call.folder)
        unlink(data_spool_path(call.arena, call.folder, id)); /* of another host: it looks itself */
    reply->object = error ? NULL : task;
    return error;
}
