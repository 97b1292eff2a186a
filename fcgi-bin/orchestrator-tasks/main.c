/* The orchestrator, family tasks: one task by its id. A retry waits for models, and refreshing the
 * model list waits for the browser: side by side. */
#include "orchestrator-tasks/added_models.h"
#include "orchestrator-tasks/detail.h"
#include "orchestrator-tasks/right_answer.h"
#include "orchestrator-tasks/trial.h"
#include "orchestrator/models.h"
#include "orchestrator/service.h"
#include "orchestrator/task_answer.h"

static const struct route routes[] = {
    {.method = METHOD_GET,
     .path = "/api/v1/tasks/{task_id}",
     .role = ORCHESTRATOR_CALLER,
     .query = &detail_query_schema,
     .reply = &task_detail_schema,
     .errors = ERRORS(422, 429, 503),
     .handler = task_detail_handle,
     .name = "task",
     .tag = "tasks",
     .summary = "A task with its steps and events"},
    {.method = METHOD_GET,
     .path = "/api/v1/tasks/{task_id}/export",
     .role = ORCHESTRATOR_CALLER,
     .media_type = "text/markdown; charset=utf-8",
     .errors = ERRORS(422, 429, 503),
     .handler = task_export_handle,
     .name = "task_export",
     .tag = "tasks",
     .summary = "Prompt and output as a document"},
    {.method = METHOD_POST,
     .path = "/api/v1/tasks/{task_id}/retry",
     .role = ORCHESTRATOR_CALLER,
     .reply = &task_answer_schema,
     .errors = ERRORS(409, 422, 429, 503, 504),
     .handler = task_retry_handle,
     .name = "task_retry",
     .tag = "tasks",
     .summary = "Try a task again that failed or was cancelled"},
    {.method = METHOD_PUT,
     .path = "/api/v1/tasks/{task_id}/right-answer",
     .role = ORCHESTRATOR_STAFF,
     .body = &right_answer_schema,
     .reply = &right_answer_schema,
     .errors = ERRORS(400, 404, 422, 429, 503),
     .handler = right_answer_handle,
     .name = "task_right_answer",
     .tag = "tasks",
     .summary = "State which answer of a vote is right",
     .help = "The votes of all callers are weighed by it, so keys may not."},
    {.method = METHOD_DELETE,
     .path = "/api/v1/models/{model_id}",
     .role = ORCHESTRATOR_ADMIN,
     .status = 204,
     .errors = ERRORS(404, 429, 503),
     .handler = model_remove_handle,
     .name = "delete_model",
     .tag = "models",
     .summary = "Remove a model that was added"},
    {.method = METHOD_PUT,
     .path = "/api/v1/models/{model_id}/key",
     .role = ORCHESTRATOR_ADMIN,
     .body = &new_key_schema,
     .status = 204,
     .errors = ERRORS(404, 422, 429, 503),
     .handler = model_key_handle,
     .name = "set_model_key",
     .tag = "models",
     .summary = "Replace the key of a model that was added",
     .help = "All workers use it within five seconds."},
    {.method = METHOD_POST,
     .path = "/api/v1/models/{model_id}/test",
     .role = ORCHESTRATOR_STAFF,
     .reply = &model_trial_schema,
     .errors = ERRORS(404, 422, 429, 503, 504),
     .handler = model_trial_handle,
     .name = "test_model",
     .tag = "models",
     .summary = "Call a model with a short prompt",
     .help = "The call is paid and stored as any other."},
    {.method = METHOD_POST,
     .path = "/api/v1/models/refresh",
     .role = ORCHESTRATOR_STAFF,
     .reply = &refreshed_models_schema,
     .errors = ERRORS(429, 503),
     .handler = models_refresh_handle,
     .name = "models_refresh",
     .tag = "models",
     .summary = "Look at the menu again"},
};

static const struct http_family family = {
    .service = &orchestrator_service, .name = "tasks", ROUTES(routes), .concurrent = true};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
