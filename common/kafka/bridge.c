/* Batches of records, applied exactly once. */
#include "kafka/bridge.h"

#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "db/store.h"
#include "jobs/main_loop.h"
#include "kafka/producer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    BATCH_MEMORY_MAX = 256 * 1024 * 1024,
    BATCH_BYTES_MAX = 16 * 1024 * 1024, /* of records */
    IDLE_MS = 200,                      /* so long a signal to stop waits */
    GATHER_MS = 5,
    HEADERS = 4
};

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_DATABASE };

static const int64_t gather_us = 200000, report_us = 5000000, complaint_us = 30000000;

struct bridge {
    const struct kafka_bridge *kind;
    struct kafka_consumer *consumer;
    struct kafka_producer *producer; /* NULL until there is a dead letter */
    struct arena *arena;             /* of a batch */
    struct kafka_batch batch;
    int64_t reported_at;   /* monotonic, as the next one */
    size_t most;           /* records of a batch: fewer after one that the database refuses */
    int64_t complained_at; /* of a failure that goes on; 0 = there is none */
};

void kafka_refuse(struct kafka_record *record, const char *reason)
{
    if (!record->refused)
        record->refused = reason;
}

enum error kafka_batch_advance(struct db *db, const struct kafka_batch *batch,
                               struct problem *problem)
{
    return kafka_offsets_advance(db, batch->positions, batch->position_count,
                                 clock_unix_microseconds(), problem);
}

static void log_position(enum log_level level, const char *event,
                         const struct kafka_position *position, int64_t other)
{
    struct log_line line;

    log_begin(&line, level, event);
    log_integer(&line, "next_offset", position->next);
    log_integer(&line, "partition", position->partition);
    log_integer(&line, "record_at", other);
    log_text(&line, "topic", position->topic);
    log_write(&line);
}

/* Records that Kafka has deleted before they were read are gone: their partition goes on with the
 * oldest. One that ends before the records that were applied is another topic of that name, or its
 * broker has lost records: it is left alone until somebody says which (--forget), or it has them
 * again. */
static void judge(struct kafka_position *position, int64_t first)
{
    if (position->next < first) {
        log_position(LOG_ERROR, "records_lost", position, first);
        position->batch_next = first;
    } else if (position->next > position->end) {
        log_position(LOG_ERROR, "offset_beyond_end", position, position->end);
        position->next = position->batch_next = -1;
    }
}

static enum error load_positions(struct bridge *bridge, struct db *db, const int64_t *first,
                                 struct problem *problem)
{
    struct kafka_batch *batch = &bridge->batch;
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    for (size_t i = 0; !error && i < batch->position_count; i++) {
        struct kafka_position *position = &batch->positions[i];

        if (position->away) {
            position->next = position->batch_next = -1;
            continue;
        }
        position->next = bridge->kind->settings->reset == KAFKA_LATEST ? position->end : first[i];
        error = kafka_offset_load(db, position, problem);
        if (!error)
            judge(position, first[i]);
    }
    if (!error)
        error = kafka_batch_advance(db, batch, problem);
    return db_finish(db, error, problem);
}

/* After a rebalance or a failure: where the table says. */
static enum error seek(struct bridge *bridge, struct db *db, struct problem *problem)
{
    struct kafka_batch *batch = &bridge->batch;
    int64_t *first;
    enum error error;

    batch->positions = kafka_consumer_positions(bridge->consumer, &batch->position_count);
    first = ARENA_ARRAY(bridge->arena, int64_t, batch->position_count + 1);
    error = kafka_consumer_bounds(bridge->consumer, first, problem);
    if (!error)
        error = load_positions(bridge, db, first, problem);
    for (size_t i = 0; !error && i < batch->position_count; i++)
        batch->positions[i].next = batch->positions[i].batch_next;
    return error ? error : kafka_consumer_seek(bridge->consumer, problem);
}

static void release(struct kafka_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        kafka_consumer_release(&batch->records[i]);
    batch->count = 0;
}

/* Records until the batch is full, none follows at once, or the first has waited long enough. */
static void gather(struct bridge *bridge)
{
    struct kafka_batch *batch = &bridge->batch;
    size_t most = bridge->most, bytes = 0;
    int64_t end = 0;

    batch->records = ARENA_ARRAY(bridge->arena, struct kafka_record, most);
    while (batch->count < most && bytes < BATCH_BYTES_MAX && !main_loop_must_stop()) {
        struct kafka_record *record = &batch->records[batch->count];

        if (!kafka_consumer_poll(bridge->consumer, batch->count ? GATHER_MS : IDLE_MS, record))
            break;
        batch->count++;
        bytes += record->length;
        end = end ? end : clock_monotonic_microseconds() + gather_us;
        if (clock_monotonic_microseconds() > end)
            break;
    }
    if (kafka_consumer_must_seek(bridge->consumer))
        release(batch);
    batch->positions = kafka_consumer_positions(bridge->consumer, &batch->position_count);
}

