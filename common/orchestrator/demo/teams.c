/* Composes spending that looks like that of two teams: less at weekends, more of late. */
#include "orchestrator/demo/teams.h"

#include "orchestrator/keys/key_store.h"
#include "orchestrator/keys/usage_store.h"
#include "orchestrator/storage/spend_store.h"

#include <string.h>
#include <time.h>

enum { DAYS = 30, WEEKEND_PERCENT = 35, GROWTH_PERCENT = 60, PERCENT = 100, ALERT_AT = 80 };

static const int64_t day_us = INT64_C(86400000000), nano_per_cent = INT64_C(10000000);

/* What one key sends to one model on a usual day. */
struct habit {
    const char *model_id, *provider;
    int64_t calls, input_tokens, output_tokens; /* tokens of one call */
    int64_t input_price, output_price;          /* billionths of a dollar per token */
    int64_t cached_percent, duration_ms;
};

static const struct member {
    const char *name;
    size_t team;
    int64_t requests_per_minute; /* 0 = no limit */
    bool stores_prompts;
    int64_t daily_cents; /* of its budget; 0 = none */
    struct habit habits[2];
} members[] = {
    {"search-api",
     0,
     120,
     true,
     200,
     {{"simulated-swift", "simulated-north", 210, 900, 120, 400, 1600, 45, 640},
      {"simulated-sage", "simulated-east", 18, 1800, 420, 5000, 15000, 20, 2900}}},
    {"search-batch",
     0,
     0,
     true,
     0,
     {{"simulated-scribe", "simulated-north", 60, 2600, 300, 1500, 6000, 60, 1700}}},
    {"assistant-web",
     1,
     60,
     false,
     150,
     {{"simulated-swift", "simulated-north", 95, 1400, 260, 400, 1600, 30, 780},
      {"simulated-sage", "simulated-east", 32, 2100, 520, 5000, 15000, 35, 3100}}},
    {"assistant-mobile",
     1,
     60,
     true,
     0,
     {{"simulated-swift", "simulated-north", 70, 1100, 210, 400, 1600, 30, 720}}},
};

static const struct {
    const char *name;
    int64_t monthly_cents;
} teams[] = {{"Search", 6000}, {"Assistant", 4000}};

struct making {
    struct db *db;
    struct arena *arena;
    struct problem *problem;
    int64_t now;
    const char *customer_id;
    const char *team_ids[sizeof teams / sizeof *teams];
};

static struct key_store_call store_of(const struct making *making)
{
    return (struct key_store_call){making->db, making->arena, making->problem};
}

static enum error add_budget(const struct making *making, enum budget_owner kind, const char *owner,
                             enum budget_period period, int64_t cents)
{
    struct budget budget = {.owner_kind = (int)kind,
                            .owner_id = owner,
                            .period = (int)period,
                            .limit_nano_usd = cents * nano_per_cent};
    int64_t percents[] = {ALERT_AT};

    budget.alert_percents = (struct integer_list){1, percents};
    return budget_add(making->db, making->arena, &budget, making->problem);
}

static enum error make_teams(struct making *making)
{
    const struct key_store_call call = store_of(making);
    struct customer customer = {.name = "Northwind", .active = true};
    enum error error = customer_add(&call, &customer);

    making->customer_id = customer.id;
    for (size_t i = 0; !error && i < sizeof teams / sizeof *teams; i++) {
        struct team team = {.name = teams[i].name, .customer_id = customer.id, .active = true};

        error = team_add(&call, &team);
        making->team_ids[i] = team.id;
        if (!error)
            error = add_budget(making, OWNER_TEAM, team.id, PERIOD_MONTH, teams[i].monthly_cents);
    }
    return error;
}

/* Calls of a day, by a habit: repeatable, and no day is as the other. */
static int64_t calls_on(const struct habit *habit, int days_ago, int64_t day)
{
    time_t seconds = (time_t)(day / 1000000);
    struct tm tm = {0};
    int64_t percent = PERCENT - (int64_t)days_ago * GROWTH_PERCENT / DAYS;

    gmtime_r(&seconds, &tm);
    if (tm.tm_wday == 0 || tm.tm_wday == 6)
        percent = percent * WEEKEND_PERCENT / PERCENT;
    percent += (days_ago * 37 + habit->calls * 13) % 21 - 10;
    return habit->calls * (percent > 5 ? percent : 5) / PERCENT;
}

