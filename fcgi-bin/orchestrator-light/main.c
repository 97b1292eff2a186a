/* The orchestrator, family light: what is answered from the store and the catalog at once. */
#include "http/replica.h"
#include "orchestrator-light/add_model.h"
#include "orchestrator-light/analytics.h"
#include "orchestrator-light/front_models.h"
#include "orchestrator-light/list.h"
#include "orchestrator/models.h"
#include "orchestrator/service.h"
#include "orchestrator/task_answer.h"

static const struct route routes[] = {
    {.method = METHOD_GET,
     .path = "/api/v1/tasks",
     .role = ORCHESTRATOR_CALLER,
     .traits = TRAIT_MAY_BE_OLD,
     .query = &task_query_schema,
     .reply = &task_item_schema,
     .reply_is_list = true,
     .errors = ERRORS(422, 429, 503),
     .handler = task_list_handle,
     .name = "tasks",
     .tag = "tasks",
     .summary = "The newest tasks"},
    {.method = METHOD_GET,
     .path = "/api/v1/models",
     .role = ORCHESTRATOR_CALLER,
     .reply = &models_schema,
     .errors = ERRORS(429, 503),
     .handler = models_handle,
     .name = "models",
     .tag = "models",
     .summary = "What can be asked"},
    {.method = METHOD_POST,
     .path = "/api/v1/models",
     .role = ORCHESTRATOR_ADMIN,
     .body = &new_model_schema,
     .status = 201,
     .reply = &added_model_schema,
     .errors = ERRORS(409, 429, 503),
     .handler = model_add_handle,
     .name = "add_model",
     .tag = "models",
     .summary = "Add a model",
     .help = "All workers know it within five seconds."},
    {.method = METHOD_GET,
     .path = "/api/v1/analytics",
     .role = ORCHESTRATOR_STAFF,
     .traits = TRAIT_MAY_BE_OLD,
     .reply = &analytics_schema,
     .errors = ERRORS(429, 503),
     .handler = analytics_handle,
     .name = "analytics",
     .tag = "models",
     .summary = "How models have done in the last hundred tasks"},
    {.method = METHOD_GET,
     .path = "/v1/models",
     .role = ORCHESTRATOR_CALLER,
     .reply = &front_models_schema,
     .errors = ERRORS(429),
     .handler = front_models_handle,
     .name = "front_models",
     .tag = "front",
     .summary = "Models, as clients of OpenAI ask for them; those that can be called first"},
    {.method = METHOD_GET,
     .path = "/v1/models/{model}",
     .tail = true,
     .role = ORCHESTRATOR_CALLER,
     .reply = &front_model_schema,
     .errors = ERRORS(429),
     .handler = front_model_handle,
     .name = "front_model",
     .tag = "front",
     .summary = "One of them"},
};

static const struct http_family family = {
    .service = &orchestrator_service, .name = "light", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
