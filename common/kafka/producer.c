/* Publishes records and waits for the replicas. */
#include "kafka/producer.h"

#include "base/clock.h"
#include "kafka/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POLL_MS = 100, VALUES_MAX = 32, PARTITIONER_NAME_MAX = 64 };

typedef __typeof__(rd_kafka_msg_partitioner_consistent_random) partitioner;

struct kafka_producer {
    rd_kafka_t *client;
    int64_t wait_us; /* microseconds */
    size_t waiting;  /* records whose report has not come */
    rd_kafka_resp_err_t worst, refused;
    partitioner *by_key;
};

/* The values of the property `partitioner`. */
static const struct {
    const char *name;
    partitioner *const *function; /* known after loading */
} partitioners[] = {
    {"consistent_random", &rdkafka.msg_partitioner_consistent_random},
    {"consistent", &rdkafka.msg_partitioner_consistent},
    {"murmur2_random", &rdkafka.msg_partitioner_murmur2_random},
    {"murmur2", &rdkafka.msg_partitioner_murmur2},
    {"fnv1a_random", &rdkafka.msg_partitioner_fnv1a_random},
    {"fnv1a", &rdkafka.msg_partitioner_fnv1a},
    {"random", &rdkafka.msg_partitioner_random},
};

/* Whether a later attempt would fail as well. A topic that may not be written, or has a wrong name,
 * waits for somebody to see to it. */
static bool is_for_good(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE ||
           code == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE;
}

static void note_failure(struct kafka_producer *producer, rd_kafka_resp_err_t code)
{
    if (is_for_good(code))
        producer->refused = code;
    else
        producer->worst = code;
}

/* The report on one record. */
static void record_reported(rd_kafka_t *client, const rd_kafka_message_t *message, void *context)
{
    struct kafka_producer *producer = context;
    struct kafka_outgoing *record = message->_private;

    (void)client;
    producer->waiting--;
    if (message->err) {
        note_failure(producer, message->err);
        return;
    }
    record->partition = message->partition;
    record->offset = message->offset;
}

/* librdkafka asks when it knows how many partitions the topic has, also from a thread of its own;
 * until then the record waits, so that no record of a bucket goes elsewhere meanwhile. */
static int32_t choose_partition(const rd_kafka_topic_t *topic, const void *key, size_t length,
                                int32_t partitions, void *context, void *message)
{
    const struct kafka_producer *producer = context;
    const struct kafka_outgoing *record = message;

    if (record->bucket.given)
        return (int32_t)(record->bucket.value % partitions);
    return producer->by_key(topic, key, length, partitions, context, message);
}

/* Records without a bucket go where the property `partitioner` says, as if we chose none. */
static void set_partitioner(struct kafka_producer *producer, rd_kafka_conf_t *configuration)
{
    /* It is there: "acks" is a property of topics. */
    rd_kafka_topic_conf_t *topics = rdkafka.conf_get_default_topic_conf(configuration);
    char name[PARTITIONER_NAME_MAX] = "";
    size_t size = sizeof name;

    producer->by_key = *partitioners[0].function;
    if (rdkafka.topic_conf_get(topics, "partitioner", name, &size) == RD_KAFKA_CONF_OK)
        for (size_t i = 0; i < sizeof partitioners / sizeof *partitioners; i++)
            if (strcmp(name, partitioners[i].name) == 0)
                producer->by_key = *partitioners[i].function;
    rdkafka.topic_conf_set_opaque(topics, producer);
    rdkafka.topic_conf_set_partitioner_cb(topics, choose_partition);
}

enum error kafka_producer_open(const struct kafka_settings *settings,
                               struct kafka_producer **producer, struct problem *problem)
{
    char timeout[24];
    const struct kafka_option options[] = {{"enable.idempotence", "true", .fixed = true},
                                           {"acks", "all", .fixed = true},
                                           {"linger.ms", "2"},
                                           {"compression.type", "lz4"},
                                           {"message.timeout.ms", timeout, .fixed = true},
                                           {"client.id", "assay"}};
    struct kafka_producer *made = calloc(1, sizeof *made);
    rd_kafka_conf_t *configuration;
    enum error error;

    *producer = NULL;
    if (!made)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a producer");
    made->wait_us = (int64_t)(settings->publish_seconds * 1e6);
    snprintf(timeout, sizeof timeout, "%lld", (long long)(made->wait_us / 1000));
    error = kafka_configure(settings, options, sizeof options / sizeof *options, &configuration,
                            problem);
    if (!error) {
        rdkafka.conf_set_dr_msg_cb(configuration, record_reported);
        rdkafka.conf_set_opaque(configuration, made);
        set_partitioner(made, configuration);
        error = kafka_open(RD_KAFKA_PRODUCER, configuration, &made->client, problem);
    }
    if (error) {
        free(made);
        return error;
    }
    *producer = made;
    return ERROR_NONE;
}

