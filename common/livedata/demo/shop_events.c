/* Draws visits, orders and mistakes of the shop, slot by slot. */
#include "livedata/demo/shop_events.h"

#include "base/clock.h"
#include "math/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ITEMS_MAX = 3, PAGES_MAX = 5, USERS = 400 };
enum { STREAM_ORDERS = 1, STREAM_VISITS, STREAM_MISTAKES };

static const int64_t second_us = 1000000, minute_us = 60000000, hour_us = 3600000000;
static const int64_t order_slot_us = 40000000, visit_slot_us = 12000000;
static const int64_t mistake_slot_us = 4 * 3600000000LL, visit_longest_us = 300000000;
const int64_t shop_longest_us = 7 * 3600000000LL;

struct item {
    const char *product_id, *unit_price;
    int64_t quantity;
};

#define OWNER struct item
static const struct field item_fields[] = {STRING(OWNER, product_id), STRING(OWNER, unit_price),
                                           INTEGER(OWNER, quantity)};
#undef OWNER
static SCHEMA(item_schema, struct item, "DemoItem", item_fields);

/* An event of any type; members that a type does not have are NULL. */
struct payload {
    const char *event_id, *event_type, *timestamp, *source;
    const char *session_id, *user_id, *page_url, *user_agent, *product_id;
    const char *order_id, *payment_id, *status, *method, *total_amount, *amount, *currency;
    const char *name, *category, *price;
    struct optional_boolean in_stock;
    struct optional_integer stock_quantity;
    OBJECT_LIST(struct item, items);
};

#define OPTIONAL(member) STRING(OWNER, member, .omit_if_null = true)
#define OWNER struct payload
static const struct field payload_fields[] = {
    STRING(OWNER, event_id),
    STRING(OWNER, event_type),
    STRING(OWNER, timestamp),
    STRING(OWNER, source),
    OPTIONAL(session_id),
    OPTIONAL(user_id),
    OPTIONAL(page_url),
    OPTIONAL(user_agent),
    OPTIONAL(product_id),
    OPTIONAL(order_id),
    OPTIONAL(payment_id),
    OPTIONAL(status),
    OPTIONAL(method),
    OPTIONAL(total_amount),
    OPTIONAL(amount),
    OPTIONAL(currency),
    OPTIONAL(name),
    OPTIONAL(category),
    OPTIONAL(price),
    NULLABLE_BOOLEAN(OWNER, in_stock, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, stock_quantity, .omit_if_null = true),
    OBJECTS(OWNER, items, item_schema, .omit_if_null = true)};
#undef OWNER
static SCHEMA(payload_schema, struct payload, "DemoEvent", payload_fields);

struct drawing {
    struct arena *arena;
    const struct shop_catalog *catalog;
    struct random random;
    int64_t slot, from, to;
    int serial; /* of the slot's events */
    int stream;
    struct demo_events *events;
};

static double uniform(struct drawing *drawing)
{
    return random_uniform(&drawing->random);
}

static int64_t between(struct drawing *drawing, int64_t least, int64_t most)
{
    return least + (int64_t)(uniform(drawing) * (double)(most - least));
}

/* Share of the slots that bring an order, by the hour in UTC. */
static double order_share(int64_t at)
{
    static const double shares[24] = {.28, .2, .16, .14, .14, .18, .26, .36, .46, .52, .56, .6,
                                      .62, .6, .56, .56, .6,  .68, .76, .82, .84, .76, .58, .4};

    return shares[at / hour_us % 24];
}

/* Adds an event of the slot, if it lies in the period. */
static void add(struct drawing *drawing, struct payload payload, const char *type, int64_t at)
{
    char time[CLOCK_TEXT_MAX];

    drawing->serial++;
    if (at <= drawing->from || at > drawing->to || drawing->events->count == DEMO_EVENTS_MAX)
        return;
    clock_format(at, time);
    payload.event_id =
        demo_event_id(drawing->arena, drawing->serial, drawing->stream, drawing->slot);
    payload.event_type = type;
    payload.timestamp = time;
    payload.source =
        drawing->stream == STREAM_MISTAKES ? drawing->catalog->partner : drawing->catalog->source;
    drawing->events->items[drawing->events->count++] = (struct demo_event){
        at, schema_json(drawing->arena, DEMO_EVENT_BYTES_MAX, &payload_schema, &payload)};
}

/* A visit of a page, or something put into the cart. */
static void add_page(struct drawing *drawing, const char *type, const char *session,
                     const char *user, const char *url, const char *product, int64_t at)
{
    add(drawing,
        (struct payload){.session_id = session,
                         .user_id = user,
                         .page_url = url,
                         .product_id = product,
                         .user_agent = "Mozilla/5.0 (demonstration)"},
        type, at);
}

static const char *product_id(struct drawing *drawing, size_t product)
{
    return arena_print(drawing->arena, "PROD-%03zu", product + 1);
}

static const char *session_id(const struct drawing *drawing)
{
    return arena_print(drawing->arena, "SES-%x%09llx", (unsigned)drawing->stream,
                       (unsigned long long)drawing->slot);
}

