/* Takes a look at an experiment with planned looks. */
#include "experiments-live/live.h"

#include "experiments/looks/take_look.h"

enum error live_handle_look(struct request *request, struct reply *reply)
{
    const struct look_request *asked = request->body;
    struct look_reply *answer = ARENA_NEW(request->arena, struct look_reply);
    const struct live_results_call results = live_results_call(request);
    const struct look_order order = {.actor = service_actor(request)->name,
                                     .unplanned = asked->unplanned,
                                     .settling_seconds =
                                         service_settings(request)->live_settling_seconds};
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (!error)
        error = look_take(&call, &results, request->arguments[0], &order, answer);
    reply->object = answer;
    return error;
}
