/* Questions in words: a table of those that are answered, with what is computed, and of those that
 * are refused, with the words that no plan has used. Decision 28: whole or not at all. */
#include "livedata_fixture.h"

#include "livedata/query/plan.h"
#include "livedata/sandbox/scope.h"
#include "livedata/sandbox/sql_guard.h"

/* Wednesday, 2026-11-25 23:30 UTC; in Berlin it is Thursday already. */
static const int64_t asked_at = 1795649400 * (int64_t)1000000;

/* The sentence says all that is computed; a part of the statement says how. */
static const struct {
    const char *question, *sentence, *sql;
} answered[] = {
    {"revenue",
     "Sum of the amounts of orders that are not cancelled, in RUB, without orders in other "
     "currencies, created in the last hour (the question names no period).",
     "SUM(CAST(ROUND(o.total_amount * 100) AS BIGINT)) / 100.0"},
    {"What is the revenue today?",
     "Sum of the amounts of orders that are not cancelled, in RUB, without orders in other "
     "currencies, created from 2026-11-25 00:00 until 2026-11-26 00:00 (UTC).",
     "o.created_at < "},
    {"total sales yesterday", "created from 2026-11-24 00:00 until 2026-11-25 00:00 (UTC).",
     "AS revenue"},
    {"total revenue last 3 hours", "created in the last 3 hours.", "3 hours"},
    {"revenue in the last 24 hours", "created in the last 24 hours.", "24 hours"},
    {"revenue over the past 24h", "created in the last 24 hours.", "24 hours"},
    {"revenue for the last 7 days", "created in the last 7 days.", "7 days"},
    {"revenue in the past week", "created in the last 7 days.", "7 days"},
    {"revenue last week", "from 2026-11-16 00:00 until 2026-11-23 00:00 (UTC).", ""},
    {"revenue this week", "from 2026-11-23 00:00 until 2026-11-30 00:00 (UTC).", ""},
    {"revenue last month", "from 2026-10-01 00:00 until 2026-11-01 00:00 (UTC).", ""},
    {"revenue this month", "from 2026-11-01 00:00 until 2026-12-01 00:00 (UTC).", ""},
    {"revenue this year", "from 2026-01-01 00:00 until 2027-01-01 00:00 (UTC).", ""},
    {"revenue on Monday", "from 2026-11-23 00:00 until 2026-11-24 00:00 (UTC).", ""},
    {"revenue on wednesday", "from 2026-11-25 00:00 until 2026-11-26 00:00 (UTC).", ""},
    {"revenue last Wednesday", "from 2026-11-18 00:00 until 2026-11-19 00:00 (UTC).", ""},
    {"revenue on 2026-11-01", "from 2026-11-01 00:00 until 2026-11-02 00:00 (UTC).", ""},
    {"revenue since 2026-11-01", "created from 2026-11-01 00:00 (UTC).", ""},
    {"revenue from 2026-11-01 to 2026-11-05", "from 2026-11-01 00:00 until 2026-11-06 00:00 (UTC).",
     ""},
    {"revenue between Monday and today", "from 2026-11-23 00:00 until 2026-11-26 00:00 (UTC).", ""},
    {"revenue yesterday between 9:00 and 12:00",
     "from 2026-11-24 09:00 until 2026-11-24 12:00 (UTC).", ""},
    {"revenue after 6 pm yesterday", "from 2026-11-24 18:00 until 2026-11-25 00:00 (UTC).", ""},
    {"revenue since 8:30am", "created from 2026-11-25 08:30 (UTC).", ""},
    {"revenue from yesterday 22:00 to today 6:00:30",
     "from 2026-11-24 22:00 until 2026-11-25 06:00 (UTC).", ""},
    {"revenue from 3 to 10 November", "from 2026-11-03 00:00 until 2026-11-11 00:00 (UTC).", ""},
    {"revenue before yesterday", "created until 2026-11-24 00:00 (UTC).", ""},
    {"revenue in October", "from 2026-10-01 00:00 until 2026-11-01 00:00 (UTC).", ""},
    {"revenue in December", "from 2025-12-01 00:00 until 2026-01-01 00:00 (UTC).", ""},
    {"revenue on November 3rd", "from 2026-11-03 00:00 until 2026-11-04 00:00 (UTC).", ""},
    {"revenue on 3 May 2025", "from 2025-05-03 00:00 until 2025-05-04 00:00 (UTC).", ""},
    {"revenue in 2025", "from 2025-01-01 00:00 until 2026-01-01 00:00 (UTC).", ""},
    {"revenue of all time", "other currencies, of all time.", ""},
    {"revenue in EUR today", "orders in EUR alone", "o.currency = 'EUR'"},
    {"how much revenue in euros today", "orders in EUR alone", "o.currency = 'EUR'"},
    {"revenue today by currency", "each currency in itself", "GROUP BY o.currency"},
    {"revenue by status this month", "by status.", "GROUP BY o.status"},
    {"revenue per customer today", "by user.", "GROUP BY o.user_id"},
    {"revenue by product today", "by product.", "LEFT JOIN products_current"},
    {"sales per category this week", "by category.", "GROUP BY p.category"},
    {"revenue of delivered orders", "orders that are delivered, in RUB", "o.status = 'delivered'"},
    {"revenue of USR-10003", "of user USR-10003, in RUB", "o.user_id = 'USR-10003'"},
    {"how much did USR-10003 spend this month", "of user USR-10003", "AS revenue"},
    {"What is the average order value today?", "Mean amount of orders that are not cancelled",
     "/ COUNT(*) AS avg_order_value"},
    {"AOV last 2 days", "in the last 2 days.", "avg_order_value"},
    {"how many orders today", "Number of orders that are not cancelled, created from 2026-11-25",
     "COUNT(*) AS orders"},
    {"number of orders", "created in the last hour (the question names no period).", ""},
    {"how many orders are pending", "Number of orders that are pending, of all time.",
     "o.status = 'pending'"},
    {"how many orders were not delivered", "Number of orders that are not delivered, of all time.",
     "o.status != 'delivered'"},
    {"how many orders weren't delivered", "that are not delivered", "o.status != 'delivered'"},
    {"how many orders have not yet been shipped", "that are pending or confirmed,",
     "o.status IN ('pending', 'confirmed')"},
    {"which orders still have not arrived",
     "List of orders that are pending or confirmed or shipped, of all time.",
     "o.status IN ('pending', 'confirmed', 'shipped')"},
    {"which orders have not arrived yet", "that are pending or confirmed or shipped,", ""},
    {"how many orders haven't arrived", "that are pending or confirmed or shipped,", ""},
    {"how many orders from this week didn't arrive",
     "that are pending or confirmed or shipped, created from 2026-11-23", ""},
    {"orders of USR-10003 that didn\xe2\x80\x99t arrive",
     "that are pending or confirmed or shipped, of user USR-10003", ""},
    {"which orders are yet to be delivered", "that are pending or confirmed or shipped,", ""},
    {"orders that are still to be shipped", "that are pending or confirmed,", ""},
    {"orders not delivered yet", "that are pending or confirmed or shipped,", ""},
    {"how many orders are still pending", "that are pending,", "o.status = 'pending'"},
    {"how many orders are still not confirmed", "that are pending,", ""},
    {"how many orders are still open today", "that are pending or confirmed or shipped,", ""},
    {"which orders are on the way", "that are shipped,", "o.status = 'shipped'"},
    {"which orders arrived today", "that are delivered, created from", "o.status = 'delivered'"},
    {"which orders have already been delivered", "that are delivered,", ""},
    {"which products are still out of stock", "Products that are out of stock now.", ""},
    {"how many undelivered orders", "that are not delivered", "o.status != 'delivered'"},
    {"how many orders are not delivered or cancelled", "not delivered or cancelled",
     "o.status NOT IN ('delivered', 'cancelled')"},
    {"how many orders are pending or shipped today", "that are pending or shipped, created from",
     "o.status IN ('pending', 'shipped')"},
    {"orders excluding cancelled this week", "List of orders that are not cancelled",
     "o.status != 'cancelled'"},
    {"how many orders with status confirmed", "that are confirmed", "o.status = 'confirmed'"},
    {"how many orders did customer USR-10003 place", "of user USR-10003, of all time.",
     "o.user_id = 'USR-10003'"},
    {"orders by USR-10003", "List of orders, of user USR-10003", "o.user_id = 'USR-10003'"},
    {"how many orders by status", "by status.", "GROUP BY o.status"},
    {"orders over 1,000 today", "with an amount > 1000", "o.total_amount > 1000"},
    {"how many orders of at least 99.50 EUR", "with an amount >= 99.5, in EUR",
     "o.currency = 'EUR'"},
    {"show all orders", "List of orders, of all time.", "ORDER BY created_at DESC"},
    {"show me order ORD-2024-X1", "The order ORD-2024-X1, as it is now.",
     "order_id = 'ORD-2024-X1'"},
    {"what is the status of order ORD-20260404-1001", "The order ORD-20260404-1001", "order_id = "},
    {"details for user USR-42", "The user USR-42, as it is now.", "user_id = 'USR-42'"},
    {"show PROD-001", "The product PROD-001", "product_id = 'PROD-001'"},
    {"price of prod-001", "The product prod-001", "product_id = 'prod-001'"},
    {"session SES-1", "The session SES-1", "session_id = 'SES-1'"},
    {"top 7 products", "The 7 products with the highest price, as they are now.", "LIMIT 7"},
    {"top 2 products today", "The 2 products with the highest price, as they are now.", "LIMIT 2"},
    {"top five products by price", "The 5 products with the highest price", "LIMIT 5"},
    {"most expensive product", "The 1 products with the highest price", "LIMIT 1"},
    {"3 cheapest products", "The 3 products with the lowest price", "ORDER BY price, name LIMIT 3"},
    {"top 5 products by revenue today",
     "The 5 products with the highest revenue, in RUB, without orders in other currencies, created "
     "from 2026-11-25 00:00",
     "ORDER BY revenue DESC, product_id LIMIT 5"},
    {"best selling products this month", "products with the highest revenue", "LIMIT 5"},
    {"top 999999999999999999999 products", "The 1000 products", "LIMIT 1000"},
    {"which user spent the most", "The 1 users with the highest total spent", "LIMIT 1"},
    {"top 3 customers", "The 3 users with the highest total spent", "LIMIT 3"},
    {"who has the most orders", "The 1 users with the highest number of orders",
     "total_orders DESC"},
    {"largest order this week", "The 1 orders that are not cancelled with the highest amount",
     "total_amount DESC, order_id LIMIT 1"},
    {"conversion rate last 2 days", "Share of sessions that reached checkout", "2 days"},
    {"which products are out of stock", "Products that are out of stock now.",
     "stock_quantity = 0"},
    {"which products are not in stock right now", "Products that are out of stock now.", ""},
    {"which products are in stock", "Products that are in stock now.", "in_stock = 1"},
    {"active sessions", "that started in the last 30 minutes", "ended_at IS NULL"},
    {"how many sessions yesterday", "Number of sessions, started from 2026-11-24",
     "started_at >= "},
    {"how many customers do we have", "Number of users, as they are now.", "users_enriched"},
    {"how many products are there", "Number of products, as they are now.", "products_current"},
    {"products by category", "Number of products, as they are now, by category.",
     "GROUP BY category"},
    {"what was yesterday's revenue?", "from 2026-11-24 00:00 until 2026-11-25 00:00", ""},
    {"Who are our top customers?", "The 5 users with the highest total spent", "LIMIT 5"},
    {"Which product is the most expensive?", "The 1 products with the highest price", "LIMIT 1"},
    {"how many orders did we get in the last hour", "created in the last hour.", ""},
    {"list pending orders", "List of orders that are pending, of all time.", ""},
    {"how many sessions are active", "that started in the last 30 minutes", ""},
    {"what is out of stock", "Products that are out of stock now.", ""},
    {"conversion in the last 24 hours", "started in the last 24 hours.", ""},
    {"total number of orders this month", "Number of orders that are not cancelled", ""},
    {"orders above 500 RUB", "with an amount > 500.0, in RUB, of all time.", ""},
    {"what is the error rate today", "Share of events that could not be applied", "error_rate"},
};

