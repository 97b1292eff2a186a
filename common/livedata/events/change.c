/* Change data: the envelope of a change, and the source table's row in it. `after` is the whole
 * row; members without a column in the entity's table are ignored. */
#include "livedata/events/fields.h"

#include <math.h>
#include <string.h>

static const char *const operations[] = {"snapshot", "insert", "update", "delete", NULL};
static const char *const stages[] = {"bounce",      "browse",   "product_view",
                                     "add_to_cart", "checkout", NULL};

static const struct event_field envelope[] = {{"event_type", TEXT_FIELD, true, .longest = 128},
                                              {"operation", WORD_FIELD, true, operations},
                                              {"entity_type", TEXT_FIELD, true, .longest = 64},
                                              {"entity_id", TEXT_FIELD, true, .longest = 256}};
static const struct event_field order_row[] = {
    {"user_id", TEXT_FIELD, true},
    {"status", WORD_FIELD, true, event_order_statuses},
    {"total_amount", MONEY_FIELD, true, .inclusive = true},
    {"currency", TEXT_FIELD, false, .longest = 3},
    {"created_at", TIME_FIELD, true}};
static const struct event_field product_row[] = {{"name", TEXT_FIELD, true, .longest = 500},
                                                 {"category", TEXT_FIELD, true},
                                                 {"price", MONEY_FIELD, true, .inclusive = true},
                                                 {"in_stock", BIT_FIELD, true},
                                                 {"stock_quantity", COUNT_FIELD, true}};
static const struct event_field user_row[] = {
    {"total_orders", COUNT_FIELD, true},
    {"total_spent", MONEY_FIELD, true, .inclusive = true},
    {"first_order_at", TIME_FIELD, false, .nullable = true},
    {"last_order_at", TIME_FIELD, false, .nullable = true},
    {"preferred_category", TEXT_FIELD, false, .nullable = true}};
/* A duration is added to times in microseconds. */
static const struct event_field session_row[] = {
    {"user_id", TEXT_FIELD, false, .nullable = true},
    {"started_at", TIME_FIELD, true},
    {"ended_at", TIME_FIELD, false, .nullable = true},
    {"duration_seconds", MONEY_FIELD, false, .most = 1e9, .inclusive = true, .nullable = true},
    {"event_count", COUNT_FIELD, true},
    {"unique_pages", COUNT_FIELD, true},
    {"funnel_stage", WORD_FIELD, true, stages},
    {"is_conversion", BIT_FIELD, true}};

static const char *text_of(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

static double number_of(const json_t *row, const char *key)
{
    double number = 0;

    (void)event_decimal(json_object_get(row, key), &number);
    return number;
}

static bool flag_of(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);

    return json_is_true(value) || json_integer_value(value) == 1;
}

static struct optional_integer moment_of(const json_t *row, const char *key)
{
    int64_t timestamp = 0;

    if (!event_timestamp(json_object_get(row, key), &timestamp))
        return (struct optional_integer){0};
    return GIVEN_INTEGER(timestamp);
}

static void take_order(const json_t *row, struct event *event)
{
    const char *currency = text_of(row, "currency");

    event->user_id = text_of(row, "user_id");
    event->status = text_of(row, "status");
    event->total_cents = event_cents(number_of(row, "total_amount"));
    event->currency = currency ? currency : "RUB";
    event->row.created_at = moment_of(row, "created_at").value;
}

static void take_product(const json_t *row, struct event *event)
{
    event->name = text_of(row, "name");
    event->category = text_of(row, "category");
    event->total_cents = event_cents(number_of(row, "price"));
    event->in_stock = flag_of(row, "in_stock");
    event->stock_quantity = (int64_t)number_of(row, "stock_quantity");
}

static void take_user(const json_t *row, struct event *event)
{
    event->row.total_orders = (int64_t)number_of(row, "total_orders");
    event->total_cents = event_cents(number_of(row, "total_spent"));
    event->row.first_order_at = moment_of(row, "first_order_at");
    event->row.last_order_at = moment_of(row, "last_order_at");
    event->category = text_of(row, "preferred_category");
}

static void take_session(const json_t *row, struct event *event)
{
    const json_t *duration = json_object_get(row, "duration_seconds");

    event->user_id = text_of(row, "user_id");
    event->row.started_at = moment_of(row, "started_at").value;
    event->row.ended_at = moment_of(row, "ended_at");
    if (duration && !json_is_null(duration))
        event->row.duration_us = GIVEN_INTEGER(llround(number_of(row, "duration_seconds") * 1e6));
    event->row.event_count = (int64_t)number_of(row, "event_count");
    event->row.unique_pages = (int64_t)number_of(row, "unique_pages");
    event->row.funnel_stage = text_of(row, "funnel_stage");
    event->row.is_conversion = flag_of(row, "is_conversion");
}

#define ROW(fields) fields, sizeof(fields) / sizeof((fields)[0])

static const struct {
    const char *entity_type, *key;
    const struct event_field *fields;
    size_t field_count;
    void (*take)(const json_t *row, struct event *event);
} kinds[] = {{"order", "order_id", ROW(order_row), take_order},
             {"product", "product_id", ROW(product_row), take_product},
             {"user", "user_id", ROW(user_row), take_user},
             {"session", "session_id", ROW(session_row), take_session}};

/* The row after the change: complete, and reduced to the entity's own members. */
static bool read_row(const json_t *payload, size_t kind, struct event *event,
                     struct event_verdict *verdict)
{
    const json_t *row = json_object_get(payload, "after");
    const char *key = text_of(row, kinds[kind].key);

    if (!json_is_object(row))
        return event_refuse(verdict, "after", "dict_type", "must be the row after the change");
    if (key && event->entity_id && strcmp(key, event->entity_id) != 0)
        event_refuse(verdict, kinds[kind].key, "value_error", "is not the entity_id");
    if (!event_check_fields(row, kinds[kind].fields, kinds[kind].field_count, verdict))
        return false;
    kinds[kind].take(row, event);
    return true;
}

bool event_read_change(const json_t *payload, struct event *event, struct event_verdict *verdict)
{
    const char *operation = text_of(payload, "operation");
    bool good =
        event_check_fields(payload, envelope, sizeof envelope / sizeof envelope[0], verdict);

    event->family = EVENT_CHANGE;
    if (!json_object_size(json_object_get(payload, "source_metadata")))
        good = event_refuse(verdict, "source_metadata", "dict_type", "must not be empty");
    event->type = text_of(payload, "event_type");
    event->entity_type = text_of(payload, "entity_type");
    event->entity_id = text_of(payload, "entity_id");
    event->row.removes = operation && strcmp(operation, "delete") == 0;
    for (size_t i = 0; event->entity_type && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].entity_type, event->entity_type) == 0)
            return (event->row.removes || read_row(payload, i, event, verdict)) && good;
    if (event->entity_type)
        event_refuse(verdict, "entity_type", "literal_error",
                     "is none of order, product, session and user");
    return false;
}
