/* Translates plans into SQL. The constants here are parts of statements that the guard parses
 * afterwards; the values between them are numbers, dates, ids of letters, digits and dashes, and
 * table names. */
#include "livedata/query/plan.h"

#include "base/number.h"
#include "base/text.h"
#include "livedata/timestamp.h"

#include <string.h>

enum { SQL_BYTES_MAX = 8000 };

/* The parts of a statement. */
static const char orders_from[] = " FROM orders_v2 o",
                  items_from[] = " FROM order_items i JOIN orders_v2 o ON o.order_id = i.order_id"
                                 " LEFT JOIN products_current p ON p.product_id = i.product_id";

struct builder {
    const struct plan_context *context;
    const struct question_plan *plan;
    struct text text;
    bool filtered; /* WHERE has been written */
};

static void put(struct builder *builder, const char *part)
{
    text_append_string(&builder->text, part);
}

static void begin_condition(struct builder *builder)
{
    static const char first[] = " WHERE ", next[] = " AND ";

    put(builder, builder->filtered ? next : first);
    builder->filtered = true;
}

static void condition(struct builder *builder, const char *before, const char *value,
                      const char *after)
{
    begin_condition(builder);
    put(builder, before);
    put(builder, value);
    put(builder, after);
}

static const char *since(const struct builder *builder, int64_t amount, const char *unit)
{
    struct arena *arena = builder->context->arena;

    if (builder->context->engine == DB_SQLITE)
        return arena_print(arena, "strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', 'now', '-%lld %s')",
                           (long long)amount, unit);
    return arena_print(arena, "NOW() - INTERVAL '%lld %s'", (long long)amount, unit);
}

static const char *timestamp(const struct builder *builder, int64_t at)
{
    char text[TIMESTAMP_TEXT];

    timestamp_format_seconds(at, text);
    if (builder->context->engine == DB_SQLITE)
        return arena_print(builder->context->arena, "'%.19s.000Z'", text);
    return arena_print(builder->context->arena, "CAST('%s' AS TIMESTAMPTZ)", text);
}

static void in_period(struct builder *builder, const char *column)
{
    struct period period = plan_period(builder->plan);

    if (period.kind == PERIOD_DURATION)
        condition(builder, column, " >= ", since(builder, period.amount, period.unit));
    if (period.kind == PERIOD_CALENDAR && period.from)
        condition(builder, column, " >= ", timestamp(builder, period.from));
    if (period.kind == PERIOD_CALENDAR && period.to)
        condition(builder, column, " < ", timestamp(builder, period.to));
}

static void in_states(struct builder *builder, unsigned states, const char *one, const char *many)
{
    bool single = states && !(states & (states - 1)), first = true;

    if (!states)
        return;
    begin_condition(builder);
    put(builder, single ? one : many);
    for (int i = 0; i < PLAN_STATUSES; i++) {
        if (!(states & 1u << i))
            continue;
        text_append_format(&builder->text, "%s'%s'", first ? "" : ", ", plan_statuses[i]);
        first = false;
    }
    put(builder, single ? "" : ")");
}

/* Sums are over the default currency and those with a rate, unless the question names one. */
static void in_currency(struct builder *builder, bool sums)
{
    const struct livedata_settings *settings = builder->context->settings;
    const struct currency_rates *rates = &settings->currency_rates;

    if (builder->plan->currency) {
        condition(builder, "o.currency = '", builder->plan->currency, "'");
    } else if (sums && builder->plan->group != GROUP_CURRENCY) {
        condition(builder, "o.currency IN ('", settings->currency, "'");
        for (size_t i = 0; i < rates->count; i++)
            text_append_format(&builder->text, ", '%s'", rates->items[i].currency);
        put(builder, ")");
    }
}

static void of_orders(struct builder *builder, bool sums)
{
    const struct question_plan *plan = builder->plan;
    struct plan_states states = plan_states(plan);
    char amount[NUMBER_TEXT_MAX];

    in_states(builder, states.with, "o.status = ", "o.status IN (");
    in_states(builder, states.without, "o.status != ", "o.status NOT IN (");
    in_currency(builder, sums);
    if (plan->user_id)
        condition(builder, "o.user_id = '", plan->user_id, "'");
    if (plan->amount_sign) {
        number_format(plan->amount, amount);
        condition(builder, "o.total_amount ", plan->amount_sign, " ");
        put(builder, amount);
    }
    in_period(builder, "o.created_at");
}