static void add_day(const struct making *making, const struct payer *payer,
                    const struct habit *habit, int days_ago, struct usage_list *list)
{
    int64_t then = making->now - days_ago * day_us, calls = calls_on(habit, days_ago, then);
    char *day = arena_alloc(making->arena, WINDOW_DAY_MAX);
    struct usage usage = {.day = day,
                          .key_id = payer->key_id,
                          .team_id = payer->team_id,
                          .customer_id = payer->customer_id,
                          .model_id = habit->model_id,
                          .provider = habit->provider,
                          .calls = calls,
                          .failures = calls / 90,
                          .input_tokens = calls * habit->input_tokens,
                          .output_tokens = calls * habit->output_tokens,
                          .cache_hits = calls * habit->cached_percent / PERCENT,
                          .duration_ms = calls * habit->duration_ms,
                          .timed_calls = calls};

    window_day(then, day);
    usage.cached_tokens = usage.input_tokens * habit->cached_percent / PERCENT;
    usage.nano_usd =
        usage.input_tokens * habit->input_price + usage.output_tokens * habit->output_price;
    usage_add(making->arena, list, &usage);
}

/* What earlier days of the month have cost is spent of the current windows of the month. */
static enum error spend_month(const struct making *making, const struct payer *payer,
                              int64_t nano_usd)
{
    struct budget_charges charges = {0};
    struct budget_changes changes = {0};
    struct budget_refusal *refusal;
    struct budget_list all, months = {.items = ARENA_ARRAY(making->arena, struct budget, 16)};
    enum error error = budgets_lock(making->db, making->arena, payer, NULL, &all, making->problem);

    for (size_t i = 0; !error && i < all.count && i < 16; i++)
        if (all.items[i].period == PERIOD_MONTH)
            months.items[months.count++] = all.items[i];
    if (!error)
        error = budgets_take(making->db, making->arena, &months, nano_usd, &charges, &refusal,
                             making->problem);
    budget_changes_add(making->arena, &changes, &charges, 0, -nano_usd);
    return error ? error : budgets_change(making->db, &changes, making->problem);
}

/* What today's calls have cost is held and booked as dispatch() does it. */
static enum error spend_today_of(const struct making *making, const struct payer *payer,
                                 const struct usage *usage)
{
    const struct spend_call spending = {.db = making->db,
                                        .arena = making->arena,
                                        .task_id = usage->model_id,
                                        .payer = payer,
                                        .problem = making->problem};
    const struct spend_request request = {
        .provider = usage->provider, .model_id = usage->model_id, .nano_usd = usage->nano_usd};
    struct spend_refusal refusal;
    struct spend_hold hold;
    enum error error = spend_hold(&spending, &request, &hold, &refusal, NULL, 0);

    hold.booked = usage->nano_usd;
    hold.is_over = true;
    return error || refusal.refused ? error : spend_book(&spending, &hold, 1);
}

static enum error make_usage(const struct making *making, const struct member *member,
                             const struct payer *payer)
{
    struct usage_list list = {0};
    int64_t month = 0;
    char today[WINDOW_DAY_MAX];
    enum error error = ERROR_NONE;

    window_day(making->now, today);
    for (int days_ago = 0; days_ago < DAYS; days_ago++)
        for (size_t i = 0; i < COUNT_OF(member->habits) && member->habits[i].model_id; i++)
            add_day(making, payer, &member->habits[i], days_ago, &list);
    for (size_t i = 0; !error && i < list.count; i++) {
        if (strcmp(list.items[i].day, today) == 0)
            error = spend_today_of(making, payer, &list.items[i]);
        else if (strncmp(list.items[i].day, today, sizeof "2026-11" - 1) == 0)
            month += list.items[i].nano_usd;
    }
    if (!error)
        error = usage_book(making->db, &list, making->problem);
    return error ? error : spend_month(making, payer, month);
}

static enum error make_member(const struct making *making, const struct member *member)
{
    const struct key_store_call call = store_of(making);
    struct virtual_key key = {
        .name = member->name,
        .team_id = making->team_ids[member->team],
        .requests_per_minute = {member->requests_per_minute != 0, member->requests_per_minute},
        .stores_prompts = member->stores_prompts,
        .active = true};
    enum error error = virtual_key_add(&call, &key);
    const struct payer payer = {key.id, key.team_id, making->customer_id};

    if (!error && member->daily_cents)
        error = add_budget(making, OWNER_KEY, key.id, PERIOD_DAY, member->daily_cents);
    return error ? error : make_usage(making, member, &payer);
}

enum error demo_teams_make(struct db *db, struct arena *arena, int64_t now, struct problem *problem)
{
    struct making making = {.db = db, .arena = arena, .problem = problem, .now = now};
    enum error error = make_teams(&making);

    for (size_t i = 0; !error && i < COUNT_OF(members); i++)
        error = make_member(&making, &members[i]);
    return error;
}
