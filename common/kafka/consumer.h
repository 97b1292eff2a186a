/*
 * Reading from Kafka in a group, from positions that the caller keeps. What the group gives to this
 * consumer is read only after the caller has said where each partition begins.
 */
#ifndef ASSAY_KAFKA_CONSUMER_H
#define ASSAY_KAFKA_CONSUMER_H

#include "base/optional.h"
#include "kafka/kafka_settings.h"
#include "kafka/offsets.h"

struct kafka_consumer;

/* A record where librdkafka keeps it, until kafka_consumer_release(). */
struct kafka_record {
    struct kafka_position *position; /* of its partition */
    int64_t offset;
    const char *key; /* may be NULL */
    size_t key_length;
    const char *value; /* NULL = a tombstone */
    size_t length;
    const char
        *refused; /* why it goes to the dead letters; NULL = it does not. Set by who applies it */
    bool is_dead; /* it stands in the topic of dead letters */
    void *message;
};

enum { KAFKA_PARTITIONS_MAX = 4096 };

/* Joins the group; topics that begin with ^ are patterns. After fork(): it has threads. */
MUST_CHECK enum error kafka_consumer_open(const struct kafka_settings *settings,
                                          const struct string_list *topics,
                                          struct kafka_consumer **consumer,
                                          struct problem *problem);
/* Leaves the group. NULL is allowed. */
void kafka_consumer_close(struct kafka_consumer *consumer);

/* Partitions that this consumer has now, until the next kafka_consumer_poll(). */
struct kafka_position *kafka_consumer_positions(struct kafka_consumer *consumer, size_t *count);

/* Whether kafka_consumer_seek() must come first: after a rebalance, which may have left no
 * partition, or kafka_consumer_rewind(). */
bool kafka_consumer_must_seek(const struct kafka_consumer *consumer);
/* Records read since the last seek are void; positions must be loaded again. */
void kafka_consumer_rewind(struct kafka_consumer *consumer);

/* Asks the broker where each partition begins and ends, before kafka_consumer_seek(): fills `end`
 * and `seen_at`; `first` gets the offset of the oldest record of each. Sets `away` of those that
 * nobody leads, and asks nothing about them. ERROR_UNAVAILABLE kafka_unavailable. */
MUST_CHECK enum error kafka_consumer_bounds(struct kafka_consumer *consumer, int64_t *first,
                                            struct problem *problem);
/* Renews `end` while records are read; asks the broker for one partition, another one each time.
 * One that is led again, after nobody did, has to be sought: kafka_consumer_must_seek().
 * ERROR_UNAVAILABLE kafka_unavailable. */
MUST_CHECK enum error kafka_consumer_look(struct kafka_consumer *consumer, struct problem *problem);
/* Reads each partition from its `next` on; one whose `next` is -1, or that is away, is left alone.
 */
MUST_CHECK enum error kafka_consumer_seek(struct kafka_consumer *consumer, struct problem *problem);

/* The next record, in at most that many milliseconds; false when there is none. Rebalances happen
 * in here: then kafka_consumer_must_seek() is true, and the records in hand must be released and
 * not be applied. */
bool kafka_consumer_poll(struct kafka_consumer *consumer, int milliseconds,
                         struct kafka_record *record);
void kafka_consumer_release(struct kafka_record *record);

/* Tells the group, for monitors, how far this is; the group's own offsets are never read. */
void kafka_consumer_tell(struct kafka_consumer *consumer);

#endif
