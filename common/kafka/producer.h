/*
 * Publishing to Kafka. A record counts as published when all replicas have it. Nothing is kept:
 * what the broker does not take in time is dropped, and the caller is told.
 */
#ifndef ASSAY_KAFKA_PRODUCER_H
#define ASSAY_KAFKA_PRODUCER_H

#include "base/optional.h"
#include "kafka/kafka_settings.h"

struct kafka_producer;

struct kafka_header {
    const char *name, *value;
};

struct kafka_outgoing {
    const char *topic;
    const char *key; /* NULL = none: any partition */
    size_t key_length;
    /* Its partition is bucket mod partitions, as many as the topic has; it needs a key. Not given:
     * as the key says. At least 0. */
    struct optional_integer bucket;
    const char *value; /* NULL = a tombstone */
    size_t length;
    const struct kafka_header *headers;
    size_t header_count;

    /* Set by kafka_publish(). */
    int32_t partition;
    int64_t offset; /* -1 = it is not known to be published */
};

/* After fork(): it has threads. Connects to nothing yet. */
MUST_CHECK enum error kafka_producer_open(const struct kafka_settings *settings,
                                          struct kafka_producer **producer,
                                          struct problem *problem);
/* NULL is allowed. */
void kafka_producer_close(struct kafka_producer *producer);

/* Logs what has happened to its connections; to be called now and then while nothing is published.
 * NULL is allowed. */
void kafka_producer_tend(struct kafka_producer *producer);

/* Publishes the records and waits until all replicas have all of them. ERROR_UNAVAILABLE
 * kafka_unavailable when that took longer than the settings allow: those with an offset were
 * published, of the others it is not known. ERROR_INVALID kafka_refused when all others are
 * published and those without an offset are too large; several that went together may be small
 * enough alone. */
MUST_CHECK enum error kafka_publish(struct kafka_producer *producer, struct kafka_outgoing *records,
                                    size_t count, struct problem *problem);

#endif