static const struct {
    const char *question, *left;
} refused[] = {
    {"What is the meaning of life?", "meaning life"},
    {"revenue in Berlin", "Berlin"},
    {"revenue of kettles today", "kettles"},
    {"revenue today without taxes", "without taxes"},
    {"revenue tomorrow", "tomorrow"},
    {"revenue between 9:00 and 12:00", "between 9:00 and 12:00"},
    {"revenue between 13 pm and 14:00 today", "between 13 pm and 14:00"},
    {"revenue in the last 3 fortnights", "last 3 fortnights"},
    {"revenue today and yesterday", "and yesterday"},
    {"revenue in EUR and USD", "and USD"},
    {"revenue by day", "by day"},
    {"revenue per hour today", "per hour"},
    {"revenue by user and status", "and status"},
    {"revenue on 2026-02-30", "2026-02-30"},
    {"how many orders from Alice", "Alice"},
    {"how many orders were refunded", "refunded"},
    {"revenue yet", "yet"},
    {"still", "still"},
    {"which orders are still late", "still late"},
    {"how many orders were delivered late", "late"},
    {"how many orders are not urgent", "not urgent"},
    {"how many orders and users", "and users"},
    {"how many users spent more than 1000", "spent more than 1000"},
    {"how many new customers today", "new"},
    {"orders of 12 items", "12 items"},
    {"orders ORD-1 and ORD-2", "and ORD-2"},
    {"is order ORD-20260404-1001 delivered", "delivered"},
    {"products in order ORD-20260404-1001", "products"},
    {"order ORD-1' OR '1'='1", "OR 1 ="},
    {"revenue last 5'; DROP TABLE orders_v2 -- minutes", "last 5 DROP TABLE orders_v2 minutes"},
    {"top 5 products by weight", "by weight"},
    {"top 5 products yesterday", "yesterday"},
    {"top 2 or 3 products", "or 3"},
    {"average price of products", "average price"},
    {"conversion rate of mobile sessions", "mobile"},
    {"active sessions yesterday", "yesterday"},
    {"which products are low on stock", "low"},
    {"why is revenue down", "why down"},
    {"Umsatz heute", "Umsatz heute"},
    {"\xd0\xb2\xd1\x8b\xd1\x80\xd1\x83\xd1\x87\xd0\xba\xd0\xb0 today",
     "\xd0\xb2\xd1\x8b\xd1\x80\xd1\x83\xd1\x87\xd0\xba\xd0\xb0 today"},
    {"\xe4\xbb\x8a\xe5\xa4\xa9\xe7\x9a\x84\xe6\x94\xb6\xe5\x85\xa5\xef\xbc\x9f",
     "\xe4\xbb\x8a\xe5\xa4\xa9\xe7\x9a\x84\xe6\x94\xb6\xe5\x85\xa5"},
    {"show me the", ""},
};