static const char *some_page(struct drawing *drawing, const char **product)
{
    double chance = uniform(drawing);
    size_t chosen = random_below(&drawing->random, drawing->catalog->count);

    *product = NULL;
    if (chance < 0.2)
        return "/";
    if (chance < 0.35)
        return "/search";
    *product = product_id(drawing, chosen);
    return arena_print(drawing->arena, "/products/%zu", chosen + 1);
}

/* Somebody looks around; one in seven puts something into the cart and leaves it there. */
static void draw_visit(struct drawing *drawing, bool brief)
{
    int64_t at = drawing->slot * visit_slot_us + between(drawing, 0, visit_slot_us);
    size_t pages = 1 + random_below(&drawing->random, PAGES_MAX);
    const char *session = session_id(drawing);
    const char *user = uniform(drawing) < 0.4
                           ? arena_print(drawing->arena, "USR-%d",
                                         10001 + (int)random_below(&drawing->random, USERS))
                           : NULL;
    const char *product = NULL;

    for (size_t i = 0; i < (brief ? 1 : pages); i++) {
        const char *url = some_page(drawing, &product);

        add_page(drawing, "page_view", session, user, url, product, at);
        at += between(drawing, 8 * second_us, 45 * second_us);
    }
    if (!brief && product && uniform(drawing) < 0.3)
        add_page(drawing, "add_to_cart", session, user, "/cart", product, at);
}

struct order {
    const char *id, *user, *method;
    size_t count, products[ITEMS_MAX];
    int quantities[ITEMS_MAX];
    double total;
    int64_t at;
};

static struct order choose_order(struct drawing *drawing)
{
    static const char *const methods[] = {"card", "card", "card", "wallet", "bank_transfer"};
    const struct shop_catalog *catalog = drawing->catalog;
    struct order order = {.at = drawing->slot * order_slot_us + between(drawing, 0, order_slot_us)};
    time_t day = (time_t)(order.at / second_us);
    struct tm date;

    gmtime_r(&day, &date);
    order.id =
        arena_print(drawing->arena, "ORD-%04d%02d%02d-%04d", date.tm_year + 1900, date.tm_mon + 1,
                    date.tm_mday, (int)(1000 + drawing->slot % (24 * hour_us / order_slot_us)));
    order.user =
        arena_print(drawing->arena, "USR-%d", 10001 + (int)random_below(&drawing->random, USERS));
    order.method = methods[random_below(&drawing->random, COUNT_OF(methods))];
    order.count = 1 + (uniform(drawing) < 0.35) + (uniform(drawing) < 0.12);
    for (size_t i = 0; i < order.count; i++) {
        /* Different products; the first of the list sell best. */
        double chance = uniform(drawing);

        order.products[i] =
            ((size_t)(chance * chance * (double)catalog->count) + i * 3) % catalog->count;
        order.quantities[i] = uniform(drawing) < 0.12 ? 2 : 1;
        order.total += order.quantities[i] * catalog->products[order.products[i]].price;
    }
    return order;
}

static const char *amount(struct arena *arena, double value)
{
    return arena_print(arena, "%.2f", value);
}

static void add_order(struct drawing *drawing, const struct order *order, const char *type,
                      const char *status, int64_t at)
{
    struct item *items = ARENA_ARRAY(drawing->arena, struct item, order->count);

    for (size_t i = 0; i < order->count; i++) {
        double price = drawing->catalog->products[order->products[i]].price;

        items[i] = (struct item){.product_id = product_id(drawing, order->products[i]),
                                 .unit_price = amount(drawing->arena, price),
                                 .quantity = order->quantities[i]};
    }
    add(drawing,
        (struct payload){.order_id = order->id,
                         .user_id = order->user,
                         .status = status,
                         .total_amount = amount(drawing->arena, order->total),
                         .currency = drawing->catalog->currency,
                         .items = {order->count, items}},
        type, at);
}

static void add_payment(struct drawing *drawing, const struct order *order, const char *status,
                        double value, int64_t at)
{
    add(drawing,
        (struct payload){.payment_id = arena_print(drawing->arena, "PAY-%s", order->id + 4),
                         .order_id = order->id,
                         .user_id = order->user,
                         .amount = amount(drawing->arena, value),
                         .currency = drawing->catalog->currency,
                         .method = order->method,
                         .status = status},
        arena_print(drawing->arena, "payment.%s", status), at);
}

static void add_order_visit(struct drawing *drawing, const struct order *order, bool brief)
{
    const char *session = session_id(drawing);
    const char *product = product_id(drawing, order->products[0]);
    const char *page = arena_print(drawing->arena, "/products/%zu", order->products[0] + 1);
    int64_t start = order->at - between(drawing, 2 * minute_us, 4 * minute_us);

    if (!brief) {
        add_page(drawing, "page_view", session, order->user, "/search", NULL, start);
        add_page(drawing, "page_view", session, order->user, page, product, start + 30 * second_us);
        add_page(drawing, "add_to_cart", session, order->user, "/cart", product,
                 start + 70 * second_us);
    }
    add_page(drawing, "page_view", session, order->user, "/checkout", NULL,
             order->at - 20 * second_us);
}

