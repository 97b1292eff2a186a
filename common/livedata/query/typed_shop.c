/* The shop's plans in the typed form. */
#include "livedata/query/typed_plan.h"

#include "base/list.h"

#include <string.h>

struct translation {
    const struct plan_context *context;
    const struct question_plan *plan;
    struct typed_plan typed;
    struct typed_filter *filters;
};

static void add_filter(struct translation *translation, const char *column, enum typed_operator op,
                       json_t *values)
{
    struct typed_filter *filter = ARRAY_ADD(translation->context->arena, translation->filters,
                                            translation->typed.filters.count);

    *filter = (struct typed_filter){.column = column, .op = (int)op, .values = values};
}

static void add_text(struct translation *translation, const char *column, const char *value)
{
    const struct string_list list = {1, &value};

    add_filter(translation, column, TYPED_EQUAL, typed_texts(translation->context->arena, &list));
}

static void add_statuses(struct translation *translation, unsigned statuses, bool negated)
{
    const char *names[PLAN_STATUSES];
    struct string_list list = {0, names};

    for (int i = 0; i < PLAN_STATUSES; i++)
        if (statuses & 1u << i)
            names[list.count++] = plan_statuses[i];
    if (list.count)
        add_filter(translation, "status",
                   list.count > 1 ? negated ? TYPED_NOT_IN : TYPED_IN
                   : negated      ? TYPED_NOT_EQUAL
                                  : TYPED_EQUAL,
                   typed_texts(translation->context->arena, &list));
}

static void add_amount(struct translation *translation)
{
    static const struct {
        const char *sign;
        enum typed_operator op;
    } signs[] = {{">", TYPED_ABOVE},
                 {">=", TYPED_AT_LEAST},
                 {"<", TYPED_BELOW},
                 {"<=", TYPED_AT_MOST},
                 {"=", TYPED_EQUAL}};
    const struct question_plan *plan = translation->plan;

    for (size_t i = 0; plan->amount_sign && i < COUNT_OF(signs); i++)
        if (strcmp(signs[i].sign, plan->amount_sign) == 0)
            add_filter(translation, "total_amount", signs[i].op,
                       typed_numbers(translation->context->arena, &plan->amount, 1));
}

/* A metric of the shop leaves out cancelled orders by itself. */
static void add_orders(struct translation *translation, bool metric)
{
    const struct question_plan *plan = translation->plan;
    struct plan_states states = plan_states(plan);

    add_statuses(translation, states.with, false);
    if (!metric)
        add_statuses(translation, states.without, true);
    if (plan->user_id)
        add_text(translation, "user_id", plan->user_id);
    if (plan->currency)
        add_text(translation, "currency", plan->currency);
    add_amount(translation);
}

/* Whether cancelled orders are left out although the question does not say so. */
static bool is_metric(const struct question_plan *plan)
{
    return !plan->with && !plan->without && plan_states(plan).without == 1u << (PLAN_STATUSES - 1);
}

static void set_group(struct translation *translation)
{
    static const char *const paths[] = {[GROUP_STATUS] = "status",
                                        [GROUP_CURRENCY] = "currency",
                                        [GROUP_USER] = "user_id",
                                        [GROUP_PRODUCT] = "items.product_id",
                                        [GROUP_CATEGORY] = "items.product.category"};
    const struct question_plan *plan = translation->plan;
    const char *path = plan->group ? paths[plan->group] : NULL;

    if (plan->measure == PLAN_RANK_SOLD)
        path = paths[GROUP_PRODUCT];
    if (plan->group == GROUP_CATEGORY && plan->subject == SLOT_PRODUCT &&
        plan->measure == PLAN_COUNT)
        path = "category";
    if (path)
        *LIST_ADD(translation->context->arena, &translation->typed.group_by) = path;
}

static void select_over(struct translation *translation, enum typed_select select,
                        const char *column)
{
    translation->typed.select = (int)select;
    translation->typed.column = column;
}

static void select_metric(struct translation *translation, const char *metric)
{
    translation->typed.select = TYPED_METRIC;
    translation->typed.metric = metric;
}

