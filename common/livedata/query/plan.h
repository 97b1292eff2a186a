/*
 * The plan of a question: measure, subject, period and conditions. A plan exists only when it uses
 * every word that carries meaning.
 */
#ifndef ASSAY_LIVEDATA_QUERY_PLAN_H
#define ASSAY_LIVEDATA_QUERY_PLAN_H

#include "db/db.h"
#include "livedata/query/periods.h"
#include "livedata/query/words.h"
#include "livedata/settings.h"

enum plan_measure {
    PLAN_NONE,
    PLAN_ENTITY, /* one order, user, product or session by its id */
    PLAN_LIST,
    PLAN_COUNT,
    PLAN_REVENUE,
    PLAN_AVERAGE_ORDER,
    PLAN_CONVERSION,
    PLAN_ERROR_RATE,
    PLAN_ACTIVE_SESSIONS,
    PLAN_STOCK,
    PLAN_RANK_PRICE,   /* of products */
    PLAN_RANK_SOLD,    /* products by revenue */
    PLAN_RANK_SPENT,   /* users */
    PLAN_RANK_ORDERED, /* users by number of orders */
    PLAN_RANK_AMOUNT,  /* orders */
    PLAN__MAX
};

enum plan_group {
    GROUP_NONE,
    GROUP_STATUS,
    GROUP_CURRENCY,
    GROUP_USER,
    GROUP_PRODUCT,
    GROUP_CATEGORY
};

enum plan_stock { STOCK_ALL, STOCK_IN, STOCK_OUT };

enum {
    PLAN_STATUSES = 5,
    PLAN_TOP_DEFAULT = 5, /* of "the top" without a number */
    PLAN_TOP_MOST = 1000,
};
extern const char *const plan_statuses[PLAN_STATUSES + 1];

struct question_plan {
    enum plan_measure measure;
    enum word_slot subject; /* SLOT_ORDER... */
    unsigned with, without; /* statuses, by index */
    struct period period;
    const char *currency; /* or NULL */
    const char *order_id, *user_id, *product_id, *session_id;
    enum plan_group group;
    const char *amount_sign; /* ">=", with `amount`; or NULL */
    double amount;
    int64_t top;
    bool ascending; /* lowest first */
    bool has_rank_number;
    enum plan_stock stock;
};

struct plan_context {
    struct arena *arena;
    enum db_engine engine;
    int64_t now;
    const char *zone;
    const struct livedata_settings *settings; /* currency and rates */
};

/* `measure` is PLAN_NONE when no plan uses all words; `left` lists the unused words as written,
 * each once. */
void plan_read(const struct plan_context *context, const char *question, struct question_plan *plan,
               struct string_list *left);

/* The period of the computation: the requested one, else the last hour if the measure needs one. */
struct period plan_period(const struct question_plan *plan);

/* The orders that count; a plan without a status excludes cancelled orders, unless it lists all or
 * counts by status. */
struct plan_states {
    unsigned with, without;
};
struct plan_states plan_states(const struct question_plan *plan);

/* The statement, before it is scoped to a tenant; and one sentence that describes the
 * computation. */
const char *plan_sql(const struct plan_context *context, const struct question_plan *plan);
const char *plan_sentence(const struct plan_context *context, const struct question_plan *plan);

/* Private to plan_*.c: whether the measure reads the current tables, without a period. */
bool plan_is_of_now(const struct question_plan *plan);

#endif
