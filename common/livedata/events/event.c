/* Events read and checked: the ten types by their tables of fields, then the rules of meaning. */
#include "livedata/events/event.h"
#include "livedata/events/debezium.h"
#include "livedata/events/fields.h"
#include "livedata/events/own.h"

#include "base/number.h"
#include "livedata/timestamp.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const event_fault_names[EVENT_FAULT__MAX] = {
    [EVENT_FINE] = "",
    [EVENT_SCHEMA] = "schema_validation",
    [EVENT_SEMANTIC] = "semantic_validation",
    [EVENT_TENANT_MISMATCH] = "tenant_mismatch",
    [EVENT_NO_ID] = "missing_event_id",
    [EVENT_BAD_TYPE] = "non_canonical_event_type",
    [EVENT_UNDECODABLE] = "undecodable",
    [EVENT_OVER_QUOTA] = "quota_exceeded"};

enum { ITEMS_MAX = 1000 };

const char *const event_order_statuses[] = {"pending",   "confirmed", "shipped",
                                            "delivered", "cancelled", NULL};
static const char *const payment_statuses[] = {"initiated", "completed", "failed", "refunded",
                                               NULL};
static const char *const payment_methods[] = {"card", "bank_transfer", "wallet", NULL};
static const char *const currencies[] = {"RUB", "USD", "EUR", "GBP", "CNY", "AED", NULL};

static const struct event_field order_fields[] = {
    {"order_id", ORDER_ID_FIELD, true},
    {"user_id", TEXT_FIELD, true},
    {"status", WORD_FIELD, true, event_order_statuses},
    {"total_amount", MONEY_FIELD, true},
    {"currency", WORD_FIELD, false, currencies},
};
static const struct event_field payment_fields[] = {
    {"payment_id", TEXT_FIELD, true},
    {"order_id", ORDER_ID_FIELD, true},
    {"user_id", TEXT_FIELD, true},
    {"amount", MONEY_FIELD, true},
    {"currency", WORD_FIELD, false, currencies},
    {"method", WORD_FIELD, true, payment_methods},
    {"status", WORD_FIELD, true, payment_statuses},
    {"failure_reason", TEXT_FIELD, false, .nullable = true},
};
static const struct event_field click_fields[] = {
    {"session_id", TEXT_FIELD, true},
    {"user_id", TEXT_FIELD, false, .nullable = true},
    {"page_url", TEXT_FIELD, true},
    {"referrer", TEXT_FIELD, false, .nullable = true},
    {"user_agent", TEXT_FIELD, true},
    {"viewport_width", COUNT_FIELD, false, .nullable = true},
    {"product_id", TEXT_FIELD, false, .nullable = true},
};
static const struct event_field product_fields[] = {
    {"product_id", TEXT_FIELD, true},
    {"name", TEXT_FIELD, true, .longest = 500},
    {"category", TEXT_FIELD, true},
    {"price", MONEY_FIELD, true, .inclusive = true},
    {"currency", WORD_FIELD, false, currencies},
    {"in_stock", FLAG_FIELD, true},
    {"stock_quantity", COUNT_FIELD, true},
};

/* By prefix, in this order. */
static const struct family_rule {
    const char *prefix;
    enum event_family family;
    const char *entity_type;
    const char *id_field;
    const struct event_field *fields;
    size_t field_count;
} families[] = {
    {"order.", EVENT_ORDER, "order", "order_id", order_fields, 5},
    {"payment.", EVENT_PAYMENT, "payment", "order_id", payment_fields, 8},
    {"click", EVENT_CLICK, "session", "session_id", click_fields, 7},
    {"page_view", EVENT_CLICK, "session", "session_id", click_fields, 7},
    {"add_to_cart", EVENT_CLICK, "session", "session_id", click_fields, 7},
    {"product.", EVENT_PRODUCT, "product", "product_id", product_fields, 7},
};

/* 36 hexadecimal digits and dashes; the positions of the dashes are not checked. */
static bool is_event_id(const char *id)
{
    return strlen(id) == 36 && strspn(id, "0123456789abcdef-") == 36;
}

