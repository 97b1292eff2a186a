/* Describes a plan in one sentence: measure, subject and period. */
#include "livedata/query/plan.h"

#include "base/number.h"
#include "base/text.h"

#include <string.h>

enum { SENTENCE_BYTES_MAX = 2000 };

static const char *const group_names[] = {[GROUP_STATUS] = "status",
                                          [GROUP_CURRENCY] = "currency",
                                          [GROUP_USER] = "user",
                                          [GROUP_PRODUCT] = "product",
                                          [GROUP_CATEGORY] = "category"};

struct period plan_period(const struct question_plan *plan)
{
    static const struct period hour = {.kind = PERIOD_DURATION, .amount = 1, .unit = "hours"};
    bool counted = plan->measure == PLAN_COUNT &&
                   (plan->subject == SLOT_ORDER || plan->subject == SLOT_SESSION);
    bool named = plan->with || plan->without || plan->user_id || plan->amount_sign;

    if (plan->period.kind != PERIOD_NONE || plan_is_of_now(plan))
        return plan->period;
    named = named || (counted && plan->currency);
    if (plan->measure == PLAN_LIST || plan->measure == PLAN_RANK_AMOUNT || named ||
        (plan->measure == PLAN_COUNT && !counted))
        return (struct period){.kind = PERIOD_ALL};
    return hour;
}

struct plan_states plan_states(const struct question_plan *plan)
{
    static const unsigned cancelled = 1u << (PLAN_STATUSES - 1);
    struct plan_states states = {plan->with, plan->without};
    bool money = plan->measure != PLAN_COUNT && plan->measure != PLAN_LIST;
    bool all = plan->measure == PLAN_LIST || plan->group == GROUP_STATUS;

    if (!states.with && !all && (money || !states.without))
        states.without |= cancelled;
    return states;
}

static void append_states(struct text *text, const char *head, unsigned states)
{
    bool first = true;

    for (int i = 0; i < PLAN_STATUSES; i++)
        if (states & 1u << i) {
            text_append_format(text, "%s%s", first ? head : " or ", plan_statuses[i]);
            first = false;
        }
}

static void append_orders(struct text *text, const struct question_plan *plan)
{
    struct plan_states states = plan_states(plan);
    char amount[NUMBER_TEXT_MAX];

    text_append_string(text, "orders");
    append_states(text, " that are ", states.with);
    append_states(text, states.with ? ", not " : " that are not ", states.without);
    if (plan->user_id)
        text_append_format(text, ", of user %s", plan->user_id);
    if (plan->amount_sign) {
        number_format(plan->amount, amount);
        text_append_format(text, ", with an amount %s %s", plan->amount_sign, amount);
    }
}

/* The currencies in a sum, and a note that others are missing. */
static void append_currency(struct text *text, const struct plan_context *context,
                            const struct question_plan *plan)
{
    const struct currency_rates *rates = &context->settings->currency_rates;

    if (plan->group == GROUP_CURRENCY) {
        text_append_string(text, ", each currency in itself");
    } else if (plan->currency) {
        text_append_format(text, ", orders in %s alone", plan->currency);
    } else {
        text_append_format(text, ", in %s", context->settings->currency);
        for (size_t i = 0; i < rates->count; i++)
            text_append_format(text, "%s1 %s = %s %s", i ? ", " : ", converted at ",
                               rates->items[i].currency, rates->items[i].text,
                               context->settings->currency);
        text_append_string(text, ", without orders in other currencies");
    }
}

static void append_period(struct text *text, const struct plan_context *context,
                          const struct question_plan *plan, const char *verb)
{
    struct period period = plan_period(plan);

    if (period.kind == PERIOD_ALL)
        text_append_string(text, ", of all time");
    else
        text_append_format(text, ", %s %s", verb,
                           period_text(context->arena, &period, context->zone));
    if (period.kind == PERIOD_DURATION && plan->period.kind == PERIOD_NONE)
        text_append_string(text, " (the question names no period)");
}

static void append_sum(struct text *text, const struct plan_context *context,
                       const struct question_plan *plan)
{
    text_append_string(text, plan->measure == PLAN_AVERAGE_ORDER ? "Mean amount of "
                             : plan->group > GROUP_USER
                                 ? "Sum of quantity times unit price of the items of "
                                 : "Sum of the amounts of ");
    append_orders(text, plan);
    append_currency(text, context, plan);
    append_period(text, context, plan, "created");
}

