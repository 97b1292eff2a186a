/* Reads the guardrails of ramping flags as live-stats does, and takes steps back. */
#include "experiments/evaluation/ramp_guard.h"

#include "base/clock.h"
#include "base/log.h"
#include "experiments/flags/flag_store.h"
#include "experiments/live_results/live_results.h"

enum { GUARDED_FLAGS_MAX = 10000 };

static const struct actor the_guard = {.name = "ramp_guard"};

static bool is_ramping(const struct flag *flag)
{
    return flag->enabled && !flag->archived && flag->settings->ramp.count > 0 &&
           !flag->settings->ramp_held_at.given && !flag->settings->fixed_variation.given;
}

static enum error is_breached(const struct live_call *call, const struct locale *locale,
                              int64_t mixture_users, const char *id, bool *breached)
{
    const struct live_results_call results = {
        .locale = locale, .arena = call->arena, .mixture_users = mixture_users};
    struct live_stats *stats = ARENA_NEW(call->arena, struct live_stats);
    struct live_view *view = ARENA_NEW(call->arena, struct live_view);
    enum error error = live_view_load(call, id, &(struct live_view_options){0}, view);

    *breached = false;
    if (error)
        return error;
    live_results_statistics(&results, view, stats);
    *breached = stats->guardrail && stats->guardrail->any_breached;
    return ERROR_NONE;
}

static enum error guard(const struct live_call *call, const struct locale *locale,
                        int64_t mixture_users, const char *id)
{
    const struct flag_call flags = {
        .db = call->db, .arena = call->arena, .actor = &the_guard, .problem = call->problem};
    bool breached, taken = false;
    enum error error = is_breached(call, locale, mixture_users, id, &breached);

    if (!error && breached)
        error = flag_take_ramp_back(&flags, id, clock_unix_microseconds(), &taken);
    if (taken)
        log_event(LOG_WARNING, "flag_ramp_back", id);
    return error;
}

/* One flag that cannot be guarded does not leave those behind it without a guard; a database that
 * does not answer does. */
static enum error go_on(enum error error, const char *id, const struct problem *problem)
{
    struct log_line line;

    if (!error || error == ERROR_UNAVAILABLE)
        return error;
    log_begin(&line, LOG_WARNING, "ramp_guard_failed");
    log_text(&line, "experiment_id", id);
    log_text(&line, "detail", problem->text);
    log_write(&line);
    return ERROR_NONE;
}

enum error ramp_guard(const struct live_call *call, const struct locale *locale,
                      int64_t mixture_users, struct arena *work)
{
    const struct flag_call flags = {.db = call->db, .arena = call->arena, .problem = call->problem};
    struct live_call each = *call;
    struct object_list list = {0};
    const struct flag *flag;
    enum error error = flag_list(&flags, NULL, GUARDED_FLAGS_MAX, &list);

    each.arena = work;
    flag = list.items;
    for (size_t i = 0; !error && i < list.count; i++) {
        if (!is_ramping(&flag[i]))
            continue;
        error = go_on(guard(&each, locale, mixture_users, flag[i].experiment_id),
                      flag[i].experiment_id, call->problem);
        arena_reset(work);
    }
    return error;
}