/* The sum in hundredths, each amount converted and rounded by itself. */
static void put_sum(struct builder *builder, const char *amount)
{
    static const char sum[] = "SUM(CAST(ROUND(", end[] = " * 100) AS BIGINT)) / 100.0";
    const struct currency_rates *rates = &builder->context->settings->currency_rates;
    bool converts =
        rates->count && !builder->plan->currency && builder->plan->group != GROUP_CURRENCY;

    put(builder, sum);
    put(builder, amount);
    for (size_t i = 0; converts && i < rates->count; i++)
        text_append_format(&builder->text, "%s WHEN '%s' THEN %s", i ? "" : " * CASE o.currency",
                           rates->items[i].currency, rates->items[i].text);
    put(builder, converts ? " ELSE 1 END" : "");
    put(builder, end);
}

/* The column that a group has, with its name. */
static const char *group_column(enum plan_group group)
{
    static const char *const columns[] = {
        [GROUP_STATUS] = "o.status", [GROUP_CURRENCY] = "o.currency", [GROUP_USER] = "o.user_id"};

    return columns[group];
}

/* Sums and counts of orders, over all or by a column of orders. */
static void sum_orders(struct builder *builder, enum plan_measure measure)
{
    static const char select[] = "SELECT ", group[] = " GROUP BY ", order[] = " ORDER BY ";
    const struct question_plan *plan = builder->plan;
    const char *column = plan->group ? group_column(plan->group) : NULL;

    put(builder, select);
    if (column) {
        put(builder, column);
        put(builder, " AS ");
        put(builder, column + 2);
        put(builder, ", ");
    }
    if (measure != PLAN_COUNT)
        put_sum(builder, "o.total_amount");
    put(builder, measure == PLAN_REVENUE         ? " AS revenue"
                 : measure == PLAN_AVERAGE_ORDER ? " / COUNT(*) AS avg_order_value"
                                                 : "COUNT(*) AS orders");
    put(builder, orders_from);
    of_orders(builder, measure != PLAN_COUNT);
    if (!column)
        return;
    put(builder, group);
    put(builder, column);
    put(builder, order);
    put(builder, column + 2);
}

/* Revenue by product or category; products that the catalog lacks have no name. */
static void sum_items(struct builder *builder, bool ranked)
{
    static const char select[] = "SELECT ", products[] = "p.name AS name, p.category AS category, ",
                      categories[] = "p.category AS category, ",
                      units[] = " AS revenue, SUM(i.quantity) AS units",
                      by_product[] = " GROUP BY i.product_id, p.name, p.category",
                      by_category[] = " GROUP BY p.category", order[] = " ORDER BY revenue";
    bool category = !ranked && builder->plan->group == GROUP_CATEGORY;

    put(builder, select);
    put(builder, category ? categories : products);
    put_sum(builder, "i.quantity * i.unit_price");
    put(builder, units);
    put(builder, category ? "" : ", i.product_id AS product_id");
    put(builder, items_from);
    of_orders(builder, true);
    put(builder, category ? by_category : by_product);
    put(builder, order);
    put(builder, ranked && builder->plan->ascending ? "" : " DESC");
    put(builder, category ? ", category" : ", product_id");
}

static void limit_to_top(struct builder *builder)
{
    static const char limit[] = " LIMIT ";

    put(builder, limit);
    text_append_format(&builder->text, "%lld", (long long)builder->plan->top);
}

static void rank(struct builder *builder, const char *select, const char *by, const char *then)
{
    static const char order[] = " ORDER BY ";

    put(builder, select);
    if (builder->plan->measure == PLAN_RANK_AMOUNT)
        of_orders(builder, false);
    put(builder, order);
    put(builder, by);
    put(builder, builder->plan->ascending ? ", " : " DESC, ");
    put(builder, then);
    limit_to_top(builder);
}

static void list_stock(struct builder *builder)
{
    static const char select[] =
        "SELECT product_id, name, category, stock_quantity FROM products_current",
                      out[] = " WHERE in_stock = 0 OR stock_quantity = 0",
                      in[] = " WHERE in_stock = 1 AND stock_quantity > 0",
                      order[] = " ORDER BY product_id";

    put(builder, select);
    put(builder, builder->plan->stock == STOCK_OUT  ? out
                 : builder->plan->stock == STOCK_IN ? in
                                                    : "");
    put(builder, order);
}

static void one_entity(struct builder *builder)
{
    const struct question_plan *plan = builder->plan;
    const struct {
        const char *id, *select;
    } kinds[] = {{plan->order_id, "SELECT * FROM orders_v2 WHERE order_id = '"},
                 {plan->product_id, "SELECT * FROM products_current WHERE product_id = '"},
                 {plan->session_id, "SELECT * FROM sessions_aggregated WHERE session_id = '"},
                 {plan->user_id, "SELECT * FROM users_enriched WHERE user_id = '"}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].id) {
            put(builder, kinds[i].select);
            put(builder, kinds[i].id);
            put(builder, "'");
            return;
        }
}

