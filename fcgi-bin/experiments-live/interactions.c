/* GET /api/v1/experiments/{experiment_id}/interactions. */
#include "experiments-live/live.h"

#include "experiments/interactions/interactions.h"

struct interactions_query {
    const char *with;
};

#define OWNER struct interactions_query
static const struct field query_fields[] = {
    STRING(OWNER, with, .nullable = true, .min_length = 1, .max_length = LIVE_USER_MAX,
           .help = "Another experiment by its id; default: those that are running, 20 at most."),
};
#undef OWNER
SCHEMA(interactions_query_schema, struct interactions_query, "InteractionsQuery", query_fields);

enum error live_handle_interactions(struct request *request, struct reply *reply)
{
    const struct interactions_query *query = request->query;
    const struct live_results_call results = live_results_call(request);
    const struct interactions_order order = {.id = request->arguments[0],
                                             .with = query->with,
                                             .users_max =
                                                 service_settings(request)->interaction_users};
    struct interactions *answer = ARENA_NEW(request->arena, struct interactions);
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (!error)
        error = interactions_read(&call, &results, &order, answer);
    reply->object = answer;
    return error;
}
