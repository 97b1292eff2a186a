/* A consumer in a group whose positions are the caller's. */
#include "kafka/consumer.h"

#include "base/clock.h"
#include "base/log.h"
#include "kafka/client.h"

#include <stdlib.h>
#include <string.h>

enum { BOUNDS_MS = 3000, METADATA_MS = 5000 };

struct kafka_consumer {
    rd_kafka_t *client;
    const struct kafka_settings *settings;
    rd_kafka_topic_partition_list_t *given; /* by the group; NULL = nothing */
    struct kafka_position *positions;       /* in the order of `given` */
    size_t count;
    bool must_seek;
    size_t asked; /* the partition that was last asked for */
};

static void forget(struct kafka_consumer *consumer)
{
    if (consumer->given)
        rdkafka.topic_partition_list_destroy(consumer->given);
    free(consumer->positions);
    consumer->given = NULL;
    consumer->positions = NULL;
    consumer->count = 0;
}

static void log_partitions(const char *event, int count)
{
    struct log_line line;

    log_begin(&line, LOG_INFO, event);
    log_integer(&line, "partitions", count);
    log_write(&line);
}

static void keep(struct kafka_consumer *consumer, const rd_kafka_topic_partition_list_t *partitions)
{
    consumer->given = rdkafka.topic_partition_list_copy(partitions);
    consumer->positions = calloc((size_t)partitions->cnt + 1, sizeof *consumer->positions);
    consumer->count = consumer->positions ? (size_t)partitions->cnt : 0;
    for (size_t i = 0; i < consumer->count; i++)
        consumer->positions[i] =
            (struct kafka_position){.topic = consumer->given->elems[i].topic,
                                    .partition = consumer->given->elems[i].partition};
}

/* The group gives partitions or takes them. Those given are read from kafka_consumer_seek() on;
 * with those taken the positions go that the records in hand point to. */
static void rebalance(rd_kafka_t *client, rd_kafka_resp_err_t code,
                      rd_kafka_topic_partition_list_t *partitions, void *context)
{
    struct kafka_consumer *consumer = context;
    bool given = code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS;

    log_partitions(given ? "partitions_given" : "partitions_taken", partitions->cnt);
    forget(consumer);
    if (given)
        keep(consumer, partitions);
    else
        rdkafka.assign(client, NULL);
    consumer->must_seek = true;
}

/* What a pattern never finds, or dead letters would be read and make dead letters. NULL without a
 * pattern: a topic may be named. */
static const char *never_found(const struct string_list *topics)
{
    for (size_t i = 0; i < topics->count; i++)
        if (*topics->items[i] == '^')
            return "^.*\\.dead$";
    return NULL;
}

enum error kafka_consumer_open(const struct kafka_settings *settings,
                               const struct string_list *topics, struct kafka_consumer **consumer,
                               struct problem *problem)
{
    const struct kafka_option options[] = {
        {"group.id", settings->group, .fixed = true},
        {"partition.assignment.strategy", "range,roundrobin", .fixed = true},
        {"enable.auto.commit", "true"},
        {"auto.commit.interval.ms", "1000"},
        {"enable.auto.offset.store", "false", .fixed = true},
        {"auto.offset.reset", "error", .fixed = true},
        {"isolation.level", "read_committed", .fixed = true},
        {"allow.auto.create.topics", "false"},
        {"topic.metadata.refresh.interval.ms", "10000"},
        {"queued.max.messages.kbytes", "16384"},
        {"session.timeout.ms", "10000"},
        {"fetch.wait.max.ms", "100"},
        {"topic.blacklist", never_found(topics), .fixed = true},
        {"client.id", "assay"}};
    struct kafka_consumer *made = calloc(1, sizeof *made);
    rd_kafka_topic_partition_list_t *list;
    rd_kafka_conf_t *configuration;
    enum error error;