static void address(struct bridge *bridge, const struct kafka_record *record,
                    struct kafka_outgoing *letter)
{
    struct arena *arena = bridge->arena;
    const struct kafka_position *from = record->position;
    struct kafka_header *headers = ARENA_ARRAY(arena, struct kafka_header, HEADERS);

    headers[0] = (struct kafka_header){"assay.reason", record->refused};
    headers[1] = (struct kafka_header){"assay.topic", from->topic};
    headers[2] =
        (struct kafka_header){"assay.partition", arena_print(arena, "%d", from->partition)};
    headers[3] = (struct kafka_header){"assay.offset",
                                       arena_print(arena, "%lld", (long long)record->offset)};
    *letter = (struct kafka_outgoing){.topic = arena_print(arena, "%s.dead", from->topic),
                                      .key = record->key,
                                      .key_length = record->key_length,
                                      .value = record->value,
                                      .length = record->length,
                                      .headers = headers,
                                      .header_count = HEADERS};
}

static size_t count_refused(const struct kafka_batch *batch)
{
    size_t count = 0;

    for (size_t i = 0; i < batch->count; i++)
        count += batch->records[i].refused != NULL;
    return count;
}

/* After a failure the next call begins with another producer. */
static enum error publish(struct bridge *bridge, struct kafka_outgoing *letters, size_t count,
                          struct problem *problem)
{
    enum error error = ERROR_NONE;

    if (!bridge->producer)
        error = kafka_producer_open(bridge->kind->settings, &bridge->producer, problem);
    if (!error)
        error = kafka_publish(bridge->producer, letters, count, problem);
    if (error) {
        kafka_producer_close(bridge->producer);
        bridge->producer = NULL;
    }
    return error;
}

static bool is_refused(enum error error, const struct problem *problem)
{
    return error && problem->reason && strcmp(problem->reason, "kafka_refused") == 0;
}

static void log_refused(struct bridge *bridge, const struct kafka_outgoing *letter)
{
    log_event(LOG_ERROR, "dead_letter_refused",
              arena_print(bridge->arena, "%s: offset %s of partition %s: %s",
                          letter->headers[1].value, letter->headers[3].value,
                          letter->headers[2].value, letter->headers[0].value));
}

/* Those that are refused go again one by one: what is too large together need not be so alone. A
 * letter that Kafka will not take even then stays where it is in its topic, and the log says where.
 */
static enum error send_letters(struct bridge *bridge, struct kafka_outgoing *letters, size_t count,
                               struct problem *problem)
{
    enum error error = publish(bridge, letters, count, problem);

    if (!is_refused(error, problem))
        return error;
    error = ERROR_NONE;
    for (size_t i = 0; !error && i < count; i++) {
        if (letters[i].offset >= 0)
            continue;
        error = publish(bridge, &letters[i], 1, problem);
        if (!is_refused(error, problem))
            continue;
        log_refused(bridge, &letters[i]);
        error = ERROR_NONE;
    }
    return error;
}

static enum error publish_dead(struct bridge *bridge, struct problem *problem)
{
    struct kafka_batch *batch = &bridge->batch;
    struct kafka_outgoing *letters =
        ARENA_ARRAY(bridge->arena, struct kafka_outgoing, batch->count + 1);
    size_t count = 0;
    enum error error;

    for (size_t i = 0; i < batch->count; i++)
        if (batch->records[i].refused && !batch->records[i].is_dead)
            address(bridge, &batch->records[i], &letters[count++]);
    if (!count)
        return ERROR_NONE;
    error = send_letters(bridge, letters, count, problem);
    for (size_t i = 0; !error && i < batch->count; i++)
        batch->records[i].is_dead = batch->records[i].refused != NULL;
    return error;
}

/* The database does not take what one of the records says. */
static bool is_of_the_data(enum error error)
{
    return error == ERROR_INVALID || error == ERROR_TOO_LARGE;
}

/* One by one the record is found. */
static void set_most(struct bridge *bridge, enum error error)
{
    size_t most = (size_t)bridge->kind->settings->batch_max;

    if (is_of_the_data(error))
        bridge->most = 1;
    else if (!error)
        bridge->most = bridge->most * 2 < most ? bridge->most * 2 : most;
}

static enum error apply(struct bridge *bridge, struct db *db, struct problem *problem)
{
    const struct kafka_bridge *kind = bridge->kind;
    struct kafka_batch *batch = &bridge->batch;
    enum error error = kind->decode(kind->context, batch, problem);
    size_t refused;

    if (error)
        return error;
    do {
        refused = count_refused(batch);
        error = publish_dead(bridge, problem);
        if (!error)
            error = kind->apply(kind->context, db, batch, problem);
        if (is_of_the_data(error) && batch->count == 1)
            kafka_refuse(&batch->records[0], arena_copy_string(batch->arena, problem->text));
    } while (error && count_refused(batch) > refused);
    set_most(bridge, error);
    for (size_t i = 0; !error && i < batch->position_count; i++)
        batch->positions[i].next = batch->positions[i].batch_next;
    if (!error)
        kafka_consumer_tell(bridge->consumer);
    return error;
}

