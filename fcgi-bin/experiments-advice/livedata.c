/* Asks live data for its catalog, for a form that lets people choose from it. */
#include "experiments-advice/livedata.h"

#include "experiments/service.h"

enum error livedata_offer_handle(struct request *request, struct reply *reply)
{
    struct source_offer *offer = ARENA_NEW(request->arena, struct source_offer);

    request_release_admission(request);
    source_offer_read(&service_settings(request)->sources, request->arena, offer);
    reply->object = offer;
    return ERROR_NONE;
}