/* Of 100 orders, 4 fail at the payment and are cancelled, one is never paid and is cancelled after
 * two hours, and 2 are cancelled by the customer. */
static void draw_order(struct drawing *drawing, bool brief)
{
    struct order order;
    double fate;
    int64_t paid, shipped;

    if (uniform(drawing) >= order_share(drawing->slot * order_slot_us))
        return;
    order = choose_order(drawing);
    fate = uniform(drawing);
    paid = order.at + between(drawing, 8 * second_us, 40 * second_us);
    shipped = paid + between(drawing, 20 * minute_us, 90 * minute_us);
    add_order_visit(drawing, &order, brief);
    add_order(drawing, &order, "order.created", "pending", order.at);
    if (fate < 0.01) {
        add_order(drawing, &order, "order.cancelled", "cancelled", order.at + 2 * hour_us);
        return;
    }
    if (!brief)
        add_payment(drawing, &order, "initiated", order.total, order.at + 2 * second_us);
    if (fate < 0.05) {
        add_payment(drawing, &order, "failed", order.total, paid);
        add_order(drawing, &order, "order.cancelled", "cancelled", paid + 10 * minute_us);
        return;
    }
    add_payment(drawing, &order, "completed", order.total, paid);
    add_order(drawing, &order, "order.updated", "confirmed", paid + 5 * second_us);
    if (fate < 0.07) {
        add_order(drawing, &order, "order.cancelled", "cancelled", paid + 12 * minute_us);
        return;
    }
    add_order(drawing, &order, "order.updated", "shipped", shipped);
    add_order(drawing, &order, "order.updated", "delivered",
              shipped + between(drawing, 150 * minute_us, 300 * minute_us));
}

/* The partner's feed sends an order whose total is wrong, or a payment below the least amount. */
static void draw_mistake(struct drawing *drawing)
{
    struct order order;

    drawing->random = random_start(STREAM_MISTAKES, (uint64_t)drawing->slot);
    order = choose_order(drawing);
    /* Two are never close to each other. */
    order.at = drawing->slot * mistake_slot_us +
               between(drawing, mistake_slot_us / 4, mistake_slot_us * 3 / 4);
    order.id = arena_print(drawing->arena, "%.13s9%s", order.id, order.id + 13);
    if (drawing->slot % 3 == 0) {
        add_payment(drawing, &order, "completed", 0.01, order.at);
        return;
    }
    order.total += 10;
    add_order(drawing, &order, "order.created", "pending", order.at);
}

/* Calls the slots whose events may lie in the period. */
static void draw_slots(struct drawing *drawing, int stream, int64_t slot_us, int64_t longest,
                       bool brief)
{
    drawing->stream = stream;
    for (drawing->slot = (drawing->from - longest) / slot_us;
         drawing->slot * slot_us <= drawing->to + visit_longest_us; drawing->slot++) {
        drawing->random = random_start((uint64_t)stream, (uint64_t)drawing->slot);
        drawing->serial = 0;
        if (stream == STREAM_ORDERS)
            draw_order(drawing, brief);
        else if (stream == STREAM_VISITS)
            draw_visit(drawing, brief);
        else
            draw_mistake(drawing);
    }
}

void shop_events_draw(struct arena *arena, const struct shop_catalog *catalog, int64_t from,
                      int64_t to, bool brief, struct demo_events *events)
{
    struct drawing drawing = {
        .arena = arena, .catalog = catalog, .from = from, .to = to, .events = events};

    *events = demo_events_empty(arena, DEMO_EVENTS_MAX);
    draw_slots(&drawing, STREAM_ORDERS, order_slot_us, shop_longest_us, brief);
    draw_slots(&drawing, STREAM_VISITS, visit_slot_us, visit_longest_us, brief);
    draw_slots(&drawing, STREAM_MISTAKES, mistake_slot_us, mistake_slot_us, brief);
    demo_events_sort(events);
}

void shop_events_products(struct arena *arena, const struct shop_catalog *catalog, int64_t at,
                          struct demo_events *events)
{
    struct drawing drawing = {.arena = arena,
                              .catalog = catalog,
                              .from = at - 1,
                              .to = at,
                              .events = events,
                              .slot = at / second_us};

    *events = demo_events_empty(arena, catalog->count);
    for (size_t i = 0; i < catalog->count; i++) {
        const struct shop_product *product = &catalog->products[i];

        add(&drawing,
            (struct payload){.product_id = product_id(&drawing, i),
                             .name = product->name,
                             .category = product->category,
                             .price = amount(arena, product->price),
                             .currency = catalog->currency,
                             .in_stock = GIVEN_BOOLEAN(product->stock > 0),
                             .stock_quantity = GIVEN_INTEGER(product->stock)},
            "product.updated", at);
    }
}