static void list_rows(struct builder *builder)
{
    static const char orders[] = "SELECT * FROM orders_v2 o",
                      sessions[] = "SELECT * FROM sessions_aggregated",
                      users[] = "SELECT * FROM users_enriched ORDER BY user_id",
                      products[] = "SELECT * FROM products_current ORDER BY product_id",
                      newest_orders[] = " ORDER BY created_at DESC, order_id",
                      newest_sessions[] = " ORDER BY started_at DESC, session_id";
    enum word_slot subject = builder->plan->subject;

    if (subject == SLOT_USER || subject == SLOT_PRODUCT) {
        put(builder, subject == SLOT_USER ? users : products);
        return;
    }
    put(builder, subject == SLOT_ORDER ? orders : sessions);
    if (subject == SLOT_ORDER) {
        of_orders(builder, false);
    } else {
        if (builder->plan->user_id)
            condition(builder, "user_id = '", builder->plan->user_id, "'");
        in_period(builder, "started_at");
    }
    put(builder, subject == SLOT_ORDER ? newest_orders : newest_sessions);
}

static void count_rows(struct builder *builder)
{
    static const char users[] = "SELECT COUNT(*) AS users FROM users_enriched",
                      products[] = "SELECT COUNT(*) AS products FROM products_current",
                      by_category[] = "SELECT category, COUNT(*) AS products FROM products_current"
                                      " GROUP BY category ORDER BY category",
                      sessions[] = "SELECT COUNT(*) AS sessions FROM sessions_aggregated";

    if (builder->plan->subject == SLOT_ORDER) {
        sum_orders(builder, PLAN_COUNT);
    } else if (builder->plan->subject == SLOT_SESSION) {
        put(builder, sessions);
        if (builder->plan->user_id)
            condition(builder, "user_id = '", builder->plan->user_id, "'");
        in_period(builder, "started_at");
    } else {
        put(builder, builder->plan->subject == SLOT_USER ? users
                     : builder->plan->group              ? by_category
                                                         : products);
    }
}

static void conversion(struct builder *builder)
{
    put(builder,
        "SELECT COALESCE(SUM(CASE WHEN is_conversion = 1 THEN 1 ELSE 0 END), 0) AS conversions,"
        " COUNT(*) AS total_sessions,"
        " ROUND(CAST(100.0 * SUM(CASE WHEN is_conversion = 1 THEN 1 ELSE 0 END)"
        " / NULLIF(COUNT(*), 0) AS NUMERIC), 2) AS conversion_pct FROM sessions_aggregated");
    in_period(builder, "started_at");
}

static void active_sessions(struct builder *builder)
{
    put(builder, "SELECT COUNT(*) AS active_sessions FROM sessions_aggregated");
    condition(builder, "ended_at IS NULL", "", "");
    condition(builder, "started_at", " >= ", since(builder, 30, "minutes"));
}

static void error_rate(struct builder *builder)
{
    put(builder, "SELECT AVG(CASE WHEN topic = 'events.deadletter' THEN 1.0 ELSE 0.0 END)"
                 " AS error_rate FROM pipeline_events");
    in_period(builder, "processed_at");
}

const char *plan_sql(const struct plan_context *context, const struct question_plan *plan)
{
    struct builder builder = {.context = context, .plan = plan};

    text_start(&builder.text, context->arena, SQL_BYTES_MAX);
    switch (plan->measure) {
    case PLAN_ENTITY:
        one_entity(&builder);
        break;
    case PLAN_LIST:
        list_rows(&builder);
        break;
    case PLAN_COUNT:
        count_rows(&builder);
        break;
    case PLAN_REVENUE:
    case PLAN_AVERAGE_ORDER:
        if (plan->group > GROUP_USER)
            sum_items(&builder, false);
        else
            sum_orders(&builder, plan->measure);
        break;
    case PLAN_CONVERSION:
        conversion(&builder);
        break;
    case PLAN_ERROR_RATE:
        error_rate(&builder);
        break;
    case PLAN_ACTIVE_SESSIONS:
        active_sessions(&builder);
        break;
    case PLAN_STOCK:
        list_stock(&builder);
        break;
    case PLAN_RANK_PRICE:
        rank(&builder, "SELECT name, category, price, stock_quantity FROM products_current",
             "price", "name");
        break;
    case PLAN_RANK_SOLD:
        sum_items(&builder, true);
        limit_to_top(&builder);
        break;
    case PLAN_RANK_SPENT:
        rank(&builder, "SELECT user_id, total_spent FROM users_enriched", "total_spent", "user_id");
        break;
    case PLAN_RANK_ORDERED:
        rank(&builder, "SELECT user_id, total_orders FROM users_enriched", "total_orders",
             "user_id");
        break;
    case PLAN_RANK_AMOUNT:
        rank(&builder, "SELECT order_id, user_id, total_amount, currency FROM orders_v2 o",
             "total_amount", "order_id");
        break;
    default:
        return NULL;
    }
    return builder.text.bytes;
}