    *consumer = NULL;
    if (!made)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a consumer");
    made->settings = settings;
    error = kafka_configure(settings, options, sizeof options / sizeof *options, &configuration,
                            problem);
    if (!error) {
        rdkafka.conf_set_rebalance_cb(configuration, rebalance);
        rdkafka.conf_set_opaque(configuration, made);
        error = kafka_open(RD_KAFKA_CONSUMER, configuration, &made->client, problem);
    }
    if (error) {
        free(made);
        return error;
    }
    rdkafka.poll_set_consumer(made->client);
    list = rdkafka.topic_partition_list_new((int)topics->count);
    for (size_t i = 0; i < topics->count; i++)
        rdkafka.topic_partition_list_add(list, topics->items[i], RD_KAFKA_PARTITION_UA);
    if (rdkafka.subscribe(made->client, list))
        error = problem_set(problem, ERROR_INVALID, "kafka_topics",
                            "Kafka: a name of a topic is wrong");
    rdkafka.topic_partition_list_destroy(list);
    *consumer = made;
    if (error) {
        kafka_consumer_close(made);
        *consumer = NULL;
    }
    return error;
}

void kafka_consumer_close(struct kafka_consumer *consumer)
{
    if (!consumer)
        return;
    rdkafka.consumer_close(consumer->client);
    rdkafka.destroy(consumer->client);
    forget(consumer);
    free(consumer);
}

struct kafka_position *kafka_consumer_positions(struct kafka_consumer *consumer, size_t *count)
{
    *count = consumer->count;
    return consumer->positions;
}

bool kafka_consumer_must_seek(const struct kafka_consumer *consumer)
{
    return consumer->must_seek;
}

void kafka_consumer_rewind(struct kafka_consumer *consumer)
{
    consumer->must_seek = consumer->count > 0;
}

static enum error ask_bounds(struct kafka_consumer *consumer, struct kafka_position *position,
                             int64_t *first, struct problem *problem)
{
    rd_kafka_resp_err_t code = rdkafka.query_watermark_offsets(
        consumer->client, position->topic, position->partition, first, &position->end, BOUNDS_MS);

    if (code)
        return problem_set(problem, ERROR_UNAVAILABLE, "kafka_unavailable",
                           "Kafka does not say where %s begins: %s", position->topic,
                           rdkafka.err2str(code));
    position->seen_at = clock_unix_microseconds();
    return ERROR_NONE;
}

static bool has_leader(const rd_kafka_metadata_t *metadata, const struct kafka_position *position)
{
    for (int i = 0; i < metadata->topic_cnt; i++) {
        const rd_kafka_metadata_topic_t *topic = &metadata->topics[i];

        if (strcmp(topic->topic, position->topic) != 0)
            continue;
        for (int j = 0; j < topic->partition_cnt; j++)
            if (topic->partitions[j].id == position->partition)
                return topic->partitions[j].leader >= 0;
    }
    return true; /* not known: it is asked */
}

static void log_away(const struct kafka_position *position)
{
    struct log_line line;

    log_begin(&line, LOG_ERROR,
              position->away ? "partition_without_leader" : "partition_led_again");
    log_integer(&line, "partition", position->partition);
    log_text(&line, "topic", position->topic);
    log_write(&line);
}

/* A question about a partition that nobody leads would wait for its whole time, and fail. */
static enum error find_leaders(struct kafka_consumer *consumer, struct problem *problem)
{
    const struct rd_kafka_metadata *metadata;
    rd_kafka_resp_err_t code = rdkafka.metadata(consumer->client, 1, NULL, &metadata, METADATA_MS);

    if (code)
        return problem_set(problem, ERROR_UNAVAILABLE, "kafka_unavailable",
                           "Kafka does not say who leads its partitions: %s",
                           rdkafka.err2str(code));
    for (size_t i = 0; i < consumer->count; i++) {
        struct kafka_position *position = &consumer->positions[i];
        bool away = !has_leader(metadata, position);

        if (away != position->away) {
            position->away = away;
            consumer->must_seek |= !away;
            log_away(position);
        }
    }
    rdkafka.metadata_destroy(metadata);
    return ERROR_NONE;
}

enum error kafka_consumer_bounds(struct kafka_consumer *consumer, int64_t *first,
                                 struct problem *problem)
{
    enum error error = ERROR_NONE;

    if (!consumer->count)
        return ERROR_NONE;
    rdkafka.assign(consumer->client, NULL); /* answers would wait behind those with records */
    error = find_leaders(consumer, problem);
    for (size_t i = 0; !error && i < consumer->count; i++)
        if (!consumer->positions[i].away)
            error = ask_bounds(consumer, &consumer->positions[i], &first[i], problem);
    return error;
}

static bool is_any_away(const struct kafka_consumer *consumer)
{
    for (size_t i = 0; i < consumer->count; i++)
        if (consumer->positions[i].away)
            return true;
    return false;
}