static void set_orders(struct translation *translation, const char *metric,
                       enum typed_select select, const char *column)
{
    bool as_metric = is_metric(translation->plan);

    if (as_metric)
        select_metric(translation, metric);
    else
        select_over(translation, select, column);
    add_orders(translation, as_metric);
    set_group(translation);
}

static void set_order(struct translation *translation, const char *by)
{
    struct typed_order *order = ARENA_NEW(translation->context->arena, struct typed_order);

    *order = (struct typed_order){by, !translation->plan->ascending};
    translation->typed.order = order;
    translation->typed.limit = GIVEN_INTEGER(translation->plan->top);
}

static void set_record(struct translation *translation)
{
    const struct question_plan *plan = translation->plan;

    translation->typed.select = TYPED_RECORD;
    translation->typed.key = plan->order_id     ? plan->order_id
                             : plan->product_id ? plan->product_id
                             : plan->session_id ? plan->session_id
                                                : plan->user_id;
}

static void set_list(struct translation *translation)
{
    const struct question_plan *plan = translation->plan;
    bool count = plan->measure == PLAN_COUNT, orders = plan->subject == SLOT_ORDER;

    if (orders && count) {
        set_orders(translation, "order_count", TYPED_COUNT, NULL);
        return;
    }
    translation->typed.select = count ? TYPED_COUNT : TYPED_ROWS;
    if (orders)
        add_orders(translation, false);
    else if (plan->user_id)
        add_text(translation, "user_id", plan->user_id);
    set_group(translation);
}

static void set_measure(struct translation *translation)
{
    static const char *const orders[PLAN__MAX] = {[PLAN_RANK_PRICE] = "price",
                                                  [PLAN_RANK_SPENT] = "total_spent",
                                                  [PLAN_RANK_ORDERED] = "total_orders",
                                                  [PLAN_RANK_AMOUNT] = "total_amount"};
    const struct question_plan *plan = translation->plan;

    switch (plan->measure) {
    case PLAN_ENTITY:
        set_record(translation);
        break;
    case PLAN_LIST:
    case PLAN_COUNT:
        set_list(translation);
        break;
    case PLAN_REVENUE:
    case PLAN_RANK_SOLD:
        set_orders(translation, "revenue", TYPED_SUM, "total_amount");
        break;
    case PLAN_AVERAGE_ORDER:
        set_orders(translation, "avg_order_value", TYPED_AVERAGE, "total_amount");
        break;
    case PLAN_CONVERSION:
        select_metric(translation, "conversion_rate");
        break;
    case PLAN_ERROR_RATE:
        select_metric(translation, "error_rate");
        break;
    case PLAN_ACTIVE_SESSIONS:
        select_metric(translation, "active_sessions");
        break;
    case PLAN_STOCK:
        if (plan->stock != STOCK_ALL)
            add_filter(translation, "in_stock", TYPED_EQUAL,
                       typed_flag(translation->context->arena, plan->stock == STOCK_IN));
        break;
    default:
        if (plan->measure == PLAN_RANK_AMOUNT)
            add_orders(translation, false);
        break;
    }
    if (orders[plan->measure])
        set_order(translation, orders[plan->measure]);
    if (plan->measure == PLAN_RANK_SOLD)
        set_order(translation, "value");
}

struct typed_plan typed_of_shop(const struct plan_context *context,
                                const struct question_plan *plan)
{
    static const char *const entities[SLOT__MAX] = {[SLOT_ORDER] = "order",
                                                    [SLOT_USER] = "user",
                                                    [SLOT_PRODUCT] = "product",
                                                    [SLOT_SESSION] = "session"};
    struct translation translation = {.context = context, .plan = plan};
    const struct period period = plan_period(plan);
    bool sold = plan->measure == PLAN_RANK_SOLD || plan->measure == PLAN_REVENUE;

    translation.typed.entity = sold ? "order" : entities[plan->subject];
    translation.typed.select = TYPED_ROWS;
    set_measure(&translation);
    translation.typed.filters.items = translation.filters;
    if (!plan_is_of_now(plan)) {
        translation.typed.period = typed_period_of(context->arena, &period, context->now);
        translation.typed.relative = typed_relative(context->arena, &period);
    }
    return translation.typed;
}
