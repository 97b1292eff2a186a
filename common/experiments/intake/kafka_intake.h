/*
 * Records of running experiments by way of Kafka: a topic for each kind, `<prefix><kind>`. The
 * value of a message is the record of the HTTP routes with one member more, `experiment_id`; its
 * key is the user, so that a user's records keep their order. Those of a divided experiment go to
 * the partition of their bucket: bridges that share the partitions then do not wait for each other.
 */
#ifndef ASSAY_EXPERIMENTS_INTAKE_KAFKA_INTAKE_H
#define ASSAY_EXPERIMENTS_INTAKE_KAFKA_INTAKE_H

#include "experiments/live/records.h"
#include "experiments/settings.h"
#include "kafka/bridge.h"
#include "kafka/publisher.h"

/* The topics of all kinds. From the arena. */
struct string_list kafka_intake_topics(struct arena *arena,
                                       const struct experiments_settings *settings);

/* The callbacks of a bridge, whose context this is. */
struct kafka_intake_context {
    const struct experiments_settings *settings;
    struct string_list topics;
    struct kafka_intake_record *records; /* of the batch in hand */
};
MUST_CHECK enum error kafka_intake_decode(void *context, struct kafka_batch *batch,
                                          struct problem *problem);
/* Like live_ingest() for each experiment and kind. Those of all experiments that do not exist, or
 * are archived, are refused at once. */
MUST_CHECK enum error kafka_intake_apply(void *context, struct db *db, struct kafka_batch *batch,
                                         struct problem *problem);

/* What records are for. */
struct kafka_intake_target {
    const char *experiment_id;
    int64_t buckets; /* that its users are divided over; 1 = they are not */
    enum live_kind kind;
};

/* Publishes records of a kind; one without a time gets `now`. `published` gets the end of each
 * partition that has some of them. As kafka_publish(). */
MUST_CHECK enum error kafka_intake_publish(struct kafka_producer *producer, struct arena *arena,
                                           const struct experiments_settings *settings,
                                           const struct kafka_intake_target *target,
                                           const struct object_list *records, int64_t now,
                                           struct object_list *published, struct problem *problem);

#endif