static void append_count(struct text *text, const struct plan_context *context,
                         const struct question_plan *plan)
{
    text_append_string(text, plan->measure == PLAN_COUNT ? "Number of " : "List of ");
    if (plan->subject == SLOT_ORDER) {
        append_orders(text, plan);
        if (plan->currency)
            text_append_format(text, ", in %s", plan->currency);
        append_period(text, context, plan, "created");
    } else if (plan->subject == SLOT_SESSION) {
        text_append_string(text, "sessions");
        if (plan->user_id)
            text_append_format(text, ", of user %s", plan->user_id);
        append_period(text, context, plan, "started");
    } else {
        text_append_string(text, plan->subject == SLOT_USER ? "users, as they are now"
                                                            : "products, as they are now");
    }
}

static void append_rank(struct text *text, const struct plan_context *context,
                        const struct question_plan *plan)
{
    static const struct {
        const char *what, *by;
    } ranks[PLAN__MAX] = {
        [PLAN_RANK_PRICE] = {"products", "price"},
        [PLAN_RANK_SOLD] = {"products", "revenue"},
        [PLAN_RANK_SPENT] = {"users", "total spent (amounts of all currencies as they are)"},
        [PLAN_RANK_ORDERED] = {"users", "number of orders"},
        [PLAN_RANK_AMOUNT] = {NULL, "amount"}};

    text_append_format(text, "The %lld ", (long long)plan->top);
    if (ranks[plan->measure].what)
        text_append_string(text, ranks[plan->measure].what);
    else
        append_orders(text, plan);
    text_append_format(text, " with the %s %s", plan->ascending ? "lowest" : "highest",
                       ranks[plan->measure].by);
    if (plan->measure == PLAN_RANK_SOLD)
        append_currency(text, context, plan);
    else if (plan->currency)
        text_append_format(text, ", in %s", plan->currency);
    if (plan_is_of_now(plan))
        text_append_string(text, ", as they are now");
    else
        append_period(text, context, plan, "created");
}

static void append_entity(struct text *text, const struct question_plan *plan)
{
    const char *id = plan->order_id     ? plan->order_id
                     : plan->product_id ? plan->product_id
                     : plan->session_id ? plan->session_id
                                        : plan->user_id;

    text_append_format(text, "The %s %s, as it is now",
                       plan->subject == SLOT_ORDER     ? "order"
                       : plan->subject == SLOT_PRODUCT ? "product"
                       : plan->subject == SLOT_SESSION ? "session"
                                                       : "user",
                       id);
}

static void append_others(struct text *text, const struct plan_context *context,
                          const struct question_plan *plan)
{
    switch (plan->measure) {
    case PLAN_CONVERSION:
        text_append_string(text, "Share of sessions that reached checkout, in percent");
        append_period(text, context, plan, "started");
        break;
    case PLAN_ERROR_RATE:
        text_append_string(text, "Share of events that could not be applied");
        append_period(text, context, plan, "received");
        break;
    case PLAN_ACTIVE_SESSIONS:
        text_append_string(text, "Number of sessions that started in the last 30 minutes and have "
                                 "not ended");
        break;
    default:
        text_append_string(text, plan->stock == STOCK_OUT  ? "Products that are out of stock now"
                                 : plan->stock == STOCK_IN ? "Products that are in stock now"
                                                           : "Stock of all products, as it is now");
    }
}

const char *plan_sentence(const struct plan_context *context, const struct question_plan *plan)
{
    struct text text;

    text_start(&text, context->arena, SENTENCE_BYTES_MAX);
    if (plan->measure == PLAN_ENTITY)
        append_entity(&text, plan);
    else if (plan->measure == PLAN_REVENUE || plan->measure == PLAN_AVERAGE_ORDER)
        append_sum(&text, context, plan);
    else if (plan->measure == PLAN_LIST || plan->measure == PLAN_COUNT)
        append_count(&text, context, plan);
    else if (plan->measure >= PLAN_RANK_PRICE)
        append_rank(&text, context, plan);
    else
        append_others(&text, context, plan);
    if (plan->group)
        text_append_format(&text, ", by %s", group_names[plan->group]);
    text_append_byte(&text, '.');
    return text.bytes;
}
