/* The adaptive shares of an experiment over HTTP. */
#include "experiments-flags/flags.h"

#include "experiments/evaluation/adaptive_control.h"

struct adaptive_deleted {
    const char *experiment_id;
    bool deleted;
};

#define OWNER struct adaptive_deleted
static const struct field deleted_fields[] = {
    STRING(OWNER, experiment_id),
    BOOLEAN(OWNER, deleted),
};
#undef OWNER
SCHEMA(adaptive_deleted_schema, struct adaptive_deleted, "AdaptiveDeleted", deleted_fields,
       .help = "The experiment has the split of its design again.");

enum error flags_handle_adaptive(struct request *request, struct reply *reply)
{
    struct adaptive_document *answer = ARENA_NEW(request->arena, struct adaptive_document);
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (!error)
        error = adaptive_control_read(&call, request->arguments[0], answer);
    reply->object = answer;
    return error;
}

enum error flags_handle_set_adaptive(struct request *request, struct reply *reply)
{
    struct adaptive_document *document = ARENA_NEW(request->arena, struct adaptive_document);
    struct live_call call;
    enum error error = live_begin(request, &call);

    *document = *(const struct adaptive_document *)request->body;
    if (!error)
        error =
            adaptive_control_write(&call, service_actor(request), request->arguments[0], document);
    reply->object = document;
    return error;
}

enum error flags_handle_delete_adaptive(struct request *request, struct reply *reply)
{
    struct adaptive_deleted *answer = ARENA_NEW(request->arena, struct adaptive_deleted);
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (!error)
        error = adaptive_control_delete(&call, service_actor(request), request->arguments[0]);
    *answer = (struct adaptive_deleted){.experiment_id = request->arguments[0], .deleted = true};
    reply->object = answer;
    return error;
}
