/* The rules, as a table: what must be in the question, and the statement it becomes. In the texts
 * `{since}` stands for the beginning of the window, `{n}` for a number, `{id}` for an id. */
#include "livedata/query/translate.h"

#include "base/number.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { TOP_DEFAULT = 5, TOP_MOST = 1000, DAYS_MOST = 3650, DIGITS_MOST = 12 };

struct question {
    struct arena *arena;
    enum db_engine engine;
    const char *text;  /* as it was asked */
    const char *lower; /* trimmed, in lower case */
    const char *id;
    int64_t top;
    int64_t window_amount;
    const char *window_unit; /* "hours" */
    struct translation_note *note;
};

static bool has(const struct question *question, const char *words)
{
    return strstr(question->lower, words) != NULL;
}

/* The whole number after `word` and blanks; absurd ones are cut. */
static bool number_after(const struct question *question, const char *word, int64_t most,
                         int64_t *number, const char **rest)
{
    for (const char *at = strstr(question->lower, word); at; at = strstr(at + 1, word)) {
        const char *digits = at + strlen(word);
        size_t blanks = strspn(digits, " "), count;
        char text[DIGITS_MOST + 1];

        count = strspn(digits + blanks, "0123456789");
        if (!blanks || !count)
            continue;
        *rest = digits + blanks + count;
        *number = most;
        if (count <= DIGITS_MOST) {
            (void)!snprintf(text, sizeof text, "%.*s", (int)count, digits + blanks);
            (void)!integer_parse(text, number);
        }
        if (*number > most || count > DIGITS_MOST) {
            *number = most;
            question->note->clamped = true;
            question->note->limit = most;
        }
        return true;
    }
    return false;
}

static void find_window(struct question *question)
{
    const char *rest;
    int64_t amount;

    question->window_amount = 1;
    question->window_unit = "hours";
    if (number_after(question, "last", DAYS_MOST * 24 * 60, &amount, &rest)) {
        rest += strspn(rest, " ");
        if (strncmp(rest, "min", 3) == 0 || strncmp(rest, "hour", 4) == 0 ||
            strncmp(rest, "day", 3) == 0) {
            question->window_unit = *rest == 'm' ? "minutes" : *rest == 'h' ? "hours" : "days";
            question->window_amount = *rest == 'd' && amount > DAYS_MOST ? DAYS_MOST : amount;
            return;
        }
    }
    if (has(question, "today") || has(question, "last day") || has(question, "yesterday"))
        question->window_amount = 24;
    else if (has(question, "last week") || has(question, "this week"))
        question->window_amount = 24 * 7;
}

/* Letters, digits and dashes from `prefix` on, in either case; NULL when there is none. */
static const char *find_id(struct question *question, const char *prefix, const char *after,
                           bool digits_only)
{
    const char *tail = digits_only
                           ? "0123456789"
                           : "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-";

    for (const char *at = strcasestr(question->text, prefix); at; at = strcasestr(at + 1, prefix)) {
        size_t length = strspn(at + strlen(prefix), tail);
        size_t before = strlen(after);

        if (!length || (digits_only && strncmp(at, prefix, strlen(prefix)) != 0))
            continue;
        if (before && (at < question->text + before + 1 || !isspace((unsigned char)at[-1])))
            continue;
        return arena_copy(question->arena, at, strlen(prefix) + length);
    }
    return NULL;
}

static bool is_order(struct question *question)
{
    question->id = find_id(question, "ORD-", has(question, "order") ? "order" : "", false);
    return question->id != NULL;
}

static bool is_user(struct question *question)
{
    question->id = find_id(question, "USR-", "", true);
    return question->id != NULL && has(question, "user");
}

static bool is_product(struct question *question)
{
    question->id = find_id(question, "PROD-", "", false);
    return question->id != NULL;
}

static bool is_session(struct question *question)
{
    question->id = find_id(question, "SES-", "", false);
    return question->id != NULL;
}

static bool is_top_product(struct question *question)
{
    const char *rest;

    question->top = TOP_DEFAULT;
    if (!has(question, "top") || !has(question, "product"))
        return false;
    (void)number_after(question, "top", TOP_MOST, &question->top, &rest);
    return true;
}