static bool read_timestamp(const json_t *payload, const struct event_rules *rules,
                           struct event *event, struct event_verdict *verdict)
{
    const json_t *value = json_object_get(payload, "timestamp");

    if (!value)
        return event_refuse(verdict, "timestamp", "missing", "field required");
    if (!json_is_string(value) || !timestamp_parse(json_string_value(value), &event->at))
        return event_refuse(verdict, "timestamp", "datetime_parsing", "is no time");
    if (event->at > rules->now + rules->ahead_seconds * us_per_second)
        return event_refuse(verdict, "timestamp", "value_error", "lies in the future");
    return true;
}

static bool read_source(const json_t *payload, struct event *event, struct event_verdict *verdict)
{
    const char *source = json_string_value(json_object_get(payload, "source"));

    if (!source)
        return event_refuse(verdict, "source", "missing", "field required");
    if (!*source || utf8_count(source) > 64)
        return event_refuse(verdict, "source", "string_too_long", "has 1 to 64 characters");
    event->source = source;
    return true;
}

/* The tenant is the sender's; an event that names another tenant is rejected. */
static bool check_tenant(const json_t *payload, const struct event_rules *rules,
                         struct event *event, struct event_verdict *verdict)
{
    const json_t *meta = json_object_get(payload, "source_metadata");
    const char *named = json_string_value(json_object_get(payload, "tenant"));

    if (!named)
        named = json_string_value(json_object_get(meta, "tenant"));
    event->tenant = rules->tenant;
    event->branch = json_string_value(json_object_get(meta, "branch"));
    if (named && strcmp(named, rules->tenant) != 0)
        return event_fault(verdict, EVENT_TENANT_MISMATCH, "tenant", "tenant_mismatch",
                           "tenant: the event names another tenant");
    return true;
}

static bool refuse_item(struct event_verdict *verdict, size_t i, const char *type, const char *what)
{
    char detail[200];

    (void)!snprintf(detail, sizeof detail, "items.%zu: %s", i, what);
    return event_fault(verdict, EVENT_SCHEMA, "items", type, detail);
}

static bool read_item(const json_t *item, size_t i, struct order_item *read,
                      struct event_verdict *verdict)
{
    double quantity = 0, price = 0;
    bool good = true;

    read->product_id = json_string_value(json_object_get(item, "product_id"));
    if (!read->product_id || !*read->product_id)
        good = refuse_item(verdict, i, "missing", "product_id is needed");
    if (!event_decimal(json_object_get(item, "quantity"), &quantity) ||
        quantity != floor(quantity) || quantity < 1 || quantity > 1000)
        good = refuse_item(verdict, i, "int_parsing", "quantity is 1 to 1000");
    if (!event_decimal(json_object_get(item, "unit_price"), &price) || price <= 0 ||
        !event_two_decimals(price))
        good = refuse_item(verdict, i, "decimal_parsing",
                           "unit_price is above 0 with at most two places");
    if (!good)
        return false;
    read->quantity = (int64_t)quantity;
    read->amount_cents = (int64_t)quantity * event_cents(price);
    return true;
}

static bool read_items(struct arena *arena, const json_t *payload, struct event *event,
                       struct event_verdict *verdict)
{
    const json_t *items = json_object_get(payload, "items"), *item;
    bool good = true;
    size_t i;

    if (!json_is_array(items))
        return event_refuse(verdict, "items", items ? "list_type" : "missing", "field required");
    if (json_array_size(items) > ITEMS_MAX)
        return event_refuse(verdict, "items", "too_long", "too many items");
    if (!json_array_size(items))
        return event_refuse(verdict, "items", "too_short", "at least one item is needed");
    event->items = ARENA_ARRAY(arena, struct order_item, json_array_size(items));
    json_array_foreach(items, i, item)
    {
        good &= read_item(item, i, &event->items[i], verdict);
    }
    event->item_count = json_array_size(items);
    return good;
}

