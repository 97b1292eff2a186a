/* The flag of an experiment, and its client keys. */
#include "experiments-flags/flags.h"

#include <string.h>

struct client_key_list {
    const char *experiment_id;
    OBJECT_LIST(struct client_key, client_keys);
};

struct client_key_deleted {
    const char *id;
    bool deleted;
};

#define OWNER struct client_key_list
static const struct field list_fields[] = {
    STRING(OWNER, experiment_id),
    OBJECTS(OWNER, client_keys, client_key_schema),
};
#undef OWNER
SCHEMA(client_key_list_schema, struct client_key_list, "ClientKeyList", list_fields,
       .help = "The client keys of a project, newest first.");

#define OWNER struct client_key_deleted
static const struct field deleted_fields[] = {STRING(OWNER, id), BOOLEAN(OWNER, deleted)};
#undef OWNER
SCHEMA(client_key_deleted_schema, struct client_key_deleted, "ClientKeyDeleted", deleted_fields,
       .help = "The key opens nothing any more.");

enum error flags_begin(struct request *request, struct flag_call *call)
{
    *call = (struct flag_call){
        .arena = request->arena, .actor = service_actor(request), .problem = &request->problem};
    return service_database(request, &call->db);
}

enum error flags_find(struct request *request, const struct flag_call *call, struct flag *flag)
{
    const struct client_key *client = service_caller(request)->client;
    bool found = false;
    enum error error = flag_find(call, request->arguments[0], flag, &found);

    if (error || (found && (!client || strcmp(client->experiment_id, flag->experiment_id) == 0)))
        return error;
    return problem_set(&request->problem, ERROR_NOT_FOUND, "flag_not_found", "Flag not found");
}

enum error flags_fault(struct request *request, const struct evaluation *evaluation)
{
    if (evaluation->fault == EVALUATION_OK)
        return ERROR_NONE;
    return problem_set(&request->problem, ERROR_INVALID,
                       evaluation_fault_reasons[evaluation->fault], "%s",
                       evaluation_fault_texts[evaluation->fault]);
}

static void add_version(struct request *request, struct reply *reply, const char *updated_at)
{
    reply_add_header(reply, "ETag",
                     arena_print(request->arena, "\"%s\"", flag_version(updated_at)));
}

enum error flags_handle_read(struct request *request, struct reply *reply)
{
    struct flag_document *answer = ARENA_NEW(request->arena, struct flag_document);
    struct flag_call call;
    struct flag flag;
    enum error error = flags_begin(request, &call);

    if (!error)
        error = flag_read(&call, request->arguments[0], &flag);
    if (error)
        return error;
    *answer = (struct flag_document){.experiment_id = flag.experiment_id,
                                     .key = flag.key,
                                     .enabled = flag.enabled,
                                     .updated_at = flag.updated_at};
    if (flag.settings)
        answer->settings = *flag.settings;
    add_version(request, reply, flag.updated_at);
    reply->object = answer;
    return ERROR_NONE;
}

enum error flags_handle_write(struct request *request, struct reply *reply)
{
    struct flag_document *document = ARENA_NEW(request->arena, struct flag_document);
    struct flag_call call;
    enum error error = flags_begin(request, &call);

    *document = *(const struct flag_document *)request->body;
    if (!error)
        error = flag_write(&call, request->arguments[0], request_header(request, "HTTP_IF_MATCH"),
                           document);
    if (error)
        return error;
    add_version(request, reply, document->updated_at);
    reply->object = document;
    return ERROR_NONE;
}

static enum error begin_keys(struct request *request, struct key_call *call)
{
    *call = (struct key_call){
        .arena = request->arena, .actor = service_actor(request), .problem = &request->problem};
    return service_database(request, &call->db);
}

enum error flags_handle_client_keys(struct request *request, struct reply *reply)
{
    struct client_key_list *answer = ARENA_NEW(request->arena, struct client_key_list);
    struct object_list keys = {0};
    struct key_call call;
    enum error error = begin_keys(request, &call);

    if (!error)
        error = client_key_list(&call, request->arguments[0], &keys);
    answer->experiment_id = request->arguments[0];
    answer->client_keys = keys;
    reply->object = answer;
    return error;
}

enum error flags_handle_create_client_key(struct request *request, struct reply *reply)
{
    struct client_key *key = ARENA_NEW(request->arena, struct client_key);
    struct key_call call;
    enum error error = begin_keys(request, &call);

    if (!error)
        error = client_key_create(&call, request->arguments[0], request->body, key);
    reply->object = key;
    return error;
}

enum error flags_handle_delete_client_key(struct request *request, struct reply *reply)
{
    struct client_key_deleted *answer = ARENA_NEW(request->arena, struct client_key_deleted);
    struct key_call call;
    enum error error = begin_keys(request, &call);

    if (!error)
        error = client_key_delete(&call, request->arguments[0], request->arguments[1]);
    *answer = (struct client_key_deleted){.id = request->arguments[1], .deleted = true};
    reply->object = answer;
    return error;
}
