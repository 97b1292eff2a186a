/* Events that came over HTTP, published for the bridge instead of applied. */
#ifndef ASSAY_LIVEDATA_BRIDGE_KAFKA_PUBLISH_H
#define ASSAY_LIVEDATA_BRIDGE_KAFKA_PUBLISH_H

#include "kafka/publisher.h"
#include "livedata/access/tenants.h"
#include "livedata/settings.h"

/* The index of the first event that names another tenant than its sender's; `count` = none does.
 * The bridge would apply it to that one. */
size_t kafka_events_foreign(json_t *const *events, size_t count, const char *tenant);

/* The index of the first JSON null, in which the bridge sees nothing to apply; `count` = none is.
 */
size_t kafka_events_null(json_t *const *events, size_t count);

/* The topic that the bridge takes for the tenant's. From the arena. */
const char *kafka_events_topic(struct arena *arena, const struct livedata_settings *settings,
                               const struct tenants *tenants, const char *tenant);

/* Publishes them under their ids; those of a tenant without a prefix name it. What is no object is
 * published as it is: the bridge lays it aside. As kafka_publish(), and kafka_published_of(). */
MUST_CHECK enum error kafka_events_publish(struct kafka_producer *producer, struct arena *arena,
                                           const char *topic, const char *tenant,
                                           json_t *const *events, size_t count,
                                           struct object_list *published, struct problem *problem);

#endif