/* The rule that a total must be the sum of its items, to a hundredth. */
static bool check_total(const struct event *event, struct event_verdict *verdict)
{
    char detail[128];
    double sum = 0; /* exact up to the largest total, and cannot overflow */

    for (size_t i = 0; i < event->item_count; i++)
        sum += (double)event->items[i].amount_cents;
    if (fabs(sum - (double)event->total_cents) <= 1)
        return true;
    (void)!snprintf(detail, sizeof detail, "Stated total %.2f != computed %.2f",
                    (double)event->total_cents / 100, sum / 100);
    return event_fault(verdict, EVENT_SEMANTIC, "order_total_consistency", "value_error", detail);
}

static const char *text_of(const json_t *payload, const char *key)
{
    return json_string_value(json_object_get(payload, key));
}

/* False when the stated amount is not positive, which the check of the field has reported. A
 * positive amount may still round to 0 hundredths. */
static bool read_money(const json_t *payload, const char *key, int64_t *cents)
{
    double amount = 0;
    bool stated = event_decimal(json_object_get(payload, key), &amount) && amount > 0;

    *cents = stated ? event_cents(amount) : 0;
    return stated;
}

static bool read_order(struct arena *arena, const json_t *payload, struct event *event,
                       struct event_verdict *verdict)
{
    const char *currency = text_of(payload, "currency");
    bool stated = read_money(payload, "total_amount", &event->total_cents);

    event->user_id = text_of(payload, "user_id");
    event->status =
        strcmp(event->type, "order.cancelled") == 0 ? "cancelled" : text_of(payload, "status");
    event->currency = currency ? currency : "RUB";
    return read_items(arena, payload, event, verdict) && stated && check_total(event, verdict);
}

static bool read_payment(const json_t *payload, struct event *event, struct event_verdict *verdict)
{
    bool stated = read_money(payload, "amount", &event->total_cents);

    event->user_id = text_of(payload, "user_id");
    if (event->total_cents >= 50 || !stated)
        return stated;
    return event_fault(verdict, EVENT_SEMANTIC, "payment_min_amount", "value_error",
                       "amount is below 0.50");
}

static bool read_click(const json_t *payload, struct event *event, struct event_verdict *verdict)
{
    event->user_id = text_of(payload, "user_id");
    event->page_url = text_of(payload, "page_url");
    if (!event->entity_id || *event->entity_id)
        return event->entity_id != NULL;
    return event_fault(verdict, EVENT_SEMANTIC, "clickstream_session_required", "value_error",
                       "session_id is empty");
}

static void read_product(const json_t *payload, struct event *event)
{
    double stock = 0;

    (void)event_decimal(json_object_get(payload, "stock_quantity"), &stock);
    event->name = text_of(payload, "name");
    event->category = text_of(payload, "category");
    (void)read_money(payload, "price", &event->total_cents);
    event->in_stock = json_is_true(json_object_get(payload, "in_stock"));
    event->stock_quantity = (int64_t)stock;
}

static const struct family_rule *family_of(const char *type)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strncmp(type, families[i].prefix, strlen(families[i].prefix)) == 0)
            return &families[i];
    return NULL;
}

size_t event_type_fields(const char *type, const struct event_field **fields, const char **key)
{
    const struct family_rule *rule = family_of(type);

    *fields = rule->fields;
    *key = rule->id_field;
    return rule->field_count;
}

/* Without a catalog, events are the shop's. */
static bool knows_shop(const struct event_rules *rules)
{
    return !rules->catalog || rules->catalog->shop;
}

static bool read_type(const struct event_rules *rules, struct event *event,
                      const struct family_rule **rule, struct event_verdict *verdict)
{
    char detail[128];

    *rule = event->type && knows_shop(rules) ? family_of(event->type) : NULL;
    if (!*rule) {
        (void)!snprintf(detail, sizeof detail, "No schema for: %.60s",
                        event->type ? event->type : "unknown");
        return event_fault(verdict, EVENT_SCHEMA, NULL, "unknown_event_type", detail);
    }
    if (!catalog_is_shop_event(event->type))
        return event_refuse(verdict, "event_type", "literal_error", "not one of the known types");
    return true;
}

/* The check of fields has already reported values that a semantic rule needs and that are
 * unreadable. */
static bool read_family(struct arena *arena, const json_t *payload, const struct family_rule *rule,
                        struct event *event, struct event_verdict *verdict)
{
    bool good = event_check_fields(payload, rule->fields, rule->field_count, verdict);

