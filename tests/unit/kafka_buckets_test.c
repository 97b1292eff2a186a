/*
 * Records of a bucket go to one partition, bucket mod partitions, from the first one on; others go
 * where their keys say. The brokers are those that librdkafka brings for tests.
 */
#include "experiments/intake/kafka_intake.h"
#include "experiments/live/bucket_store.h"
#include "kafka/librdkafka.h"
#include "test.h"

#include "base/library.h"

#include <librdkafka/rdkafka_mock.h>
#include <stdlib.h>
#include <unistd.h>

#define CHECK_OK(call) CHECK((call) == ERROR_NONE)

enum { PARTITIONS = 6, BUCKETS = 16, RECORDS = 40, DEADLINE_SECONDS = 60 };

/* rdkafka_mock.h, from the same library. */
static struct {
    __typeof__(rd_kafka_mock_cluster_new) *cluster_new;
    __typeof__(rd_kafka_mock_cluster_destroy) *cluster_destroy;
    __typeof__(rd_kafka_mock_cluster_bootstraps) *cluster_bootstraps;
    __typeof__(rd_kafka_mock_topic_create) *topic_create;
} mock;

struct bench {
    struct arena *arena;
    struct problem problem;
    rd_kafka_t *owner;
    rd_kafka_mock_cluster_t *cluster;
    struct experiments_settings settings;
    struct kafka_producer *producer; /* knows nothing of the topics yet */
    char file[64];                   /* of properties */
};

static void load(void)
{
    static const char *const names[] = {
        "rd_kafka_mock_cluster_new", "rd_kafka_mock_cluster_destroy",
        "rd_kafka_mock_cluster_bootstraps", "rd_kafka_mock_topic_create"};

    CHECK(librdkafka_load());
    CHECK(library_load("librdkafka.so.1", names, sizeof names / sizeof *names, &mock));
}

static void write_properties(struct bench *bench, const char *properties)
{
    int file;

    (void)!snprintf(bench->file, sizeof bench->file, "/tmp/assay-kafka-XXXXXX");
    file = mkstemp(bench->file);
    CHECK(file >= 0 && write(file, properties, strlen(properties)) == (ssize_t)strlen(properties));
    close(file);
}

static void bench_make(struct bench *bench, const char *properties)
{
    static const char *const topics[] = {"t.exposures", "t.conversions"};
    char text[512];

    *bench = (struct bench){.arena = arena_create(64 * 1024 * 1024)};
    load();
    write_properties(bench, properties);
    bench->owner = rdkafka.new(RD_KAFKA_PRODUCER, rdkafka.conf_new(), text, sizeof text);
    bench->cluster = mock.cluster_new(bench->owner, 1);
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        CHECK(mock.topic_create(bench->cluster, topics[i], PARTITIONS, 1) == 0);
    bench->settings.kafka_topic_prefix = "t.";
    bench->settings.kafka =
        (struct kafka_settings){.brokers = mock.cluster_bootstraps(bench->cluster),
                                .properties_file = bench->file,
                                .publish_seconds = DEADLINE_SECONDS};
    CHECK_OK(kafka_producer_open(&bench->settings.kafka, &bench->producer, &bench->problem));
}

static void bench_end(struct bench *bench)
{
    kafka_producer_close(bench->producer);
    mock.cluster_destroy(bench->cluster);
    rdkafka.destroy(bench->owner);
    unlink(bench->file);
    arena_destroy(bench->arena);
}

static const char *user(struct bench *bench, int number)
{
    return arena_print(bench->arena, number % 2 ? "user-%d" : "\xe0\xb8\x9c\xe0\xb8\xb9-%d",
                       number);
}

typedef __typeof__(rd_kafka_msg_partitioner_murmur2) partitioner;

/* It looks at the key alone. */
static int32_t by_key(const char *key, partitioner *function)
{
    return function(NULL, key, strlen(key), PARTITIONS, NULL, NULL);
}

/* Half of them with a bucket, all sent before the producer has heard of the topic. */
static struct kafka_outgoing *publish(struct bench *bench)
{
    struct kafka_outgoing *records = ARENA_ARRAY(bench->arena, struct kafka_outgoing, RECORDS);

    for (int i = 0; i < RECORDS; i++) {
        const char *key = user(bench, i);

        records[i] = (struct kafka_outgoing){.topic = "t.exposures",
                                             .key = key,
                                             .key_length = strlen(key),
                                             .value = "{}",
                                             .length = 2};
        if (i % 2)
            records[i].bucket = GIVEN_INTEGER(i * INT64_C(1000000007));
    }
    CHECK_OK(kafka_publish(bench->producer, records, RECORDS, &bench->problem));
    return records;
}

static void check_partitions(const struct kafka_outgoing *records, partitioner *function)
{
    for (int i = 0; i < RECORDS; i++)
        CHECK_INT(records[i].partition, records[i].bucket.given
                                            ? records[i].bucket.value % PARTITIONS
                                            : by_key(records[i].key, function));
}

TEST(a_bucket_says_the_partition_and_else_the_key)
{
    struct bench bench;

    bench_make(&bench, "");
    check_partitions(publish(&bench), rdkafka.msg_partitioner_consistent);
    bench_end(&bench);
}

TEST(the_file_of_properties_says_how_keys_choose)
{
    struct bench bench;

    bench_make(&bench, "partitioner=murmur2_random\n");
    check_partitions(publish(&bench), rdkafka.msg_partitioner_murmur2);
    bench_end(&bench);
}

/* The partition that one record of the intake came to. */
static int64_t partition_of(struct bench *bench, const struct kafka_intake_target *target,
                            void *record)
{
    const struct object_list records = {1, record};
    struct object_list published = {0};

    CHECK_OK(kafka_intake_publish(bench->producer, bench->arena, &bench->settings, target, &records,
                                  1, &published, &bench->problem));
    CHECK_INT(published.count, 1);
    return published.count ? ((const struct kafka_published *)published.items)->partition : -1;
}

/* Both kinds, several times: a user stays in a partition. */
static void check_user(struct bench *bench, const char *id, int64_t buckets, int64_t expected)
{
    const struct kafka_intake_target exposed = {"e", buckets, LIVE_EXPOSURES};
    const struct kafka_intake_target converted = {"e", buckets, LIVE_CONVERSIONS};
    struct live_exposure exposure = {.user_id = id};
    struct live_conversion conversion = {.user_id = id, .metric = "visit"};

    CHECK_INT(partition_of(bench, &exposed, &exposure), expected);
    CHECK_INT(partition_of(bench, &converted, &conversion), expected);
    CHECK_INT(partition_of(bench, &exposed, &exposure), expected);
}

TEST(users_of_a_divided_experiment_go_by_bucket_and_of_others_by_key)
{
    struct bench bench;

    bench_make(&bench, "");
    for (int i = 0; i < RECORDS / 4; i++) {
        const char *id = user(&bench, i);
        int64_t own = by_key(id, rdkafka.msg_partitioner_consistent);

        check_user(&bench, id, BUCKETS, live_bucket_of(id, BUCKETS) % PARTITIONS);
        check_user(&bench, id, 1, own);
        check_user(&bench, id, 0, own);
    }
    bench_end(&bench);
}

TEST_MAIN(CASE(a_bucket_says_the_partition_and_else_the_key),
          CASE(the_file_of_properties_says_how_keys_choose),
          CASE(users_of_a_divided_experiment_go_by_bucket_and_of_others_by_key))