static bool is_top_product_by_revenue(struct question *question)
{
    return is_top_product(question) && (has(question, "revenue") || has(question, "sales"));
}

static bool is_revenue(struct question *question)
{
    return has(question, "revenue") || has(question, "total sales");
}

static bool is_average(struct question *question)
{
    return has(question, "average order") || has(question, "avg order") || has(question, "aov");
}

static bool is_conversion(struct question *question)
{
    return has(question, "conversion");
}

static bool is_stock(struct question *question)
{
    return has(question, "stock");
}

static bool is_active_sessions(struct question *question)
{
    return has(question, "session") && (has(question, "active") || has(question, "current"));
}

static bool is_error_rate(struct question *question)
{
    return has(question, "error rate");
}

static const char *status_in(const struct question *question)
{
    static const char *const statuses[] = {"pending",   "confirmed", "shipped",
                                           "delivered", "cancelled", NULL};

    for (size_t i = 0; statuses[i]; i++)
        if (has(question, statuses[i]))
            return statuses[i];
    return NULL;
}

static bool asks_count(const struct question *question)
{
    return has(question, "how many") || has(question, "number of") || has(question, "count");
}

static bool is_status_count(struct question *question)
{
    question->id = status_in(question);
    return asks_count(question) && question->id && has(question, "order");
}

static bool is_order_count(struct question *question)
{
    return asks_count(question) && has(question, "order");
}

static bool is_user_count(struct question *question)
{
    return asks_count(question) && (has(question, "user") || has(question, "customer"));
}

static bool is_product_count(struct question *question)
{
    return asks_count(question) && has(question, "product");
}

static bool is_session_count(struct question *question)
{
    return asks_count(question) && has(question, "session");
}

static bool is_best_user(struct question *question)
{
    return (has(question, "user") || has(question, "customer")) && has(question, "most") &&
           (has(question, "spen") || has(question, "spent"));
}

static bool is_busiest_user(struct question *question)
{
    return (has(question, "user") || has(question, "customer")) && has(question, "most") &&
           has(question, "order");
}

static bool is_dearest(struct question *question)
{
    return (has(question, "expensive") || has(question, "highest price")) &&
           has(question, "product");
}

static bool is_cheapest(struct question *question)
{
    return (has(question, "cheap") || has(question, "lowest price")) && has(question, "product");
}

static bool is_largest_order(struct question *question)
{
    return (has(question, "largest") || has(question, "biggest") || has(question, "max")) &&
           has(question, "order");
}

static bool is_status_list(struct question *question)
{
    question->id = status_in(question);
    return question->id && has(question, "order");
}

