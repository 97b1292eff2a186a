/* Live data, family streams: events as they are applied. One process keeps all streams. Routes
 * only. */
#include "livedata-streams/events.h"

static const struct route routes[] = {
    {.method = METHOD_GET,
     .path = "/v1/stream/events",
     .role = LIVE_CALLER,
     .traits = TRAIT_DATA,
     .query = &stream_query_schema,
     .media_type = "text/event-stream",
     .errors = ERRORS(400, 403, 412, 429, 503),
     .headers = HEADERS("Last-Event-ID"),
     .handler = stream_handle,
     .name = "stream_events",
     .tag = "events",
     .summary = "Events as they are applied"},
};

static const struct http_family family = {
    .service = &livedata_service, .name = "streams", ROUTES(routes), .hub = &stream_hub};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