static struct plan_context context_of(struct arena *arena, struct livedata_settings *settings,
                                      enum db_engine engine)
{
    settings->currency = "RUB";
    return (struct plan_context){
        .arena = arena, .engine = engine, .now = asked_at, .zone = "UTC", .settings = settings};
}

static const char *joined(struct arena *arena, const struct string_list *list)
{
    struct text text;

    text_start(&text, arena, 2000);
    for (size_t i = 0; i < list->count; i++)
        text_append_format(&text, "%s%s", i ? " " : "", list->items[i]);
    return text.bytes;
}

TEST(a_question_is_answered_whole)
{
    struct arena *arena = arena_create((size_t)1 << 26);
    struct livedata_settings settings = {0};
    struct string_list tables = scope_allowed_tables(arena, NULL, NULL);

    for (size_t i = 0; i < sizeof answered / sizeof answered[0]; i++)
        for (int engine = 0; engine < DB_ENGINE__MAX; engine++) {
            struct plan_context context = context_of(arena, &settings, (enum db_engine)engine);
            const char *sentence = "refused", *sql = "";
            struct problem problem = {.text = ""};
            struct guard_finding finding;
            struct question_plan plan;
            struct string_list left;

            plan_read(&context, answered[i].question, &plan, &left);
            if (plan.measure) {
                sentence = plan_sentence(&context, &plan);
                sql = plan_sql(&context, &plan);
            }
            if (strstr(sentence, answered[i].sentence) &&
                (strstr(sql, answered[i].sql) || engine != DB_SQLITE) &&
                guard_check(arena, sql, &tables, &finding, &problem) == ERROR_NONE)
                continue;
            printf("%s\n  says %s\n  expected %s\n  %s (%s)\n  left: %s\n", answered[i].question,
                   sentence, answered[i].sentence, sql, problem.text, joined(arena, &left));
            test_failures_here++;
        }
    arena_destroy(arena);
}

