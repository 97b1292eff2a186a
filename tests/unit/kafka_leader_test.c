/*
 * A partition that no broker leads waits, and the others are read. The brokers are those that
 * librdkafka brings for tests.
 */
#include "kafka/consumer.h"
#include "kafka/librdkafka.h"
#include "kafka/producer.h"
#include "test.h"

#include "base/clock.h"
#include "base/library.h"
#include "base/string_list.h"

#include <librdkafka/rdkafka_mock.h>
#include <string.h>

#define CHECK_OK(call) CHECK((call) == ERROR_NONE)

enum { PARTITIONS = 2, LED = 0, LOST = 1, DEADLINE_SECONDS = 60 };

/* rdkafka_mock.h, from the same library. */
static struct {
    __typeof__(rd_kafka_mock_cluster_new) *cluster_new;
    __typeof__(rd_kafka_mock_cluster_destroy) *cluster_destroy;
    __typeof__(rd_kafka_mock_cluster_bootstraps) *cluster_bootstraps;
    __typeof__(rd_kafka_mock_topic_create) *topic_create;
    __typeof__(rd_kafka_mock_partition_set_leader) *partition_set_leader;
} mock;

struct bench {
    struct arena *arena;
    struct problem problem;
    rd_kafka_t *owner;
    rd_kafka_mock_cluster_t *cluster;
    struct kafka_settings settings;
    struct kafka_consumer *consumer;
    int64_t first[PARTITIONS];
};

static void load(void)
{
    static const char *const names[] = {
        "rd_kafka_mock_cluster_new", "rd_kafka_mock_cluster_destroy",
        "rd_kafka_mock_cluster_bootstraps", "rd_kafka_mock_topic_create",
        "rd_kafka_mock_partition_set_leader"};

    CHECK(librdkafka_load());
    CHECK(library_load("librdkafka.so.1", names, sizeof names / sizeof *names, &mock));
}

static void bench_make(struct bench *bench)
{
    static const char *topics[] = {"events"};
    const struct string_list list = {1, topics};
    char text[512];

    *bench = (struct bench){.arena = arena_create(16 * 1024 * 1024)};
    load();
    bench->owner = rdkafka.new(RD_KAFKA_PRODUCER, rdkafka.conf_new(), text, sizeof text);
    bench->cluster = mock.cluster_new(bench->owner, 2);
    CHECK(mock.topic_create(bench->cluster, "events", PARTITIONS, 1) == 0);
    bench->settings = (struct kafka_settings){.brokers = mock.cluster_bootstraps(bench->cluster),
                                              .group = "readers",
                                              .publish_seconds = DEADLINE_SECONDS};
    CHECK_OK(kafka_consumer_open(&bench->settings, &list, &bench->consumer, &bench->problem));
}

static void bench_end(struct bench *bench)
{
    kafka_consumer_close(bench->consumer);
    mock.cluster_destroy(bench->cluster);
    rdkafka.destroy(bench->owner);
    arena_destroy(bench->arena);
}

/* Records whose keys fall into both partitions. */
static void publish(struct bench *bench, int count)
{
    struct kafka_outgoing *records =
        ARENA_ARRAY(bench->arena, struct kafka_outgoing, (size_t)count);
    struct kafka_producer *producer;

    for (int i = 0; i < count; i++) {
        const char *key = arena_print(bench->arena, "key %d", i);

        records[i] = (struct kafka_outgoing){
            .topic = "events", .key = key, .key_length = strlen(key), .value = "{}", .length = 2};
    }
    CHECK_OK(kafka_producer_open(&bench->settings, &producer, &bench->problem));
    CHECK_OK(kafka_publish(producer, records, (size_t)count, &bench->problem));
    kafka_producer_close(producer);
}

static bool in_time(int64_t began)
{
    return clock_monotonic_microseconds() - began < (int64_t)DEADLINE_SECONDS * 1000000;
}

static struct kafka_position *position(struct bench *bench, int partition)
{
    size_t count;
    struct kafka_position *positions = kafka_consumer_positions(bench->consumer, &count);

    for (size_t i = 0; i < count; i++)
        if (positions[i].partition == partition)
            return &positions[i];
    return NULL;
}

static void wait_for_partitions(struct bench *bench)
{
    int64_t began = clock_monotonic_microseconds();
    struct kafka_record record;

    while (!position(bench, LOST) && in_time(began))
        CHECK(!kafka_consumer_poll(bench->consumer, 100, &record));
    CHECK(position(bench, LED) && position(bench, LOST));
}

/* Asks until the partition is led, or not, as wanted: brokers tell of it a moment later. */
static void seek_until(struct bench *bench, bool away)
{
    int64_t began = clock_monotonic_microseconds();
    bool known;

    do { /* it may lose its leader in between */
        kafka_consumer_rewind(bench->consumer);
        known = !kafka_consumer_bounds(bench->consumer, bench->first, &bench->problem) &&
                position(bench, LOST)->away == away;
    } while (!known && in_time(began));
    CHECK(known);
    for (int i = 0; i < PARTITIONS; i++) {
        struct kafka_position *one = position(bench, i);

        one->next = one->batch_next = one->away ? -1 : 0;
    }
    CHECK_OK(kafka_consumer_seek(bench->consumer, &bench->problem));
}

/* Looks at the ends of as many partitions as there are in a row; whether that ended in time. */
static bool look_at_all(struct bench *bench)
{
    int64_t began = clock_monotonic_microseconds();
    int good = 0;

    while (good < PARTITIONS && in_time(began))
        good = kafka_consumer_look(bench->consumer, &bench->problem) ? 0 : good + 1;
    return good == PARTITIONS;
}

/* Looks until the consumer wants to begin anew. */
static bool look_until_led(struct bench *bench)
{
    int64_t began = clock_monotonic_microseconds();

    while (!kafka_consumer_must_seek(bench->consumer) && in_time(began))
        (void)!kafka_consumer_look(bench->consumer, &bench->problem);
    return kafka_consumer_must_seek(bench->consumer);
}

/* Records of each partition until `led` and `lost` were read. */
static void read_until(struct bench *bench, int64_t led, int64_t lost)
{
    int64_t began = clock_monotonic_microseconds(), counts[PARTITIONS] = {0};
    struct kafka_record record;

    while ((counts[LED] < led || counts[LOST] < lost) && in_time(began)) {
        if (!kafka_consumer_poll(bench->consumer, 100, &record))
            continue;
        counts[record.position->partition]++;
        kafka_consumer_release(&record);
    }
    CHECK_INT(counts[LED], led);
    CHECK_INT(counts[LOST], lost);
}

TEST(a_partition_without_leader_stops_no_other)
{
    struct bench bench;
    int64_t led, lost;

    bench_make(&bench);
    publish(&bench, 40);
    wait_for_partitions(&bench);
    seek_until(&bench, false);
    led = position(&bench, LED)->end;
    lost = position(&bench, LOST)->end;
    CHECK(led > 0 && lost > 0 && led + lost == 40);
    CHECK(mock.partition_set_leader(bench.cluster, "events", LOST, -1) == 0);
    seek_until(&bench, true);
    read_until(&bench, led, 0);
    CHECK(look_at_all(&bench));
    CHECK(!kafka_consumer_must_seek(bench.consumer)); /* the other is read on */
    CHECK(mock.partition_set_leader(bench.cluster, "events", LOST, 1) == 0);
    CHECK(look_until_led(&bench));
    seek_until(&bench, false);
    read_until(&bench, led, lost);
    bench_end(&bench);
}

TEST_MAIN(CASE(a_partition_without_leader_stops_no_other))
