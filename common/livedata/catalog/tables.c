/* The tables available to queries, column by column, with each engine's expressions. */
#include "livedata/catalog/catalog.h"

#include <string.h>

const char *const column_type_names[] = {
    [COLUMN_TEXT] = "text",       [COLUMN_INTEGER] = "integer", [COLUMN_NUMBER] = "decimal",
    [COLUMN_BOOLEAN] = "boolean", [COLUMN_TIME] = "time",       [COLUMN_JSON] = "json",
    [COLUMN__MAX] = NULL};

#define TEXT_COLUMN(name)                                                                          \
    {                                                                                              \
#name, COLUMN_TEXT, #name, #name, #name                                                    \
    }
#define INTEGER_COLUMN(name)                                                                       \
    {                                                                                              \
#name, COLUMN_INTEGER, #name, #name, #name                                                 \
    }
#define FLAG_COLUMN(name)                                                                          \
    {                                                                                              \
#name, COLUMN_BOOLEAN, #name, "CAST(" #name " AS INTEGER)", #name                          \
    }
#define MONEY_COLUMN(name, cents)                                                                  \
    {                                                                                              \
#name, COLUMN_NUMBER, cents " / 100.0", "CAST(" cents " / 100.0 AS DOUBLE PRECISION)",     \
            cents, 2                                                                               \
    }
#define TIME_COLUMN(name, stored)                                                                  \
    {                                                                                              \
#name, COLUMN_TIME, "strftime('%Y-%m-%dT%H:%M:%fZ', " stored " / 1000000.0, 'unixepoch')", \
            "to_timestamp(" stored " / 1000000.0)", stored                                         \
    }

static const struct table_column order_columns[] = {
    TEXT_COLUMN(order_id), TEXT_COLUMN(user_id),
    TEXT_COLUMN(status),   MONEY_COLUMN(total_amount, "total_cents"),
    TEXT_COLUMN(currency), TIME_COLUMN(created_at, "created_at"),
};
static const struct table_column item_columns[] = {
    TEXT_COLUMN(order_id),
    TEXT_COLUMN(product_id),
    INTEGER_COLUMN(quantity),
    {"unit_price", COLUMN_NUMBER, "amount_cents / 100.0 / quantity",
     "CAST(amount_cents / 100.0 / quantity AS DOUBLE PRECISION)"},
};
static const struct table_column product_columns[] = {
    TEXT_COLUMN(product_id), TEXT_COLUMN(name),
    TEXT_COLUMN(category),   MONEY_COLUMN(price, "price_cents"),
    FLAG_COLUMN(in_stock),   INTEGER_COLUMN(stock_quantity),
};

/* A session ends 30 minutes after its last event; imported ones have an end time. */
#define SESSION_END_SQLITE                                                                         \
    "coalesce(ended_at, CASE WHEN last_event_at <="                                                \
    " (CAST(strftime('%s', 'now') AS INTEGER) - 1800) * 1000000 THEN last_event_at END)"
#define SESSION_END_POSTGRES                                                                       \
    "coalesce(ended_at, CASE WHEN last_event_at <="                                                \
    " CAST((extract(epoch FROM now()) - 1800) * 1000000 AS BIGINT) THEN last_event_at END)"

static const struct table_column session_columns[] = {
    TEXT_COLUMN(session_id),
    TEXT_COLUMN(user_id),
    TIME_COLUMN(started_at, "started_at"),
    {"ended_at", COLUMN_TIME,
     "strftime('%Y-%m-%dT%H:%M:%fZ', " SESSION_END_SQLITE " / 1000000.0, 'unixepoch')",
     "to_timestamp(" SESSION_END_POSTGRES " / 1000000.0)"},
    {"duration_seconds", COLUMN_NUMBER, "duration_us / 1000000.0",
     "CAST(duration_us / 1000000.0 AS DOUBLE PRECISION)", "duration_us", 6},
    INTEGER_COLUMN(event_count),
    INTEGER_COLUMN(unique_pages),
    TEXT_COLUMN(funnel_stage),
    FLAG_COLUMN(is_conversion),
};
static const struct table_column user_columns[] = {
    TEXT_COLUMN(user_id),
    INTEGER_COLUMN(total_orders),
    MONEY_COLUMN(total_spent, "total_cents"),
    TIME_COLUMN(first_order_at, "first_order_at"),
    TIME_COLUMN(last_order_at, "last_order_at"),
    {"preferred_category", COLUMN_TEXT, "coalesce(preferred_category, 'unknown')",
     "coalesce(preferred_category, 'unknown')"},
};
static const struct table_column journal_columns[] = {
    TEXT_COLUMN(event_id),
    TEXT_COLUMN(topic),
    TEXT_COLUMN(entity_type),
    TEXT_COLUMN(entity_id),
    TEXT_COLUMN(event_type),
    INTEGER_COLUMN(latency_ms),
    TIME_COLUMN(processed_at, "processed_at"),
};

#define COLUMNS(table) (table), sizeof(table) / sizeof((table)[0])

const struct serving_table serving_tables[] = {
    {"orders_v2", "order", "order_id", COLUMNS(order_columns)},
    {"order_items", "order", "order_id", COLUMNS(item_columns)},
    {"products_current", "product", "product_id", COLUMNS(product_columns)},
    {"sessions_aggregated", "session", "session_id", COLUMNS(session_columns)},
    {"users_enriched", "user", "user_id", COLUMNS(user_columns)},
    {"pipeline_events", NULL, "event_id", COLUMNS(journal_columns)},
};
const size_t serving_table_count = sizeof serving_tables / sizeof serving_tables[0];

const struct serving_table *serving_table_find(const char *name)
{
    for (size_t i = 0; i < serving_table_count; i++)
        if (strcmp(serving_tables[i].name, name) == 0)
            return &serving_tables[i];
    return NULL;
}

const struct table_column *serving_column_find(const struct serving_table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return &table->columns[i];
    return NULL;
}
