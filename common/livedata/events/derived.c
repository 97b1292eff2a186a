/* What the journal keeps beside the state: values derived from one event. */
#include "livedata/events/event.h"

#include "base/number.h"
#include "base/schema.h"

#include <string.h>

const char *event_page_category(const char *page_url)
{
    static const struct {
        const char *part, *category;
    } parts[] = {{"/products/", "product_detail"},
                 {"/cart", "cart"},
                 {"/checkout", "checkout"},
                 {"/search", "search"}};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(page_url, parts[i].part))
            return parts[i].category;
    return strcmp(page_url, "/") == 0 ? "home" : "other";
}

struct derived_order {
    int64_t item_count, unique_products;
    double avg_item_price;
    const char *order_size_bucket;
};

#define OWNER struct derived_order
static const struct field order_fields[] = {
    INTEGER(OWNER, item_count), INTEGER(OWNER, unique_products), NUMBER(OWNER, avg_item_price),
    STRING(OWNER, order_size_bucket)};
#undef OWNER
static SCHEMA(order_schema, struct derived_order, "DerivedOrder", order_fields);

struct derived_click {
    bool is_mobile;
    const char *page_category;
    bool is_product_page;
};

#define OWNER struct derived_click
static const struct field click_fields[] = {BOOLEAN(OWNER, is_mobile), STRING(OWNER, page_category),
                                            BOOLEAN(OWNER, is_product_page)};
#undef OWNER
static SCHEMA(click_schema, struct derived_click, "DerivedClick", click_fields);

struct derived_payment {
    double risk_score;
    const char *risk_level;
};

#define OWNER struct derived_payment
static const struct field payment_fields[] = {NUMBER(OWNER, risk_score), STRING(OWNER, risk_level)};
#undef OWNER
static SCHEMA(payment_schema, struct derived_payment, "DerivedPayment", payment_fields);

static void write_order(const struct event *event, struct json_writer *writer)
{
    double total = (double)event->total_cents / 100;
    const char *bucket = total < 50 ? "small" : total < 200 ? "medium" : "large";
    struct derived_order order = {.order_size_bucket = total < 1000 ? bucket : "whale"};

    for (size_t i = 0; i < event->item_count; i++) {
        bool seen = false;

        order.item_count += event->items[i].quantity;
        for (size_t j = 0; j < i; j++)
            seen = seen || strcmp(event->items[j].product_id, event->items[i].product_id) == 0;
        order.unique_products += !seen;
    }
    order.avg_item_price = number_round(total / (double)order.item_count, 2);
    schema_write(writer, &order_schema, &order);
}

static void write_click(const struct event *event, struct json_writer *writer)
{
    const json_t *width = json_object_get(event->payload, "viewport_width");
    const char *category = event_page_category(event->page_url);
    const struct derived_click click = {.is_mobile =
                                            json_is_number(width) && json_number_value(width) < 768,
                                        .page_category = category,
                                        .is_product_page = strcmp(category, "product_detail") == 0};

    schema_write(writer, &click_schema, &click);
}

static void write_payment(const struct event *event, struct json_writer *writer)
{
    const char *method = json_string_value(json_object_get(event->payload, "method"));
    struct derived_payment payment;
    int hundredths = 0;

    if (event->total_cents > 20000)
        hundredths += event->total_cents > 50000 ? 30 : 10;
    if (method && strcmp(method, "card") == 0)
        hundredths += 10;
    if (method && strcmp(method, "wallet") == 0)
        hundredths += 15;
    if (!event->user_id || !*event->user_id)
        hundredths += 30;
    payment = (struct derived_payment){.risk_score = hundredths / 100.0,
                                       .risk_level = hundredths > 50    ? "high"
                                                     : hundredths >= 20 ? "medium"
                                                                        : "low"};
    schema_write(writer, &payment_schema, &payment);
}

void event_write_derived(const struct event *event, struct json_writer *writer)
{
    if (event->family == EVENT_PRODUCT || event->family == EVENT_CHANGE)
        return;
    writer_key(writer, "_derived");
    if (event->family == EVENT_ORDER)
        write_order(event, writer);
    else if (event->family == EVENT_CLICK)
        write_click(event, writer);
    else
        write_payment(event, writer);
}
