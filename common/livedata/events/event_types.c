/* Describes the event types of an entity: the shop's by their tables of fields, those of domains by
 * their mappings. */
#include "livedata/events/event_types.h"

#include "base/list.h"
#include "livedata/catalog/own.h"
#include "livedata/events/event.h"
#include "livedata/events/fields.h"

#include <string.h>

enum { EXAMPLE_BYTES_MAX = 1 << 16, SHOP_TYPES_MAX = 16 };

#define OWNER struct event_member
static const struct field member_fields[] = {
    STRING(OWNER, path),      STRING(OWNER, type),
    BOOLEAN(OWNER, required), NULLABLE_INTEGER(OWNER, scale, .omit_if_null = true),
    STRINGS(OWNER, values),   STRING(OWNER, description, .nullable = true),
};
#undef OWNER
SCHEMA(event_member_schema, struct event_member, "EventMember", member_fields);

#define OWNER struct event_type_answer
static const struct field type_fields[] = {
    STRING(OWNER, event_type),
    STRING(OWNER, does, .nullable = true,
           .help = "insert, upsert, count or delete; null for the shop."),
    STRING(OWNER, key, .help = "The path of the member that names the entity."),
    OBJECTS(OWNER, members, event_member_schema),
    WRITTEN_JSON(OWNER, example, .help = "An event of the type without its envelope."),
};
#undef OWNER
SCHEMA(event_type_schema, struct event_type_answer, "EventType", type_fields);

static const char *const field_words[] = {
    [TEXT_FIELD] = "text",     [WORD_FIELD] = "text",     [ORDER_ID_FIELD] = "text",
    [MONEY_FIELD] = "decimal", [COUNT_FIELD] = "integer", [FLAG_FIELD] = "boolean",
    [BIT_FIELD] = "boolean",   [TIME_FIELD] = "time"};

/* One of each family of the shop. Totals are the sums of their lines. */
static const struct {
    const char *prefix, *example;
} shop_examples[] = {
    {"order.", "{\"order_id\":\"ORD-20260101-1001\",\"user_id\":\"USR-10001\","
               "\"status\":\"pending\",\"total_amount\":\"84.00\",\"currency\":\"EUR\","
               "\"items\":[{\"product_id\":\"PROD-001\",\"quantity\":2,"
               "\"unit_price\":\"42.00\"}]}"},
    {"payment.", "{\"payment_id\":\"PAY-1001\",\"order_id\":\"ORD-20260101-1001\","
                 "\"user_id\":\"USR-10001\",\"amount\":\"84.00\",\"currency\":\"EUR\","
                 "\"method\":\"card\",\"status\":\"completed\"}"},
    {"product.", "{\"product_id\":\"PROD-001\",\"name\":\"Electric kettle\","
                 "\"category\":\"Kettles\",\"price\":\"42.00\",\"currency\":\"EUR\","
                 "\"in_stock\":true,\"stock_quantity\":12}"},
    {"", "{\"session_id\":\"SES-1001\",\"user_id\":\"USR-10001\","
         "\"page_url\":\"/products/1\",\"user_agent\":\"Mozilla/5.0\","
         "\"product_id\":\"PROD-001\"}"},
};

static const char *shop_example(const char *event_type)
{
    size_t i = 0;

    while (strncmp(event_type, shop_examples[i].prefix, strlen(shop_examples[i].prefix)) != 0)
        i++;
    return shop_examples[i].example;
}

static struct string_list words_of(struct arena *arena, const char *const *words)
{
    struct string_list list = {0};

    for (; words && *words; words++)
        *LIST_ADD(arena, &list) = *words;
    return list;
}

static struct event_type_answer shop_type(struct arena *arena, const char *event_type,
                                          const char *key, const struct event_field *fields,
                                          size_t count)
{
    bool order = strncmp(event_type, "order.", 6) == 0;
    struct event_member *members = ARENA_ARRAY(arena, struct event_member, count + 1);

    for (size_t i = 0; i < count; i++)
        members[i] = (struct event_member){.path = fields[i].name,
                                           .type = field_words[fields[i].kind],
                                           .required = fields[i].required,
                                           .scale = {fields[i].kind == MONEY_FIELD, 2},
                                           .values = words_of(arena, fields[i].words)};
    members[count] = (struct event_member){.path = "items", .type = "list", .required = true};
    return (struct event_type_answer){.event_type = event_type,
                                      .key = key,
                                      .members = {count + order, members},
                                      .example = shop_example(event_type)};
}

static struct object_list shop_types(struct arena *arena, const struct entity_type *type)
{
    struct event_type_answer *items = ARENA_ARRAY(arena, struct event_type_answer, SHOP_TYPES_MAX);
    struct object_list list = {0, items};

