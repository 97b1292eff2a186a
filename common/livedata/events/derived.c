/* What the journal keeps beside the state: figures derived from one event. */
#include "livedata/events/event.h"

#include "base/number.h"

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

static void write_order(const struct event *event, struct json_writer *writer)
{
    double total = (double)event->total_cents / 100;
    int64_t count = 0, unique = 0;
    const char *bucket = total < 50 ? "small" : total < 200 ? "medium" : "large";

    for (size_t i = 0; i < event->item_count; i++) {
        bool seen = false;

        count += event->items[i].quantity;
        for (size_t j = 0; j < i; j++)
            seen = seen || strcmp(event->items[j].product_id, event->items[i].product_id) == 0;
        unique += !seen;
    }
    writer_key_integer(writer, "item_count", count);
    writer_key_integer(writer, "unique_products", unique);
    writer_key_number(writer, "avg_item_price", number_round(total / (double)count, 2));
    writer_key_string(writer, "order_size_bucket", total < 1000 ? bucket : "whale");
}

static void write_click(const struct event *event, struct json_writer *writer)
{
    const json_t *width = json_object_get(event->payload, "viewport_width");
    const char *category = event_page_category(event->page_url);

    writer_key_boolean(writer, "is_mobile",
                       json_is_number(width) && json_number_value(width) < 768);
    writer_key_string(writer, "page_category", category);
    writer_key_boolean(writer, "is_product_page", strcmp(category, "product_detail") == 0);
}

static void write_payment(const struct event *event, struct json_writer *writer)
{
    const char *method = json_string_value(json_object_get(event->payload, "method"));
    int hundredths = 0;

    if (event->total_cents > 20000)
        hundredths += event->total_cents > 50000 ? 30 : 10;
    if (method && strcmp(method, "card") == 0)
        hundredths += 10;
    if (method && strcmp(method, "wallet") == 0)
        hundredths += 15;
    if (!event->user_id || !*event->user_id)
        hundredths += 30;
    writer_key_number(writer, "risk_score", hundredths / 100.0);
    writer_key_string(writer, "risk_level",
                      hundredths > 50    ? "high"
                      : hundredths >= 20 ? "medium"
                                         : "low");
}

void event_write_derived(const struct event *event, struct json_writer *writer)
{
    if (event->family == EVENT_PRODUCT || event->family == EVENT_CHANGE)
        return;
    writer_key(writer, "_derived");
    writer_open_object(writer);
    if (event->family == EVENT_ORDER)
        write_order(event, writer);
    else if (event->family == EVENT_CLICK)
        write_click(event, writer);
    else
        write_payment(event, writer);
    writer_close_object(writer);
}
