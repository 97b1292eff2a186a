/*
 * Intake over HTTP that publishes instead of writing: the producer of a worker, behind a breaker
 * that all workers of a host share, and what the answer says of the records.
 */
#ifndef ASSAY_KAFKA_PUBLISHER_H
#define ASSAY_KAFKA_PUBLISHER_H

#include "base/schema.h"
#include "kafka/producer.h"
#include "shm/breaker.h"

/* Of a worker; zeroed but for the settings. Its producer is made by the first use. */
struct kafka_publisher {
    const struct kafka_settings *settings;
    struct kafka_producer *producer;
    struct breaker_permit permit; /* of the records that are being published */
};

/* The producer, to publish to what `line` names. ERROR_UNAVAILABLE kafka_unavailable while a worker
 * of this host has found out that it takes nothing: the others shall not wait as long as that one.
 * `region` NULL = there are no others. After ERROR_NONE the second function must follow, and says
 * whether the records were taken. */
MUST_CHECK enum error kafka_publisher_take(struct kafka_publisher *publisher,
                                           struct shm_region *region, const char *line,
                                           struct kafka_producer **producer,
                                           struct problem *problem);
void kafka_publisher_used(struct kafka_publisher *publisher, struct shm_region *region, bool well);

/* Once a second, and at the end. */
void kafka_publisher_tend(struct kafka_publisher *publisher);
void kafka_publisher_close(struct kafka_publisher *publisher);

/* Where records of a request lie, for its answer. */
struct kafka_published {
    const char *topic;
    int64_t partition;
    int64_t next_offset; /* the records lie before it */
};
SCHEMA_OF(kafka_published_schema, struct kafka_published);

/* The end of each partition that has some of the records, which are of one topic. */
void kafka_published_of(struct arena *arena, const struct kafka_outgoing *records, size_t count,
                        struct object_list *published);

#endif