static const struct rule {
    bool (*matches)(struct question *question);
    const char *sql;
} rules[] = {
    {is_order, "SELECT * FROM orders_v2 WHERE order_id = '{id}'"},
    {is_top_product_by_revenue,
     "SELECT p.name, p.category, SUM(i.quantity * i.unit_price) AS revenue, SUM(i.quantity) AS "
     "units"
     " FROM order_items i JOIN orders_v2 o ON o.order_id = i.order_id"
     " JOIN products_current p ON p.product_id = i.product_id"
     " WHERE o.status != 'cancelled' AND o.created_at >= {since} GROUP BY p.name, p.category"
     " ORDER BY revenue DESC, p.name LIMIT {n}"},
    {is_top_product, "SELECT name, category, price, stock_quantity FROM products_current"
                     " ORDER BY price DESC, name LIMIT {n}"},
    {is_revenue, "SELECT SUM(total_amount) as revenue FROM orders_v2 WHERE status != 'cancelled'"
                 " AND created_at >= {since}"},
    {is_average, "SELECT AVG(total_amount) as avg_order_value FROM orders_v2"
                 " WHERE status != 'cancelled' AND created_at >= {since}"},
    {is_conversion,
     "SELECT SUM(CASE WHEN is_conversion = 1 THEN 1 ELSE 0 END) AS conversions,"
     " COUNT(*) AS total_sessions,"
     " ROUND(CAST(100.0 * SUM(CASE WHEN is_conversion = 1 THEN 1 ELSE 0 END) / NULLIF(COUNT(*), 0)"
     " AS NUMERIC), 2) AS conversion_pct FROM sessions_aggregated WHERE started_at >= {since}"},
    {is_user, "SELECT * FROM users_enriched WHERE user_id = '{id}'"},
    {is_product, "SELECT * FROM products_current WHERE product_id = '{id}'"},
    {is_session, "SELECT * FROM sessions_aggregated WHERE session_id = '{id}'"},
    {is_stock, "SELECT product_id, name, category, stock_quantity FROM products_current"
               " WHERE in_stock = 0 OR stock_quantity = 0 ORDER BY product_id"},
    {is_active_sessions, "SELECT COUNT(*) AS active_sessions FROM sessions_aggregated"
                         " WHERE ended_at IS NULL AND started_at >= {half_hour}"},
    {is_error_rate, "SELECT AVG(CASE WHEN topic = 'events.deadletter' THEN 1.0 ELSE 0.0 END)"
                    " AS error_rate FROM pipeline_events WHERE processed_at >= {since}"},
    {is_best_user, "SELECT user_id, total_spent FROM users_enriched"
                   " ORDER BY total_spent DESC, user_id LIMIT 1"},
    {is_busiest_user, "SELECT user_id, total_orders FROM users_enriched"
                      " ORDER BY total_orders DESC, user_id LIMIT 1"},
    {is_dearest, "SELECT name, price FROM products_current ORDER BY price DESC, name LIMIT 1"},
    {is_cheapest, "SELECT name, price FROM products_current ORDER BY price, name LIMIT 1"},
    {is_status_count, "SELECT COUNT(*) AS orders FROM orders_v2 WHERE status = '{id}'"},
    {is_order_count, "SELECT COUNT(*) AS orders FROM orders_v2 WHERE status != 'cancelled'"
                     " AND created_at >= {since}"},
    {is_user_count, "SELECT COUNT(*) AS users FROM users_enriched"},
    {is_product_count, "SELECT COUNT(*) AS products FROM products_current"},
    {is_session_count, "SELECT COUNT(*) AS sessions FROM sessions_aggregated"
                       " WHERE started_at >= {since}"},
    {is_largest_order, "SELECT order_id, user_id, total_amount FROM orders_v2"
                       " ORDER BY total_amount DESC, order_id LIMIT 1"},
    {is_status_list, "SELECT * FROM orders_v2 WHERE status = '{id}' ORDER BY created_at DESC,"
                     " order_id"},
};

static const char *since(const struct question *question, int64_t amount, const char *unit)
{
    if (question->engine == DB_SQLITE)
        return arena_print(question->arena,
                           "strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', 'now', '-%lld %s')",
                           (long long)amount, unit);
    return arena_print(question->arena, "NOW() - INTERVAL '%lld %s'", (long long)amount, unit);
}

static const char *fill(struct question *question, const char *sql)
{
    struct text text;

    text_start(&text, question->arena, 4000);
    while (*sql) {
        size_t plain = strcspn(sql, "{");

        text_append(&text, sql, plain);
        sql += plain;
        if (!*sql)
            break;
        if (strncmp(sql, "{id}", 4) == 0)
            text_append_string(&text, question->id);
        else if (strncmp(sql, "{n}", 3) == 0)
            text_append_format(&text, "%lld", (long long)question->top);
        else if (strncmp(sql, "{half_hour}", 11) == 0)
            text_append_string(&text, since(question, 30, "minutes"));
        else
            text_append_string(&text,
                               since(question, question->window_amount, question->window_unit));
        sql += strcspn(sql, "}") + 1;
    }
    return text.bytes;
}

static const char *lowered(struct arena *arena, const char *text)
{
    size_t skip = strspn(text, " \t\r\n"), length = strlen(text + skip);
    char *copy = arena_copy(arena, text + skip, length);

    for (size_t i = 0; i < length; i++)
        copy[i] = (char)tolower((unsigned char)copy[i]);
    while (length && isspace((unsigned char)copy[length - 1]))
        copy[--length] = '\0';
    return copy;
}

const char *translate_question(struct arena *arena, enum db_engine engine, const char *asked,
                               struct translation_note *note)
{
    struct question question = {.arena = arena,
                                .engine = engine,
                                .text = asked,
                                .lower = lowered(arena, asked),
                                .note = note};

    *note = (struct translation_note){0};
    find_window(&question);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].matches(&question))
            return fill(&question, rules[i].sql);
    return NULL;
}
