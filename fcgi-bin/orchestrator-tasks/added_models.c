/* Removes models that administrators have added, and replaces their keys. */
#include "orchestrator-tasks/added_models.h"

#include "orchestrator/model_key.h"
#include "orchestrator/service.h"
#include "orchestrator/storage/added_model_store.h"

struct new_key {
    const char *api_key;
};

#define OWNER struct new_key
static const struct field new_key_fields[] = {
    STRING(OWNER, api_key, .nullable = true, .required = true, .secret = true, .max_length = 2000,
           .help = "null: the model has no key of its own."),
};
#undef OWNER
SCHEMA(new_key_schema, struct new_key, "NewModelKey", new_key_fields);

enum error model_remove_handle(struct request *request, struct reply *reply)
{
    struct db *db;
    enum error error = service_database(request, &db);

    (void)reply;
    return error ? error : added_model_delete(db, request->arguments[0], &request->problem);
}

enum error model_key_handle(struct request *request, struct reply *reply)
{
    const struct new_key *body = request->body;
    struct stored_key key;
    struct db *db;
    enum error error = model_key_of(request, request->arguments[0], body->api_key, &key);

    (void)reply;
    if (!error)
        error = service_database(request, &db);
    return error ? error : added_model_set_key(db, request->arguments[0], &key, &request->problem);
}
