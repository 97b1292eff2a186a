/* Selects plans: the measure named by the words of a question, and the words that its row of
 * `accepted` uses. An unused word means that there is no plan. */
#include "livedata/query/plan_words.h"

#include <string.h>
#include <strings.h>

#define BIT(slot) (1u << (slot))
#define FILTERS (BIT(SLOT_STATUS) | BIT(SLOT_CURRENCY) | BIT(SLOT_AMOUNT) | BIT(SLOT_USER_ID))
#define TIMES (BIT(SLOT_PERIOD) | BIT(SLOT_ALL))

/* The words that each measure uses; all may ignore SLOT_FILLER. */
static const unsigned accepted[PLAN__MAX] = {
    [PLAN_ENTITY] = BIT(SLOT_DETAIL) | BIT(SLOT_PRICE) | BIT(SLOT_NOW),
    [PLAN_LIST] = FILTERS | TIMES,
    [PLAN_COUNT] = FILTERS | TIMES | BIT(SLOT_COUNT),
    [PLAN_REVENUE] =
        FILTERS | TIMES | BIT(SLOT_REVENUE) | BIT(SLOT_SPENT) | BIT(SLOT_ORDER) | BIT(SLOT_GROUP),
    [PLAN_AVERAGE_ORDER] = FILTERS | TIMES | BIT(SLOT_AVERAGE) | BIT(SLOT_ORDER) | BIT(SLOT_GROUP),
    [PLAN_CONVERSION] = TIMES | BIT(SLOT_CONVERSION) | BIT(SLOT_SESSION),
    [PLAN_ERROR_RATE] = TIMES | BIT(SLOT_ERRORS),
    [PLAN_ACTIVE_SESSIONS] = BIT(SLOT_ACTIVE) | BIT(SLOT_SESSION) | BIT(SLOT_COUNT) | BIT(SLOT_NOW),
    [PLAN_STOCK] = BIT(SLOT_STOCK) | BIT(SLOT_PRODUCT) | BIT(SLOT_NOW),
    [PLAN_RANK_PRICE] = BIT(SLOT_RANK) | BIT(SLOT_PRICE) | BIT(SLOT_PRODUCT) | BIT(SLOT_NOW),
    [PLAN_RANK_SOLD] =
        TIMES | BIT(SLOT_RANK) | BIT(SLOT_REVENUE) | BIT(SLOT_PRODUCT) | BIT(SLOT_CURRENCY),
    [PLAN_RANK_SPENT] = BIT(SLOT_RANK) | BIT(SLOT_SPENT) | BIT(SLOT_USER) | BIT(SLOT_NOW),
    [PLAN_RANK_ORDERED] = BIT(SLOT_RANK) | BIT(SLOT_ORDER) | BIT(SLOT_USER) | BIT(SLOT_NOW),
    [PLAN_RANK_AMOUNT] = FILTERS | TIMES | BIT(SLOT_RANK) | BIT(SLOT_ORDER),
};

static bool has(const struct plan_reader *reader, enum word_slot slot)
{
    return words_have(&reader->words, slot);
}

/* Without a number it means one, unless the words contain "top" or a plural. */
static void choose_top(struct plan_reader *reader)
{
    const struct question_words *words = &reader->words;
    struct question_plan *plan = reader->plan;

    if (plan->has_rank_number)
        return;
    plan->top = 1;
    for (size_t at = 0; at < words->count; at++) {
        const char *text = words->items[at].text;
        size_t length = strlen(text);

        if (strcmp(text, "top") == 0 ||
            (words->items[at].slot == plan->subject && length && text[length - 1] == 's'))
            plan->top = PLAN_TOP_DEFAULT;
    }
}

