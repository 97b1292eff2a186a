/* The schedule of a switchback, a page at a time. */
#include "experiments-live/live.h"

enum { TURNS_USUAL = 100 };

struct turns_query {
    const char *cluster;
    int64_t first;
    int64_t limit;
};

#define OWNER struct turns_query
static const struct field query_fields[] = {
    STRING(OWNER, cluster, .min_length = 1, .max_length = LIVE_NAME_MAX, .default_text = "all",
           .help = "As exposures carry it; `all` where the whole product takes turns."),
    INTEGER(OWNER, first, .lower = AT_LEAST(0), .help = "The first period to list."),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(LIVE_TURNS_MAX),
            .default_value = TURNS_USUAL),
};
#undef OWNER
SCHEMA(turns_query_schema, struct turns_query, "SwitchbackQuery", query_fields);

#define OWNER struct live_turn_period
static const struct field turn_fields[] = {
    INTEGER(OWNER, period), INTEGER(OWNER, variation_index),
    TIME(OWNER, starts_at), TIME(OWNER, counts_from, .help = "When the washout is over."),
    TIME(OWNER, ends_at),
};
#undef OWNER
static SCHEMA(turn_schema, struct live_turn_period, "SwitchbackTurn", turn_fields);

#define OWNER struct live_turns
static const struct field reply_fields[] = {
    STRING(OWNER, experiment_id),
    STRING(OWNER, cluster),
    INTEGER(OWNER, periods, .help = "Of the design."),
    OBJECTS(OWNER, turns, turn_schema),
};
#undef OWNER
SCHEMA(turns_reply_schema, struct live_turns, "SwitchbackTurns", reply_fields,
       .help = "Which variation a cluster has when.");

enum error live_handle_turns(struct request *request, struct reply *reply)
{
    const struct turns_query *query = request->query;
    struct live_turns *answer = ARENA_NEW(request->arena, struct live_turns);
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (!error)
        error = live_read_turns(&call, request->arguments[0], query->cluster, query->first,
                                query->limit, answer);
    reply->object = answer;
    return error;
}
