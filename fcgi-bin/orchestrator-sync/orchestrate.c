/* One prompt, several models. */
#include "orchestrator-sync/orchestrate.h"

#include "orchestrator/bodies.h"
#include "orchestrator/service.h"
#include "orchestrator/task_answer.h"

enum error orchestrate_handle(struct request *request, struct reply *reply)
{
    const struct orchestration_request wanted = orchestration_request_of(request->body);
    struct orchestration *orchestration = ARENA_NEW(request->arena, struct orchestration);
    struct db *db;
    enum error error = orchestrate_body_check(request);

    if (error)
        return error;
    error = service_database(request, &db);
    if (!error)
        error = orchestrate(service_worker(request), request->arena, db, &wanted, orchestration,
                            &request->problem);
    if (!error)
        return task_answer_make(request, reply, orchestration);
    return service_storage_error(request, error,
                                 orchestration->task_run.run.task_id ? "replace_task_snapshot"
                                                                     : "save_task_with_steps");
}