static void choose_rank(struct plan_reader *reader)
{
    struct question_plan *plan = reader->plan;

    if (has(reader, SLOT_PRODUCT) || has(reader, SLOT_PRICE)) {
        bool sold = has(reader, SLOT_REVENUE);

        plan->measure = sold ? PLAN_RANK_SOLD : PLAN_RANK_PRICE;
        plan->subject = SLOT_PRODUCT;
    } else if (has(reader, SLOT_USER) || has(reader, SLOT_SPENT)) {
        plan->measure = has(reader, SLOT_ORDER) && !has(reader, SLOT_SPENT) ? PLAN_RANK_ORDERED
                                                                            : PLAN_RANK_SPENT;
        plan->subject = SLOT_USER;
    } else if (has(reader, SLOT_ORDER)) {
        plan->measure = PLAN_RANK_AMOUNT;
        plan->subject = SLOT_ORDER;
    }
    choose_top(reader);
}

static void choose_entity(struct plan_reader *reader)
{
    struct question_plan *plan = reader->plan;

    plan->measure = PLAN_ENTITY;
    plan->subject = plan->order_id     ? SLOT_ORDER
                    : plan->product_id ? SLOT_PRODUCT
                    : plan->session_id ? SLOT_SESSION
                    : plan->user_id    ? SLOT_USER
                                       : SLOT_NONE;
    if (!plan->subject)
        plan->measure = PLAN_NONE;
}

static void choose_subject(struct plan_reader *reader)
{
    static const enum word_slot subjects[] = {SLOT_ORDER, SLOT_SESSION, SLOT_PRODUCT, SLOT_USER};
    struct question_plan *plan = reader->plan;

    for (size_t i = 0; !plan->subject && i < 4; i++)
        if (has(reader, subjects[i]))
            plan->subject = subjects[i];
    if (!plan->subject && (plan->with || plan->without))
        plan->subject = SLOT_ORDER;
    plan->measure = !plan->subject                           ? PLAN_NONE
                    : has(reader, SLOT_COUNT) || plan->group ? PLAN_COUNT
                                                             : PLAN_LIST;
}

static void choose(struct plan_reader *reader)
{
    static const struct {
        enum word_slot slot;
        enum plan_measure measure;
        enum word_slot subject;
    } simple[] = {{SLOT_AVERAGE, PLAN_AVERAGE_ORDER, SLOT_ORDER},
                  {SLOT_REVENUE, PLAN_REVENUE, SLOT_ORDER},
                  {SLOT_CONVERSION, PLAN_CONVERSION, SLOT_SESSION},
                  {SLOT_ERRORS, PLAN_ERROR_RATE, SLOT_NONE},
                  {SLOT_ACTIVE, PLAN_ACTIVE_SESSIONS, SLOT_SESSION},
                  {SLOT_STOCK, PLAN_STOCK, SLOT_PRODUCT}};
    struct question_plan *plan = reader->plan;

    if (has(reader, SLOT_RANK))
        choose_rank(reader);
    else if (has(reader, SLOT_SPENT) && plan->user_id)
        plan->measure = PLAN_REVENUE;
    for (size_t i = 0; !plan->measure && i < sizeof simple / sizeof simple[0]; i++)
        if (!(simple[i].slot == SLOT_STOCK && plan->product_id) && has(reader, simple[i].slot)) {
            plan->measure = simple[i].measure;
            plan->subject = simple[i].subject;
        }
    if (!plan->measure && !has(reader, SLOT_ORDER_ID) && !has(reader, SLOT_PRODUCT_ID) &&
        !has(reader, SLOT_SESSION_ID) && (has(reader, SLOT_ORDER) || has(reader, SLOT_SESSION)))
        choose_subject(reader);
    if (!plan->measure)
        choose_entity(reader);
    if (!plan->measure)
        choose_subject(reader);
}

bool plan_is_of_now(const struct question_plan *plan)
{
    return plan->measure == PLAN_STOCK || plan->measure == PLAN_ACTIVE_SESSIONS ||
           plan->measure == PLAN_RANK_PRICE || plan->measure == PLAN_RANK_SPENT ||
           plan->measure == PLAN_RANK_ORDERED || plan->measure == PLAN_ENTITY ||
           ((plan->measure == PLAN_LIST || plan->measure == PLAN_COUNT) &&
            (plan->subject == SLOT_PRODUCT || plan->subject == SLOT_USER));
}

