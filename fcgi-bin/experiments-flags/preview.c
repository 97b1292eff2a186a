/* What a user would get, and why: of one flag, or of all. Records nothing. */
#include "experiments-flags/flags.h"

struct preview_list {
    OBJECT_LIST(struct preview, flags);
    bool truncated;
};

#define OWNER struct preview_list
static const struct field list_fields[] = {
    OBJECTS(OWNER, flags, preview_schema),
    BOOLEAN(OWNER, truncated, .help = "There are more flags than AB_OFREP_BULK_FLAGS."),
};
#undef OWNER
SCHEMA(preview_list_schema, struct preview_list, "FlagPreviews", list_fields,
       .help = "What a user would get of all flags that have values.");

/* The database of flags and of live calls, and whom the request is about. */
static enum error begin(struct request *request, struct flag_call *call, struct live_call *live,
                        struct evaluation_context *context)
{
    const struct evaluation_request *asked = request->body;
    enum error error = evaluation_read_context(asked->context, context, &request->problem);

    if (!error)
        error = flags_begin(request, call);
    if (!error)
        error = live_begin(request, live);
    if (!error)
        error = db_begin(call->db, DB_READ, call->problem);
    return error;
}

enum error flags_handle_preview(struct request *request, struct reply *reply)
{
    struct preview *answer = ARENA_NEW(request->arena, struct preview);
    struct evaluation_context context;
    struct flag_call call;
    struct preview_layers layers = {0};
    struct live_call live;
    struct flag flag;
    enum error error = begin(request, &call, &live, &context);

    if (error)
        return error;
    error = flag_read(&call, request->arguments[0], &flag);
    if (!error)
        error = preview_flag(&live, &flag, &context, &layers, answer);
    reply->object = answer;
    return db_finish(call.db, error, call.problem);
}

static enum error preview_all(struct request *request, const struct flag_call *call,
                              const struct live_call *live,
                              const struct evaluation_context *context, struct preview_list *answer)
{
    size_t most = (size_t)service_settings(request)->ofrep_bulk_flags;
    struct object_list flags;
    enum error error = flag_list(call, NULL, (int64_t)most + 1, &flags);
    size_t count = flags.count > most ? most : flags.count;
    struct preview *items = ARENA_ARRAY(request->arena, struct preview, count);
    struct preview_layers layers = {0};
    const struct flag *flag = flags.items;

    for (size_t i = 0; !error && i < count; i++)
        error = preview_flag(live, &flag[i], context, &layers, &items[i]);
    answer->truncated = flags.count > count;
    answer->flags.items = items;
    answer->flags.count = count;
    return error;
}

enum error flags_handle_preview_all(struct request *request, struct reply *reply)
{
    struct preview_list *answer = ARENA_NEW(request->arena, struct preview_list);
    struct evaluation_context context;
    struct flag_call call;
    struct live_call live;
    enum error error = begin(request, &call, &live, &context);

    if (error)
        return error;
    reply->object = answer;
    return db_finish(call.db, preview_all(request, &call, &live, &context, answer), call.problem);
}
