/* Intake that publishes: LIVE_INTAKE=kafka. */
#include "livedata/bridge/kafka_events.h"
#include "livedata/bridge/kafka_publish.h"
#include "livedata/service_internal.h"

enum error service_check_topics(const struct service *service, struct arena *arena,
                                struct problem *problem)
{
    if (service->settings.intake != KAFKA_INTAKE_KAFKA)
        return ERROR_NONE;
    return kafka_events_check_topics(arena, &service->settings, &service->tenants, problem);
}

enum error service_may_ingest(struct request *request)
{
    const struct live_key *key = service_key(request);

    if (key && (key->types || !key->can_ingest))
        return problem_set(&request->problem, ERROR_FORBIDDEN, "ingest_forbidden",
                           "API key '%s' cannot ingest events.", key->name);
    return ERROR_NONE;
}

enum error service_publish(struct request *request, json_t *const *events, size_t count,
                           struct object_list *published)
{
    struct service *service = service_of(request);
    const char *tenant = request->who.tenant ? request->who.tenant : "default";
    const char *topic =
        kafka_events_topic(request->arena, &service->settings, &service->tenants, tenant);
    size_t foreign = kafka_events_foreign(events, count, tenant);
    size_t null = kafka_events_null(events, count);
    struct kafka_producer *producer;
    enum error error;

    if (foreign < count)
        return request_fault(request, "body",
                             arena_print(request->arena, "events.%zu.tenant", foreign),
                             "tenant_mismatch", "tenant: the event names another tenant");
    if (null < count) /* the bridge takes it for a deletion, and makes no dead letter of it */
        return request_fault(request, "body", arena_print(request->arena, "events.%zu", null),
                             "dict_type", "Input should be a valid dictionary");
    *published = (struct object_list){0};
    if (!count)
        return ERROR_NONE;
    error = kafka_publisher_take(&service->publisher, request->server->region, topic, &producer,
                                 &request->problem);
    if (error)
        return error;
    error = kafka_events_publish(producer, request->arena, topic, tenant, events, count, published,
                                 &request->problem);
    kafka_publisher_used(&service->publisher, request->server->region, error != ERROR_UNAVAILABLE);
    return error;
}
