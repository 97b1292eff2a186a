/* Decisions of the experiments service on traffic splits, over HTTP. */
#include "support-improvement/splits.h"
#include "support-improvement/family.h"
#include "support/candidates/split_store.h"

struct splits_reply {
    OBJECT_LIST(struct split, splits);
};

#define OWNER struct splits_reply
static const struct field splits_fields[] = {OBJECTS(OWNER, splits, split_schema)};
#undef OWNER
SCHEMA(splits_schema, struct splits_reply, "Splits", splits_fields);

enum error experiment_splits_handle(struct request *request, struct reply *reply)
{
    struct splits_reply *object = ARENA_NEW(request->arena, struct splits_reply);
    struct service_tools tools;
    enum error error = service_tools(request, &tools);

    if (!error)
        error = split_list(tools.traces.db, request->arena, request->arguments[0],
                           family_is_operator(request) ? NULL : request->who.tenant,
                           &object->splits, &request->problem);
    reply->object = object;
    return error;
}
