/*
 * The loop of a program that applies the records of Kafka to a service's database: batches, offsets
 * in the same transaction, dead letters, lag, waiting for a broker or a database that is away. It
 * knows nothing of what is in a record.
 *
 * A record that cannot be applied goes, as it came, to the topic `<topic>.dead`, with headers
 * assay.reason, assay.topic, assay.partition and assay.offset. It is published before the offsets
 * move: a crash may publish it again, and loses none.
 */
#ifndef ASSAY_KAFKA_BRIDGE_H
#define ASSAY_KAFKA_BRIDGE_H

#include "kafka/consumer.h"

struct store;

struct kafka_batch {
    struct kafka_record *records;
    size_t count;
    struct kafka_position *positions; /* of all partitions, for kafka_offsets_advance() */
    size_t position_count;
    struct arena *arena; /* of the batch */
};

struct kafka_bridge {
    const struct kafka_settings *settings;
    const struct string_list *topics;
    struct store *store;
    void *context;
    /* Decodes the records and sets `refused` of the wrong ones. */
    enum error (*decode)(void *context, struct kafka_batch *batch, struct problem *problem);
    /* Applies those that are not refused, and the offsets, in one transaction. After an error
     * nothing was applied; with further records refused it is called again at once. */
    enum error (*apply)(void *context, struct db *db, struct kafka_batch *batch,
                        struct problem *problem);
};

/* Moves the offsets of the batch; for apply(), in its transaction. */
MUST_CHECK enum error kafka_batch_advance(struct db *db, const struct kafka_batch *batch,
                                          struct problem *problem);

/* Refuses a record: `reason` lives as long as the batch. */
void kafka_refuse(struct kafka_record *record, const char *reason);

/* Runs until the program is asked to stop. ERROR_INVALID when a setting is wrong, ERROR_UNAVAILABLE
 * when librdkafka is missing: then it has not begun. */
MUST_CHECK enum error kafka_bridge_run(const struct kafka_bridge *bridge, struct problem *problem);

/* What a bridge's program does in `start`, and its exit code: 0 stopped by a signal, or forgotten;
 * 1 the settings are wrong, or librdkafka is missing; 3 the database failed. With `forgotten` it
 * forgets how far that topic was applied. */
int kafka_bridge_program(const struct kafka_bridge *bridge, const char *program,
                         const char *forgotten);

/* The main() of such a program: reads the command line and calls `start` with an arena of so many
 * bytes and the topic of --forget, or NULL; its exit code is the program's. */
typedef int kafka_bridge_start(struct arena *arena, const char *forgotten);
int kafka_bridge_main(int argc, char **argv, const char *help, size_t memory,
                      kafka_bridge_start *start);

#endif