void kafka_producer_tend(struct kafka_producer *producer)
{
    if (producer)
        rdkafka.poll(producer->client, 0);
}

/* Drops what the broker has not taken. */
static void drop(struct kafka_producer *producer)
{
    rdkafka.purge(producer->client, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    while (rdkafka.outq_len(producer->client) > 0)
        rdkafka.poll(producer->client, POLL_MS);
}

void kafka_producer_close(struct kafka_producer *producer)
{
    if (!producer)
        return;
    drop(producer);
    rdkafka.destroy(producer->client);
    free(producer);
}

static size_t add_value(rd_kafka_vu_t *values, size_t count, rd_kafka_vu_t value)
{
    values[count] = value;
    return count + 1;
}

static rd_kafka_resp_err_t send_one(struct kafka_producer *producer, struct kafka_outgoing *record)
{
    rd_kafka_vu_t values[VALUES_MAX];
    size_t count = 0;
    rd_kafka_error_t *error;
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;

    count = add_value(values, count,
                      (rd_kafka_vu_t){.vtype = RD_KAFKA_VTYPE_TOPIC, .u.cstr = record->topic});
    count = add_value(values, count,
                      (rd_kafka_vu_t){.vtype = RD_KAFKA_VTYPE_VALUE,
                                      .u.mem = {.ptr = (void *)(uintptr_t)record->value,
                                                .size = record->length}});
    count = add_value(values, count,
                      (rd_kafka_vu_t){.vtype = RD_KAFKA_VTYPE_KEY,
                                      .u.mem = {.ptr = (void *)(uintptr_t)record->key,
                                                .size = record->key_length}});
    count =
        add_value(values, count, (rd_kafka_vu_t){.vtype = RD_KAFKA_VTYPE_OPAQUE, .u.ptr = record});
    count =
        add_value(values, count,
                  (rd_kafka_vu_t){.vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u.i = RD_KAFKA_MSG_F_COPY});
    for (size_t i = 0; i < record->header_count && count < VALUES_MAX; i++)
        count = add_value(values, count,
                          (rd_kafka_vu_t){.vtype = RD_KAFKA_VTYPE_HEADER,
                                          .u.header = {.name = record->headers[i].name,
                                                       .val = record->headers[i].value,
                                                       .size = -1}});
    error = rdkafka.produceva(producer->client, values, count);
    if (error) {
        code = rdkafka.error_code(error);
        rdkafka.error_destroy(error);
    }
    return code;
}

/* Sends all that are not refused; a queue that is full drains meanwhile. */
static void send_all(struct kafka_producer *producer, struct kafka_outgoing *records, size_t count,
                     int64_t end)
{
    for (size_t i = 0; i < count && !producer->worst; i++) {
        rd_kafka_resp_err_t code = send_one(producer, &records[i]);

        while (code == RD_KAFKA_RESP_ERR__QUEUE_FULL && clock_monotonic_microseconds() < end) {
            rdkafka.poll(producer->client, POLL_MS);
            code = send_one(producer, &records[i]);
        }
        if (code)
            note_failure(producer, code);
        else
            producer->waiting++;
    }
}

enum error kafka_publish(struct kafka_producer *producer, struct kafka_outgoing *records,
                         size_t count, struct problem *problem)
{
    int64_t end = clock_monotonic_microseconds() + producer->wait_us;

    for (size_t i = 0; i < count; i++)
        records[i].offset = -1;
    producer->waiting = 0;
    producer->worst = producer->refused = RD_KAFKA_RESP_ERR_NO_ERROR;
    send_all(producer, records, count, end);
    while (producer->waiting && clock_monotonic_microseconds() < end)
        rdkafka.poll(producer->client, POLL_MS);
    if (producer->waiting)
        drop(producer);
    if (producer->worst)
        return problem_set(problem, ERROR_UNAVAILABLE, "kafka_unavailable",
                           "Kafka has not taken the record: %s", rdkafka.err2str(producer->worst));
    if (producer->refused)
        return problem_set(problem, ERROR_INVALID, "kafka_refused", "Kafka refuses the record: %s",
                           rdkafka.err2str(producer->refused));
    return ERROR_NONE;
}
