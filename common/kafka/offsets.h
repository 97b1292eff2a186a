/*
 * How far the partitions of Kafka's topics were applied: rows of kafka_offsets, a table of each
 * service that reads from Kafka. A row moves in the transaction that applies the records, and only
 * from where the bridge believed it to be: a second bridge that still holds the partition cannot
 * apply them again.
 */
#ifndef ASSAY_KAFKA_OFFSETS_H
#define ASSAY_KAFKA_OFFSETS_H

#include "db/db.h"

struct kafka_position {
    const char *topic;
    int32_t partition;
    int64_t next;       /* offset of the first record that is not applied */
    int64_t end;        /* of the record that will be written next, as far as is known */
    int64_t seen_at;    /* when the bridge last heard of the broker; microseconds since 1970 */
    int64_t batch_next; /* what `next` is after the batch in hand; `next` if it has none of it */
    bool away;          /* no broker leads it: its offsets are not known, and it is left alone */
};

/* Reads the row into `next`; where there is none, it is made with the value that stands there. */
MUST_CHECK enum error kafka_offset_load(struct db *db, struct kafka_position *position,
                                        struct problem *problem);

/* Moves the rows of the partitions with records in the batch, inside the caller's transaction.
 * ERROR_CONFLICT offset_moved when another bridge has moved one. */
MUST_CHECK enum error kafka_offsets_advance(struct db *db, const struct kafka_position *positions,
                                            size_t count, int64_t now, struct problem *problem);

/* Notes the ends of partitions in a transaction of its own, of rows that nobody else has moved. */
MUST_CHECK enum error kafka_offsets_note(struct db *db, const struct kafka_position *positions,
                                         size_t count, int64_t now, struct problem *problem);

/* Forgets a topic, which then begins anew; how many partitions it had. */
MUST_CHECK enum error kafka_offsets_forget(struct db *db, const char *topic, int64_t *partitions,
                                           struct problem *problem);

/* What readiness and metrics say, per topic in the order of names. */
struct kafka_lag {
    const char *topic;
    int64_t records; /* written and not applied yet */
    int64_t seen_at; /* of the partition that was not heard of for longest */
    int64_t silent;  /* partitions that were not heard of while others were: nobody leads them, they
                        end before what was applied, or their topic is not read any more */
};
enum { KAFKA_LAGS_MAX = 1000 };
MUST_CHECK enum error kafka_lags_read(struct db *db, struct arena *arena, struct kafka_lag **lags,
                                      size_t *count, struct problem *problem);

/* Of all topics together: `records` and `silent` summed, the oldest `seen_at`; 0 when there are
 * none.
 */
struct kafka_lag kafka_lag_of_all(const struct kafka_lag *lags, size_t count);

/* What readiness says of silent partitions; "" of none. */
const char *kafka_lag_text(struct arena *arena, const struct kafka_lag *lag);

/* A bridge that has not heard of the broker for so long is away, or the broker is. */
enum { KAFKA_SILENCE_SECONDS = 30 };

#endif
