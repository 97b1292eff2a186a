/* The producer of intake over HTTP, and its breaker. */
#include "kafka/publisher.h"

#include "base/list.h"

#include <stdio.h>

enum { PAUSE_LEAST_MS = 1000, LINE_MAX = 300 };

#define OWNER struct kafka_published
static const struct field published_fields[] = {
    STRING(OWNER, topic),
    INTEGER(OWNER, partition),
    INTEGER(OWNER, next_offset, .help = "The records lie before it."),
};
#undef OWNER
SCHEMA(kafka_published_schema, struct kafka_published, "PublishedRecords", published_fields);

/* As long as one wait: a worker that finds out costs the others no more than that. */
static struct breaker_rule rule_of(const struct kafka_publisher *publisher)
{
    uint32_t wait_ms = (uint32_t)(publisher->settings->publish_seconds * 1000);

    return (struct breaker_rule){.failures = 1,
                                 .open_ms = wait_ms > PAUSE_LEAST_MS ? wait_ms : PAUSE_LEAST_MS,
                                 .probe_ms = 2 * wait_ms + PAUSE_LEAST_MS};
}

enum error kafka_publisher_take(struct kafka_publisher *publisher, struct shm_region *region,
                                const char *line, struct kafka_producer **producer,
                                struct problem *problem)
{
    const struct breaker_rule rule = rule_of(publisher);
    enum error error = ERROR_NONE;
    char name[LINE_MAX];

    (void)!snprintf(name, sizeof name, "kafka %s", line);
    if (region && !breaker_allow(region, name, &rule, &publisher->permit))
        return problem_set(problem, ERROR_UNAVAILABLE, "kafka_unavailable",
                           "Kafka does not answer");
    if (!publisher->producer)
        error = kafka_producer_open(publisher->settings, &publisher->producer, problem);
    *producer = publisher->producer;
    if (error)
        kafka_publisher_used(publisher, region, false);
    return error;
}

void kafka_publisher_used(struct kafka_publisher *publisher, struct shm_region *region, bool well)
{
    const struct breaker_rule rule = rule_of(publisher);

    if (region)
        breaker_record(region, &rule, &publisher->permit, well);
    if (!well)
        kafka_publisher_close(publisher);
}

void kafka_publisher_tend(struct kafka_publisher *publisher)
{
    kafka_producer_tend(publisher->producer);
}

void kafka_publisher_close(struct kafka_publisher *publisher)
{
    kafka_producer_close(publisher->producer);
    publisher->producer = NULL;
}

void kafka_published_of(struct arena *arena, const struct kafka_outgoing *records, size_t count,
                        struct object_list *published)
{
    struct kafka_published *found = NULL;
    size_t partitions = 0;

    for (size_t i = 0; i < count; i++) {
        size_t at = 0;

        while (at < partitions && found[at].partition != records[i].partition)
            at++;
        if (at == partitions)
            *ARRAY_ADD(arena, found, partitions) =
                (struct kafka_published){records[i].topic, records[i].partition, 0};
        if (records[i].offset >= found[at].next_offset)
            found[at].next_offset = records[i].offset + 1;
    }
    *published = (struct object_list){partitions, found};
}
