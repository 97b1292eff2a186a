/* Writes events as messages of Kafka. */
#include "livedata/bridge/kafka_publish.h"

#include <string.h>

enum { MESSAGE_MAX = 16 * 1024 * 1024 };

static const char *named_tenant(const json_t *event)
{
    const char *named = json_string_value(json_object_get(event, "tenant"));

    if (named)
        return named;
    return json_string_value(json_object_get(json_object_get(event, "source_metadata"), "tenant"));
}

size_t kafka_events_foreign(json_t *const *events, size_t count, const char *tenant)
{
    size_t at = 0;

    for (; at < count; at++) {
        const char *named = named_tenant(events[at]);

        if (named && strcmp(named, tenant) != 0)
            break;
    }
    return at;
}

size_t kafka_events_null(json_t *const *events, size_t count)
{
    size_t at = 0;

    while (at < count && !json_is_null(events[at]))
        at++;
    return at;
}

const char *kafka_events_topic(struct arena *arena, const struct livedata_settings *settings,
                               const struct tenants *tenants, const char *tenant)
{
    const struct tenant *known = tenant_find(tenants, tenant);

    if (!known || !known->topic_prefix)
        return settings->intake_topic;
    return arena_print(arena, "%s.%s", known->topic_prefix, settings->intake_topic);
}

/* What is no text names nobody, and the bridge would take the event for the default tenant's. */
static void write_event(struct arena *arena, const char *tenant, json_t *event,
                        struct kafka_outgoing *message)
{
    bool names_tenant = json_is_string(json_object_get(event, "tenant"));
    struct json_writer writer;
    struct text text, more;

    if (json_is_object(event) && !names_tenant)
        json_object_del(event, "tenant");
    text_start(&text, arena, MESSAGE_MAX);
    writer_start(&writer, &text);
    writer_value(&writer, event);
    message->value = text.bytes;
    if (json_is_object(event) && !names_tenant) {
        text_start(&more, arena, MESSAGE_MAX);
        writer_start(&writer, &more);
        writer_open_object(&writer);
        writer_key_string(&writer, "tenant", tenant);
        writer_close_object(&writer);
        message->value = json_join(arena, text.bytes, more.bytes);
    }
    message->length = strlen(message->value);
}

enum error kafka_events_publish(struct kafka_producer *producer, struct arena *arena,
                                const char *topic, const char *tenant, json_t *const *events,
                                size_t count, struct object_list *published,
                                struct problem *problem)
{
    struct kafka_outgoing *messages = ARENA_ARRAY(arena, struct kafka_outgoing, count + 1);
    enum error error;

    for (size_t i = 0; i < count; i++) {
        messages[i].topic = topic;
        messages[i].key = json_string_value(json_object_get(events[i], "event_id"));
        messages[i].key_length = messages[i].key ? strlen(messages[i].key) : 0;
        write_event(arena, tenant, events[i], &messages[i]);
    }
    error = kafka_publish(producer, messages, count, problem);
    if (!error)
        kafka_published_of(arena, messages, count, published);
    return error;
}