    event->family = rule->family;
    event->entity_type = rule->entity_type;
    event->entity_id = text_of(payload, rule->id_field);
    switch (rule->family) {
    case EVENT_ORDER:
        return read_order(arena, payload, event, verdict) && good;
    case EVENT_PAYMENT:
        return read_payment(payload, event, verdict) && good;
    case EVENT_CLICK:
        return read_click(payload, event, verdict) && good;
    default:
        read_product(payload, event);
        return good;
    }
}

/* A row of change data: has its own small schema, and no semantic rules. */
static bool is_change(const json_t *payload)
{
    const char *source = text_of(payload, "source");

    return source && (strcmp(source, "postgres_cdc") == 0 || strcmp(source, "mysql_cdc") == 0) &&
           json_object_get(payload, "operation") && json_object_get(payload, "source_metadata");
}

/* The domain of an event that the tenant does not list; NULL when it may send it, or nobody can. */
static const char *unlisted_domain(const struct event_rules *rules, const json_t *payload,
                                   const char *event_type)
{
    const struct catalog *catalog = rules->catalog;
    const struct entity_type *type = NULL;

    if (!catalog || !catalog->whole)
        return NULL;
    if (event_type && catalog_own_event(catalog->whole, event_type, &type))
        return catalog_entity(catalog, type->name) ? NULL : type->domain->name;
    if (catalog->shop || !catalog->whole->shop ||
        !((event_type && catalog_is_shop_event(event_type)) || is_change(payload)))
        return NULL;
    return catalog_shop_name(catalog->whole);
}

static bool refuse_domain(struct arena *arena, const struct event_rules *rules, const char *type,
                          const char *domain, struct event_verdict *verdict)
{
    return event_fault(verdict, EVENT_SCHEMA, "event_type", "domain_not_listed",
                       arena_print(arena,
                                   "%.60s is of the domain %s, which tenant %s does not list",
                                   type ? type : "change data", domain, rules->tenant));
}

/* Runs all possible checks; an unknown event type is the only fault. */
static void check_whole(struct arena *arena, const json_t *payload, const struct event_rules *rules,
                        struct event *event, struct event_verdict *verdict)
{
    const struct family_rule *rule = NULL;
    const struct entity_type *type = NULL;
    const struct event_mapping *own;
    const char *domain;

    event->id = text_of(payload, "event_id");
    event->type = text_of(payload, "event_type");
    domain = unlisted_domain(rules, payload, event->type);
    if (domain) {
        refuse_domain(arena, rules, event->type, domain, verdict);
        return;
    }
    own = rules->catalog && event->type ? catalog_own_event(rules->catalog, event->type, &type)
                                        : NULL;
    if (!own && !(knows_shop(rules) && is_change(payload)) &&
        !read_type(rules, event, &rule, verdict) && !rule)
        return;
    if (!event->id)
        event_fault(verdict, EVENT_NO_ID, "event_id", "missing", "event_id: field required");
    else if (!is_event_id(event->id))
        event_refuse(verdict, "event_id", "string_pattern_mismatch",
                     "36 hexadecimal digits and dashes");
    check_tenant(payload, rules, event, verdict);
    read_source(payload, event, verdict);
    read_timestamp(payload, rules, event, verdict);
    if (own)
        event_read_own(arena, payload, own, type, event, verdict);
    else if (rule)
        read_family(arena, payload, rule, event, verdict);
    else
        event_read_change(payload, event, verdict);
}

bool event_check(struct arena *arena, const json_t *payload, const struct event_rules *rules,
                 struct event *event, struct event_verdict *verdict)
{
    *event = (struct event){.tenant = rules->tenant, .payload = payload};
    *verdict = (struct event_verdict){0};
    if (!json_is_object(payload))
        return event_fault(verdict, EVENT_UNDECODABLE, NULL, "dict_type", "an event is an object");
    if (rules->catalog && event_is_debezium(payload))
        event_read_debezium(arena, payload, rules, event, verdict);
    else
        check_whole(arena, payload, rules, event, verdict);
    event_count_left_out(verdict);
    return !verdict->count;
}
