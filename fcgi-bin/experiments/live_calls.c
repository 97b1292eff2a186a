/* What the families that record events of running experiments share. */
#include "experiments/live_calls.h"

#include "base/clock.h"
#include "experiments/live/record_schemas.h"

enum error live_begin(struct request *request, struct live_call *call)
{
    *call = (struct live_call){.arena = request->arena,
                               .spike_events = service_settings(request)->live_spike_events,
                               .clusters_max = service_settings(request)->live_clusters_max,
                               .problem = &request->problem};
    return service_database(request, &call->db);
}

enum error live_publish(struct request *request, const struct live_call *call,
                        const struct kafka_intake_target *target, const struct object_list *records,
                        struct object_list *published)
{
    struct kafka_producer *producer;
    enum error error = service_kafka(request, live_kind_names[target->kind], &producer);

    if (error)
        return error;
    error = kafka_intake_publish(producer, call->arena, service_settings(request), target, records,
                                 clock_unix_microseconds(), published, call->problem);
    service_used_kafka(request, error != ERROR_UNAVAILABLE);
    return error;
}
