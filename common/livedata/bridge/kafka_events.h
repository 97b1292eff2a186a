/*
 * Events by way of Kafka: as POST /v1/events takes them, or change data in the envelopes of
 * Debezium. The tenant is the one with the longest prefix that the topic has, else the one that the
 * event names, else `default`; a topic that LIVE_BRIDGE_TOPICS itself names has no prefix. Events
 * that break a rule become dead letters of the database, as over HTTP; what is no event at all is
 * refused, and goes to the topic of dead letters.
 */
#ifndef ASSAY_LIVEDATA_BRIDGE_KAFKA_EVENTS_H
#define ASSAY_LIVEDATA_BRIDGE_KAFKA_EVENTS_H

#include "kafka/bridge.h"
#include "livedata/access/tenants.h"
#include "livedata/freshness/clock.h"
#include "livedata/ingest/parts.h"
#include "livedata/settings.h"

/* The topics of the settings, and those of tenants with a prefix. From the arena. */
struct string_list kafka_event_topics(struct arena *arena, const struct livedata_settings *settings,
                                      const struct tenants *tenants);

/* For intake that publishes: whether the bridge takes what each tenant sends for that tenant's,
 * also where a prefix begins as another one does. ERROR_INVALID setting_invalid names the tenants.
 */
MUST_CHECK enum error kafka_events_check_topics(struct arena *arena,
                                                const struct livedata_settings *settings,
                                                const struct tenants *tenants,
                                                struct problem *problem);

/* The callbacks of a bridge, whose context this is. */
struct kafka_events {
    const struct livedata_settings *settings;
    const struct catalog *catalog;
    const struct tenants *tenants;
    struct live_cache *cache; /* NULL = no cache, as in apply_call */
    struct redis *redis;
    struct live_clock clock;
    bool knows_tables;          /* which of the domains' tables are served */
    struct kafka_event *events; /* of the batch in hand */
};
MUST_CHECK enum error kafka_events_decode(void *context, struct kafka_batch *batch,
                                          struct problem *problem);
MUST_CHECK enum error kafka_events_apply(void *context, struct db *db, struct kafka_batch *batch,
                                         struct problem *problem);

#endif