/* The words that this plan uses, out of those that its measure can use. */
static unsigned used_by(const struct question_plan *plan)
{
    static const enum word_slot ids[] = {SLOT_ORDER_ID, SLOT_PRODUCT_ID, SLOT_SESSION_ID,
                                         SLOT_USER_ID};
    static const enum word_slot subjects[] = {SLOT_ORDER, SLOT_PRODUCT, SLOT_SESSION, SLOT_USER};
    unsigned used = accepted[plan->measure] | BIT(SLOT_FILLER);
    bool orders = plan->subject == SLOT_ORDER;

    if (plan->subject)
        used |= BIT(plan->subject);
    for (size_t i = 0; plan->measure == PLAN_ENTITY && i < 4; i++)
        if (subjects[i] == plan->subject)
            used |= BIT(ids[i]);
    if (plan->user_id && (used & BIT(SLOT_USER_ID)))
        used |= BIT(SLOT_USER);
    if (plan->measure == PLAN_ENTITY && plan->product_id)
        used |= BIT(SLOT_STOCK);
    if ((plan->measure == PLAN_LIST || plan->measure == PLAN_COUNT) && !orders)
        used &= ~(plan->subject == SLOT_SESSION ? FILTERS & ~BIT(SLOT_USER_ID) : FILTERS);
    if ((plan->measure == PLAN_LIST || plan->measure == PLAN_COUNT) &&
        plan->period.kind == PERIOD_NONE)
        used |= BIT(SLOT_NOW);
    if (plan->measure == PLAN_COUNT &&
        (orders ? plan->group <= GROUP_USER
                : plan->subject == SLOT_PRODUCT && plan->group == GROUP_CATEGORY))
        used |= BIT(SLOT_GROUP);
    if ((plan->measure == PLAN_REVENUE && plan->group > GROUP_USER &&
         (plan->amount_sign || plan->currency)) ||
        (plan->measure == PLAN_AVERAGE_ORDER && plan->group > GROUP_USER))
        used &= ~BIT(SLOT_GROUP);
    /* Tables with only the current state can answer questions about today, too. */
    if (plan_is_of_now(plan))
        used = plan->period.today ? used | BIT(SLOT_PERIOD) : used & ~BIT(SLOT_PERIOD);
    return used;
}

/* Words that the plan does not use, each once. */
static void leave(const struct plan_reader *reader, struct string_list *left)
{
    unsigned used = reader->plan->measure ? used_by(reader->plan) : BIT(SLOT_FILLER);
    const struct question_words *words = &reader->words;

    left->items = ARENA_ARRAY(reader->context->arena, const char *, words->count + 2);
    for (size_t at = 0; at < words->count; at++) {
        const struct question_word *word = &words->items[at];
        bool said = false;

        if (word->slot && used & BIT(word->slot))
            continue;
        for (size_t i = 0; !said && i < left->count; i++)
            said = strcasecmp(left->items[i], word->shown) == 0;
        if (!said)
            left->items[left->count++] = word->shown;
    }
    if (words->cut)
        left->items[left->count++] = "…";
}

void plan_read(const struct plan_context *context, const char *question, struct question_plan *plan,
               struct string_list *left)
{
    struct plan_reader reader = {.context = context, .plan = plan};

    *plan = (struct question_plan){.top = PLAN_TOP_DEFAULT};
    *left = (struct string_list){0};
    plan_read_words(&reader, question);
    choose(&reader);
    if (plan->period.kind == PERIOD_NONE && has(&reader, SLOT_ALL))
        plan->period.kind = PERIOD_ALL;
    leave(&reader, left);
    if (left->count)
        plan->measure = PLAN_NONE;
}