    for (size_t i = 0; catalog_shop_events[i] && list.count < SHOP_TYPES_MAX; i++) {
        const struct event_field *fields;
        const char *key;
        size_t count = event_type_fields(catalog_shop_events[i], &fields, &key);

        if (strcmp(key, type->primary_key) == 0)
            items[list.count++] = shop_type(arena, catalog_shop_events[i], key, fields, count);
    }
    return list;
}

/* Ends the objects that `path` does not share with the one before, and begins its own. Returns the
 * name of the member itself. */
static const char *enter(struct arena *arena, struct json_writer *writer, const char *before,
                         const char *path)
{
    size_t shared = 0, i = 0;

    for (; before[i] && before[i] == path[i]; i++)
        if (path[i] == '.')
            shared = i + 1;
    for (i = shared; before[i]; i++)
        if (before[i] == '.')
            writer_close_object(writer);
    path += shared;
    for (const char *dot; (dot = strchr(path, '.')); path = dot + 1) {
        writer_key(writer, arena_copy(arena, path, (size_t)(dot - path)));
        writer_open_object(writer);
    }
    return path;
}

static void write_value(struct json_writer *writer, const struct event_member *member)
{
    if (strcmp(member->type, "integer") == 0)
        writer_integer(writer, 1);
    else if (strcmp(member->type, "boolean") == 0)
        writer_boolean(writer, true);
    else if (strcmp(member->type, "json") == 0) {
        writer_open_object(writer);
        writer_close_object(writer);
    } else
        writer_string(writer, member->values.count                   ? member->values.items[0]
                              : strcmp(member->type, "decimal") == 0 ? "12"
                              : strcmp(member->type, "time") == 0    ? "2026-01-01T08:00:00Z"
                                                                     : "A-1");
}

static const char *example_of(struct arena *arena, const struct event_member *members, size_t count)
{
    struct json_writer writer;
    struct text text;
    const char *before = "";

    text_start(&text, arena, EXAMPLE_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < count; i++) {
        writer_key(&writer, enter(arena, &writer, before, members[i].path));
        write_value(&writer, &members[i]);
        before = members[i].path;
    }
    (void)enter(arena, &writer, before, "");
    writer_close_object(&writer);
    return text.bytes;
}

static bool is_listed(const struct event_member *members, size_t count, const char *path)
{
    static const char *const envelope[] = {"event_id", "event_type", "timestamp", "source"};

    for (size_t i = 0; i < COUNT_OF(envelope); i++)
        if (strcmp(envelope[i], path) == 0)
            return true;
    for (size_t i = 0; i < count; i++)
        if (strcmp(members[i].path, path) == 0)
            return true;
    return false;
}

/* Members with the same objects around them stand together, so that an example has each object
 * once. */
static void insert(struct event_member *members, size_t *count, struct event_member member)
{
    const char *dot = strrchr(member.path, '.');
    size_t length = dot ? (size_t)(dot - member.path) + 1 : 0, at = *count;

    if (is_listed(members, *count, member.path))
        return;
    for (size_t i = *count; length && i > 0 && at == *count; i--)
        if (strncmp(members[i - 1].path, member.path, length) == 0)
            at = i;
    memmove(members + at + 1, members + at, (*count - at) * sizeof *members);
    members[at] = member;
    ++*count;
}

static struct event_member member_of(const struct table_column *column, const char *path,
                                     bool required)
{
    return (struct event_member){.path = path,
                                 .type = column_type_names[column->type],
                                 .required = required,
                                 .scale = {column->type == COLUMN_NUMBER, column->scale},
                                 .values = column->values,
                                 .description = column->description};
}

static struct event_type_answer own_type(struct arena *arena, const struct entity_type *type,
                                         const struct event_mapping *mapping)
{
    const struct serving_table *table = type->table;
    struct event_member *members =
        ARENA_ARRAY(arena, struct event_member, mapping->column_count + 1);
    size_t count = 0;

    insert(members, &count, member_of(&table->columns[table->own->key], mapping->key, true));
    for (size_t i = 0; i < mapping->column_count; i++) {
        const struct column_source *source = &mapping->columns[i];

        if (source->path)
            insert(members, &count,
                   member_of(&table->columns[source->column], source->path, source->required));
    }
    return (struct event_type_answer){.event_type = mapping->event_type,
                                      .does = mapping_actions[mapping->action],
                                      .key = mapping->key,
                                      .members = {count, members},
                                      .example = example_of(arena, members, count)};
}

struct object_list event_types_of(struct arena *arena, const struct entity_type *type)
{
    const struct own_entity *own = type->table->own;
    struct event_type_answer *items;

    if (!own)
        return shop_types(arena, type);
    items = ARENA_ARRAY(arena, struct event_type_answer, own->event_count);
    for (size_t i = 0; i < own->event_count; i++)
        items[i] = own_type(arena, type, &own->events[i]);
    return (struct object_list){own->event_count, items};
}