TEST(words_that_no_plan_uses_are_named)
{
    struct arena *arena = arena_create((size_t)1 << 26);
    struct livedata_settings settings = {0};
    struct plan_context context = context_of(arena, &settings, DB_SQLITE);

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct question_plan plan;
        struct string_list left;

        plan_read(&context, refused[i].question, &plan, &left);
        if (!plan.measure && strcmp(joined(arena, &left), refused[i].left) == 0)
            continue;
        printf("%s\n  leaves '%s', expected '%s'\n  %s\n", refused[i].question,
               joined(arena, &left), refused[i].left,
               plan.measure ? plan_sentence(&context, &plan) : "");
        test_failures_here++;
    }
    arena_destroy(arena);
}

/* Days begin at midnight of the zone, also where its clock changes. */
TEST(calendar_periods_are_those_of_the_time_zone)
{
    static const struct {
        const char *question, *zone, *from, *to;
    } periods[] = {
        {"revenue today", "Europe/Berlin", "2026-11-25T23:00:00Z", "2026-11-26T23:00:00Z"},
        {"revenue yesterday", "America/New_York", "2026-11-24T05:00:00Z", "2026-11-25T05:00:00Z"},
        {"revenue on 2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
        {"revenue in October", "Europe/Berlin", "2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z"},
        {"revenue this hour", "Asia/Kolkata", "2026-11-25T23:30:00Z", "2026-11-26T00:30:00Z"},
        {"revenue on Thursday", "Europe/Berlin", "2026-11-25T23:00:00Z", "2026-11-26T23:00:00Z"},
        {"revenue on Thursday", "UTC", "2026-11-19T00:00:00Z", "2026-11-20T00:00:00Z"},
    };
    struct arena *arena = arena_create((size_t)1 << 24);
    struct livedata_settings settings = {0};
    struct plan_context context = context_of(arena, &settings, DB_SQLITE);

    for (size_t i = 0; i < sizeof periods / sizeof periods[0]; i++) {
        char from[TIMESTAMP_TEXT], to[TIMESTAMP_TEXT];
        struct question_plan plan;
        struct string_list left;

        context.zone = periods[i].zone;
        plan_read(&context, periods[i].question, &plan, &left);
        timestamp_format(plan.period.from, from);
        timestamp_format(plan.period.to, to);
        CHECK_TEXT(from, periods[i].from);
        CHECK_TEXT(to, periods[i].to);
    }
    CHECK(zone_is_known("Europe/Berlin") && !zone_is_known("Mars/Base") &&
          !zone_is_known("../passwd"));
    arena_destroy(arena);
}

TEST_MAIN(CASE(a_question_is_answered_whole), CASE(words_that_no_plan_uses_are_named),
          CASE(calendar_periods_are_those_of_the_time_zone))