enum error kafka_consumer_look(struct kafka_consumer *consumer, struct problem *problem)
{
    int64_t low, high;

    for (size_t i = 0; i < consumer->count; i++)
        if (!rdkafka.get_watermark_offsets(consumer->client, consumer->positions[i].topic,
                                           consumer->positions[i].partition, &low, &high) &&
            high > consumer->positions[i].end)
            consumer->positions[i].end = high;
    if (!consumer->count)
        return ERROR_NONE;
    if (is_any_away(consumer)) {
        enum error error = find_leaders(consumer, problem);

        if (error)
            return error;
    }
    consumer->asked = (consumer->asked + 1) % consumer->count;
    if (consumer->positions[consumer->asked].away)
        return ERROR_NONE;
    return ask_bounds(consumer, &consumer->positions[consumer->asked], &low, problem);
}

enum error kafka_consumer_seek(struct kafka_consumer *consumer, struct problem *problem)
{
    rd_kafka_topic_partition_list_t *list =
        rdkafka.topic_partition_list_new((int)consumer->count + 1);
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;

    for (size_t i = 0; i < consumer->count; i++)
        if (consumer->positions[i].next >= 0 && !consumer->positions[i].away)
            rdkafka
                .topic_partition_list_add(list, consumer->positions[i].topic,
                                          consumer->positions[i].partition)
                ->offset = consumer->positions[i].next;
    if (consumer->count)
        code = rdkafka.assign(consumer->client, list);
    rdkafka.topic_partition_list_destroy(list);
    consumer->must_seek = code != RD_KAFKA_RESP_ERR_NO_ERROR;
    return code ? problem_set(problem, ERROR_UNAVAILABLE, "kafka_unavailable", "Kafka: %s",
                              rdkafka.err2str(code))
                : ERROR_NONE;
}

static struct kafka_position *position_of(struct kafka_consumer *consumer,
                                          const rd_kafka_message_t *message)
{
    const char *topic = rdkafka.topic_name(message->rkt);

    for (size_t i = 0; i < consumer->count; i++)
        if (consumer->positions[i].partition == message->partition &&
            strcmp(consumer->positions[i].topic, topic) == 0)
            return &consumer->positions[i];
    return NULL;
}

/* Errors that come in place of records. Those of the connection pass by themselves. */
static void note_error(struct kafka_consumer *consumer, const rd_kafka_message_t *message)
{
    struct log_line line;

    if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET)
        consumer->must_seek = consumer->count > 0; /* finds out what is there */
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF ||
        message->err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
        return;
    log_begin(&line, LOG_WARNING, "kafka_error");
    log_text(&line, "detail", rdkafka.err2str(message->err));
    log_write(&line);
}

bool kafka_consumer_poll(struct kafka_consumer *consumer, int milliseconds,
                         struct kafka_record *record)
{
    rd_kafka_message_t *message = rdkafka.consumer_poll(consumer->client, milliseconds);
    struct kafka_position *position = NULL;

    if (!message)
        return false;
    if (message->err)
        note_error(consumer, message);
    else if (!consumer->must_seek)
        position = position_of(consumer, message);
    if (!position || message->offset < position->batch_next) {
        rdkafka.message_destroy(message);
        return false;
    }
    position->batch_next = message->offset + 1;
    *record = (struct kafka_record){.position = position,
                                    .offset = message->offset,
                                    .key = message->key,
                                    .key_length = message->key_len,
                                    .value = message->payload,
                                    .length = message->len,
                                    .message = message};
    return true;
}

void kafka_consumer_release(struct kafka_record *record)
{
    rdkafka.message_destroy(record->message);
    record->message = NULL;
}

void kafka_consumer_tell(struct kafka_consumer *consumer)
{
    rd_kafka_topic_partition_list_t *list =
        rdkafka.topic_partition_list_new((int)consumer->count + 1);

    for (size_t i = 0; i < consumer->count; i++)
        if (consumer->positions[i].next >= 0 && !consumer->positions[i].away)
            rdkafka
                .topic_partition_list_add(list, consumer->positions[i].topic,
                                          consumer->positions[i].partition)
                ->offset = consumer->positions[i].next;
    (void)!rdkafka.offsets_store(consumer->client, list);
    rdkafka.topic_partition_list_destroy(list);
}
