/* Decodes and applies the events in Kafka's messages. */
#include "livedata/bridge/kafka_events.h"

#include "base/clock.h"
#include "livedata/bridge/kafka_publish.h"
#include "livedata/maintenance/own_rebuild.h"
#include "livedata/tables/tables.h"
#include "livedata/webhooks/outbound.h"

#include <string.h>

struct kafka_event {
    const char *tenant; /* NULL = there is nothing to apply */
    json_t *event;
};

struct string_list kafka_event_topics(struct arena *arena, const struct livedata_settings *settings,
                                      const struct tenants *tenants)
{
    const struct string_list *named = &settings->bridge_topics;
    struct string_list topics = {
        0, ARENA_ARRAY(arena, const char *, named->count *(tenants->count + 1) + 1)};

    for (size_t i = 0; i < named->count; i++) {
        topics.items[topics.count++] = named->items[i];
        for (size_t k = 0; *named->items[i] != '^' && k < tenants->count; k++)
            if (tenants->items[k].topic_prefix)
                topics.items[topics.count++] =
                    arena_print(arena, "%s.%s", tenants->items[k].topic_prefix, named->items[i]);
    }
    return topics;
}

static bool is_named(const struct string_list *names, const char *topic)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], topic) == 0)
            return true;
    return false;
}

/* The tenant with the longest prefix that the topic has, or NULL. A topic that the settings name as
 * it is belongs to none. */
static const char *tenant_of_topic(const struct livedata_settings *settings,
                                   const struct tenants *tenants, const char *topic)
{
    const struct string_list *named = &settings->bridge_topics;
    const char *found = NULL;
    size_t longest = 0;

    for (size_t i = 0; i < tenants->count; i++) {
        const char *prefix = tenants->items[i].topic_prefix;
        size_t length = prefix ? strlen(prefix) : 0;

        if (length <= longest || strncmp(topic, prefix, length) != 0 || topic[length] != '.' ||
            (is_named(named, topic) && !is_named(named, topic + length + 1)))
            continue;
        longest = length;
        found = tenants->items[i].id;
    }
    return found;
}

/* `sender` is NULL for the tenants without a prefix, which the events name. */
static enum error check_topic(const struct livedata_settings *settings,
                              const struct tenants *tenants, const struct tenant *sender,
                              const char *topic, struct problem *problem)
{
    const char *taken = tenant_of_topic(settings, tenants, topic);

    if (!taken || (sender && strcmp(taken, sender->id) == 0))
        return ERROR_NONE;
    return problem_set(problem, ERROR_INVALID, "setting_invalid",
                       "LIVE_INTAKE is kafka, and the kafka_topic_prefix of %s in "
                       "LIVE_TENANTS_FILE also begins the topic '%.200s' of %s, whose events would "
                       "be taken for its own",
                       taken, topic, sender ? sender->id : "tenants without one");
}

enum error kafka_events_check_topics(struct arena *arena, const struct livedata_settings *settings,
                                     const struct tenants *tenants, struct problem *problem)
{
    enum error error = check_topic(settings, tenants, NULL, settings->intake_topic, problem);

    for (size_t i = 0; i < tenants->count && !error; i++) {
        const struct tenant *tenant = &tenants->items[i];

        if (tenant->topic_prefix)
            error = check_topic(settings, tenants, tenant,
                                kafka_events_topic(arena, settings, tenants, tenant->id), problem);
    }
    return error;
}

static const char *tenant_of(const struct kafka_events *events, const char *topic,
                             const json_t *event)
{
    const char *tenant = tenant_of_topic(events->settings, events->tenants, topic);

    if (!tenant)
        tenant = json_string_value(json_object_get(event, "tenant"));
    if (!tenant)
        tenant =
            json_string_value(json_object_get(json_object_get(event, "source_metadata"), "tenant"));
    return tenant ? tenant : "default";
}

/* Why the message is refused, or NULL. */
static const char *decode(const struct kafka_events *events, struct arena *arena,
                          const struct kafka_record *record, struct kafka_event *decoded)
{
    struct json_fault fault;
    const char *tenant;

    if (json_read(arena, record->value, record->length, JSON_DEPTH_LIMIT, &decoded->event, &fault))
        return arena_copy_string(arena, fault.text);
    if (json_is_null(decoded->event))
        return NULL;
    if (!json_is_object(decoded->event))
        return "an event is an object";
    tenant = tenant_of(events, record->position->topic, decoded->event);
    if (!tenant_is_name(tenant))
        return "a tenant is 1 to 64 letters, digits, dots, dashes and underscores";
    if (events->tenants->declared && !tenant_find(events->tenants, tenant))
        return "the tenant is not in LIVE_TENANTS_FILE";
    decoded->tenant = tenant;
    return NULL;
}

