/* The orchestrator, family keys: customers, teams, virtual keys, budgets, what was spent, and
 * prompt templates. Routes only. */
#include "http/replica.h"
#include "orchestrator-keys/budgets.h"
#include "orchestrator-keys/keys.h"
#include "orchestrator-keys/owners.h"
#include "orchestrator-keys/templates.h"
#include "orchestrator-keys/usage.h"
#include "orchestrator/storage/prompt_template_store.h"

#define CUSTOMERS "/api/v1/customers"
#define CUSTOMER CUSTOMERS "/{customer_id}"
#define TEAMS "/api/v1/teams"
#define TEAM TEAMS "/{team_id}"
#define KEYS "/api/v1/keys"
#define KEY KEYS "/{key_id}"
#define BUDGETS "/api/v1/budgets"
#define TEMPLATES "/api/v1/templates"
#define TEMPLATE TEMPLATES "/{name}"
#define BUDGET BUDGETS "/{budget_id}"

#define ADMIN_ROUTE(verb, address, id, text, ...)                                                  \
    {                                                                                              \
        .method = METHOD_##verb, .path = (address), .role = ORCHESTRATOR_ADMIN, .name = (id),      \
        .tag = "keys", .summary = (text), __VA_ARGS__                                              \
    }

static const struct route routes[] = {
    ADMIN_ROUTE(GET, CUSTOMERS, "customers", "List customers", .reply = &customer_list_schema,
                .errors = ERRORS(429, 503), .handler = customers_list),
    ADMIN_ROUTE(POST, CUSTOMERS, "create_customer", "Add a customer", .status = 201,
                .body = &customer_body_schema, .reply = &customer_schema,
                .errors = ERRORS(409, 429, 503), .handler = customers_create),
    ADMIN_ROUTE(PUT, CUSTOMER, "update_customer", "Change a customer",
                .body = &customer_body_schema, .reply = &customer_schema,
                .errors = ERRORS(409, 429, 503), .handler = customers_update),
    ADMIN_ROUTE(DELETE, CUSTOMER, "delete_customer", "Delete a customer without teams",
                .status = 204, .errors = ERRORS(409, 429, 503), .handler = customers_delete),
    ADMIN_ROUTE(GET, TEAMS, "teams", "List teams", .reply = &team_list_schema,
                .errors = ERRORS(429, 503), .handler = teams_list),
    ADMIN_ROUTE(POST, TEAMS, "create_team", "Add a team", .status = 201, .body = &team_body_schema,
                .reply = &team_schema, .errors = ERRORS(409, 429, 503), .handler = teams_create),
    ADMIN_ROUTE(PUT, TEAM, "update_team", "Change a team", .body = &team_body_schema,
                .reply = &team_schema, .errors = ERRORS(409, 429, 503), .handler = teams_update),
    ADMIN_ROUTE(DELETE, TEAM, "delete_team", "Delete a team without keys", .status = 204,
                .errors = ERRORS(409, 429, 503), .handler = teams_delete),
    ADMIN_ROUTE(GET, KEYS, "keys", "List virtual keys", .reply = &key_list_schema,
                .errors = ERRORS(429, 503), .handler = keys_list),
    ADMIN_ROUTE(POST, KEYS, "create_key", "Create a virtual key", .status = 201,
                .body = &key_body_schema, .reply = &created_virtual_key_schema,
                .errors = ERRORS(409, 429, 503), .handler = keys_create,
                .help = "The answer contains the key; only its digest is stored."),
    ADMIN_ROUTE(PUT, KEY, "update_key", "Change a virtual key", .body = &key_body_schema,
                .reply = &virtual_key_schema, .errors = ERRORS(409, 429, 503),
                .handler = keys_update),
    ADMIN_ROUTE(DELETE, KEY, "delete_key", "Delete a virtual key", .status = 204,
                .errors = ERRORS(429, 503), .handler = keys_delete,
                .help = "What it has spent stays in the reports."),
    ADMIN_ROUTE(GET, BUDGETS, "budgets", "List budgets and what is spent of them",
                .query = &budget_query_schema, .reply = &budget_answers_schema,
                .errors = ERRORS(429, 503), .handler = budgets_list),
    ADMIN_ROUTE(POST, BUDGETS, "create_budget", "Add a budget", .status = 201,
                .body = &budget_body_schema, .reply = &budget_answer_schema,
                .errors = ERRORS(404, 409, 429, 503), .handler = budgets_create,
                .help = "Every budget of a key, of its team and of its customer must have room for "
                        "a call."),
    ADMIN_ROUTE(PUT, BUDGET, "update_budget", "Change the limit of a budget",
                .body = &budget_limit_body_schema, .reply = &budget_answer_schema,
                .errors = ERRORS(429, 503), .handler = budgets_update),
    ADMIN_ROUTE(DELETE, BUDGET, "delete_budget", "Delete a budget", .status = 204,
                .errors = ERRORS(429, 503), .handler = budgets_delete),
    ADMIN_ROUTE(GET, TEMPLATES, "templates", "List prompt templates with all versions",
                .reply = &template_list_schema, .errors = ERRORS(429, 503),
                .handler = templates_list),
    ADMIN_ROUTE(POST, TEMPLATES, "create_template", "Add a version of a prompt template",
                .status = 201, .body = &template_body_schema, .reply = &prompt_template_schema,
                .errors = ERRORS(409, 429, 503), .handler = templates_create,
                .help = "A name that is not known yet gets version 1. Versions never change."),
    ADMIN_ROUTE(PUT, TEMPLATE "/production", "promote_template",
                "Put a version of a prompt template into production",
                .body = &template_version_schema, .reply = &prompt_template_schema,
                .errors = ERRORS(429, 503), .handler = templates_promote),
    ADMIN_ROUTE(DELETE, TEMPLATE, "delete_template", "Delete a prompt template with all versions",
                .status = 204, .errors = ERRORS(429, 503), .handler = templates_delete),
    {.method = METHOD_GET,
     .path = "/api/v1/usage",
     .role = ORCHESTRATOR_STAFF,
     .traits = TRAIT_MAY_BE_OLD,
     .query = &usage_query_schema,
     .reply = &usage_answer_schema,
     .errors = ERRORS(422, 429, 503),
     .handler = usage_handle,
     .name = "usage",
     .tag = "keys",
     .summary = "What was used and spent"},
    {.method = METHOD_GET,
     .path = "/api/v1/usage.csv",
     .role = ORCHESTRATOR_STAFF,
     .traits = TRAIT_MAY_BE_OLD,
     .query = &usage_query_schema,
     .media_type = "text/csv; charset=utf-8",
     .errors = ERRORS(422, 429, 503),
     .handler = usage_csv_handle,
     .name = "usage_csv",
     .tag = "keys",
     .summary = "The same as a table"},
    {.method = METHOD_GET,
     .path = "/v1/key",
     .role = ORCHESTRATOR_CALLER,
     .reply = &own_key_schema,
     .errors = ERRORS(404, 429, 503),
     .handler = own_key_handle,
     .name = "own_key",
     .tag = "keys",
     .summary = "The virtual key of this request, with its budgets"},
    {.method = METHOD_GET,
     .path = "/v1/key/usage",
     .role = ORCHESTRATOR_CALLER,
     .query = &own_usage_query_schema,
     .reply = &usage_answer_schema,
     .errors = ERRORS(404, 422, 429, 503),
     .handler = own_usage_handle,
     .name = "own_usage",
     .tag = "keys",
     .summary = "What the virtual key of this request has used and spent"},
};

static const struct http_family family = {
    .service = &orchestrator_service, .name = "keys", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