/* How far the log is ahead, for readiness and metrics. A partition that was left alone because of
 * where it ends is looked at again; the others wait meanwhile. */
static enum error report(struct bridge *bridge, struct db *db, struct problem *problem)
{
    struct kafka_batch *batch = &bridge->batch;
    int64_t now = clock_monotonic_microseconds();
    enum error error;

    if (!batch->position_count || (bridge->reported_at && now - bridge->reported_at < report_us))
        return ERROR_NONE;
    bridge->reported_at = now;
    kafka_producer_tend(bridge->producer);
    error = kafka_consumer_look(bridge->consumer, problem);
    if (!error)
        error = kafka_offsets_note(db, batch->positions, batch->position_count,
                                   clock_unix_microseconds(), problem);
    for (size_t i = 0; i < batch->position_count; i++)
        if (batch->positions[i].next < 0 && !batch->positions[i].away)
            kafka_consumer_rewind(bridge->consumer);
    return error;
}

static enum error work(struct bridge *bridge, struct problem *problem)
{
    struct store *store = bridge->kind->store;
    struct db *db;
    enum error error = store_prepare(store, &db, problem);

    if (!error && kafka_consumer_must_seek(bridge->consumer))
        error = seek(bridge, db, problem);
    if (error)
        return error;
    db_end_of_request(store_handle(store)); /* others may have the connection meanwhile */
    gather(bridge);
    if (bridge->batch.count)
        error = apply(bridge, db, problem);
    if (!error && !kafka_consumer_must_seek(bridge->consumer))
        error = report(bridge, db, problem);
    return error;
}

static void pause_after_failure(void)
{
    const struct timespec second = {.tv_sec = 1};

    if (!main_loop_must_stop())
        nanosleep(&second, NULL);
}

/* A failure that goes on is told of twice a minute. */
static void note_outcome(struct bridge *bridge, enum error error, const struct problem *problem)
{
    int64_t now = clock_monotonic_microseconds();

    if (!error && bridge->complained_at)
        log_event(LOG_INFO, "bridge_goes_on", "what failed works again");
    if (!error)
        bridge->complained_at = 0;
    if (!error || (bridge->complained_at && now - bridge->complained_at < complaint_us))
        return;
    bridge->complained_at = now;
    log_event(LOG_ERROR, "bridge_waits", problem->text);
}

static bool run_cycle(void *context)
{
    struct bridge *bridge = context;
    struct problem problem = {0};
    enum error error = work(bridge, &problem);

    db_end_of_request(store_handle(bridge->kind->store));
    release(&bridge->batch);
    arena_reset(bridge->arena);
    note_outcome(bridge, error, &problem);
    if (error) {
        kafka_consumer_rewind(bridge->consumer);
        pause_after_failure();
    }
    return true;
}

enum error kafka_bridge_run(const struct kafka_bridge *kind, struct problem *problem)
{
    struct bridge bridge = {.kind = kind,
                            .arena = arena_create(BATCH_MEMORY_MAX),
                            .most = (size_t)kind->settings->batch_max};
    enum error error;

    if (!bridge.arena)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a batch");
    bridge.batch.arena = bridge.arena;
    error = kafka_consumer_open(kind->settings, kind->topics, &bridge.consumer, problem);
    if (!error) {
        main_loop_run(1, run_cycle, &bridge);
        kafka_producer_close(bridge.producer);
        kafka_consumer_close(bridge.consumer);
    }
    arena_destroy(bridge.arena);
    return error;
}

static int forget(const struct kafka_bridge *bridge, const char *program, const char *topic)
{
    struct problem problem = {0};
    int64_t partitions;
    struct db *db;
    enum error error = store_prepare(bridge->store, &db, &problem);

    if (!error)
        error = kafka_offsets_forget(db, topic, &partitions, &problem);
    if (error)
        fprintf(stderr, "%s: %s\n", program, problem.text);
    else
        printf("%lld partitions of %s are forgotten\n", (long long)partitions, topic);
    return error ? EXIT_DATABASE : EXIT_DONE;
}

int kafka_bridge_program(const struct kafka_bridge *bridge, const char *program,
                         const char *forgotten)
{
    struct problem problem = {0};

    if (forgotten)
        return forget(bridge, program, forgotten);
    if (!bridge->settings->brokers)
        fprintf(stderr, "%s: KAFKA_BOOTSTRAP_SERVERS is not set\n", program);
    else if (!kafka_bridge_run(bridge, &problem))
        return EXIT_DONE;
    else
        fprintf(stderr, "%s: %s\n", program, problem.text);
    return EXIT_SETTINGS;
}

int kafka_bridge_main(int argc, char **argv, const char *help, size_t memory,
                      kafka_bridge_start *start)
{
    const char *forgotten = argc == 3 && strcmp(argv[1], "--forget") == 0 ? argv[2] : NULL;
    struct arena *arena;
    int status;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (argc != 1 && !forgotten) {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    arena = arena_create(memory);
    if (!arena)
        return EXIT_DATABASE;
    status = start(arena, forgotten);
    arena_destroy(arena);
    return status;
}