enum error kafka_events_decode(void *context, struct kafka_batch *batch, struct problem *problem)
{
    struct kafka_events *events = context;

    (void)problem;
    events->events = ARENA_ARRAY(batch->arena, struct kafka_event, batch->count + 1);
    for (size_t i = 0; i < batch->count; i++) {
        const char *refused = NULL;

        events->events[i] = (struct kafka_event){0};
        if (batch->records[i].value) /* a tombstone follows a deletion that was told already */
            refused = decode(events, batch->arena, &batch->records[i], &events->events[i]);
        if (refused)
            kafka_refuse(&batch->records[i], refused);
    }
    return ERROR_NONE;
}

static struct apply_call call_of(struct kafka_events *events, const struct kafka_batch *batch,
                                 struct db *db, const char *tenant, struct problem *problem)
{
    const struct tenant *known = tenant_find(events->tenants, tenant);

    return (struct apply_call){
        .storage = {.db = db, .arena = batch->arena, .problem = problem, .tenant = tenant},
        .catalog = tenant_catalog(events->tenants, tenant, events->catalog),
        .cache = events->cache,
        .redis = events->redis,
        .way_in = "kafka",
        .hands_on = events->settings->node_role == NODE_EDGE,
        .ahead_seconds = events->settings->max_clock_ahead_seconds,
        .sources_max = events->settings->sources_max,
        .events_per_day = known ? known->events_per_day : 0,
        .clock_ahead = events->clock.ahead,
        .outbound = outbound_row};
}

static size_t find_part(const struct apply_part *parts, size_t count, const char *tenant)
{
    size_t at = 0;

    while (at < count && strcmp(parts[at].call.storage.tenant, tenant) != 0)
        at++;
    return at;
}

static bool is_applied(const struct kafka_events *events, const struct kafka_batch *batch, size_t i)
{
    return events->events[i].tenant && !batch->records[i].refused;
}

/* A part for each tenant, with room for its events and no more: a batch may be of many tenants. */
static size_t open_parts(struct kafka_events *events, const struct kafka_batch *batch,
                         struct db *db, struct apply_part *parts, struct problem *problem)
{
    size_t count = 0;

    for (size_t i = 0; i < batch->count; i++) {
        const char *tenant = events->events[i].tenant;
        size_t at;

        if (!is_applied(events, batch, i))
            continue;
        at = find_part(parts, count, tenant);
        if (at == count)
            parts[count++] =
                (struct apply_part){.call = call_of(events, batch, db, tenant, problem)};
        parts[at].count++;
    }
    for (size_t i = 0; i < count; i++) {
        parts[i].events = ARENA_ARRAY(batch->arena, json_t *, parts[i].count);
        parts[i].results = ARENA_ARRAY(batch->arena, struct apply_result, parts[i].count);
        parts[i].count = 0;
    }
    return count;
}

/* The events by tenant, each tenant's in their order. */
static size_t make_parts(struct kafka_events *events, const struct kafka_batch *batch,
                         struct db *db, struct apply_part *parts, struct problem *problem)
{
    size_t count = open_parts(events, batch, db, parts, problem);

    for (size_t i = 0; i < batch->count; i++) {
        struct apply_part *part;

        if (!is_applied(events, batch, i))
            continue;
        part = &parts[find_part(parts, count, events->events[i].tenant)];
        part->events[part->count++] = events->events[i].event;
    }
    return count;
}

static enum error advance(void *context, struct db *db, struct problem *problem)
{
    return kafka_batch_advance(db, context, problem);
}

/* Makes the tables of the domains, as a responder does at its start, and learns which are served;
 * again after a failure, when another host may have changed them. */
static enum error learn_tables(struct kafka_events *events, struct db *db, struct arena *arena,
                               struct problem *problem)
{
    const struct storage_call call = {db, arena, problem, "default", clock_unix_microseconds()};
    struct table_plan plan;
    enum error error;

    if (events->knows_tables)
        return ERROR_NONE;
    error = tables_apply(&call, events->catalog, PLAN_FORWARD, own_fill_columns, &plan);
    events->knows_tables = !error;
    return error;
}

enum error kafka_events_apply(void *context, struct db *db, struct kafka_batch *batch,
                              struct problem *problem)
{
    struct kafka_events *events = context;
    struct apply_part *parts = ARENA_ARRAY(batch->arena, struct apply_part, batch->count + 1);
    enum error error = learn_tables(events, db, batch->arena, problem);
    size_t count;

    if (error)
        return error;
    (void)live_clock_now(&events->clock, db);
    count = make_parts(events, batch, db, parts, problem);
    error = apply_parts(db, parts, count, advance, batch, problem);
    events->knows_tables = !error;
    return error;
}
