/* Rounds of adaptive experiments: posteriors of the arms, and the next shares. */
#include "experiments/evaluation/adaptive_control.h"

#include "base/clock.h"
#include "base/log.h"
#include "stats/bayes/best_arm.h"

#include <math.h>

enum { ARM_USERS_MIN = 2 };

static const struct actor the_program = {.name = "adaptive_update"};

/* Jeffreys' prior for rates, the flat one for means; an arm whose values are all the same says
 * nothing about its spread. */
static bool posterior_of(const struct live_view *view, size_t arm, struct posterior *posterior)
{
    const struct payload_metrics *metrics = view->design->metrics;
    struct live_moments moments = live_view_moments(
        view, live_view_metric(view, metrics->primary_metric_name), LIVE_EVERYBODY, (int)arm);
    double n = (double)moments.n;

    if (moments.n < ARM_USERS_MIN || !moments.defined)
        return false;
    if (metrics->metric_type == METRIC_BINARY) {
        const struct rate_prior jeffreys = {0.5, 0.5};

        *posterior =
            posterior_of_rate(&jeffreys, (double)moments.converted, n - (double)moments.converted);
    } else {
        const struct mean_prior flat = {0};

        *posterior = posterior_of_mean(&flat, n, moments.mean, sqrt(moments.squares / (n - 1)));
    }
    return posterior_is_proper(posterior);
}

bool adaptive_next_shares(const struct live_view *view, struct arena *arena,
                          struct adaptive_shares *shares)
{
    struct posterior arms[ADAPTIVE_ARMS_MAX];
    struct arm_chance chances[ADAPTIVE_ARMS_MAX];
    double best[ADAPTIVE_ARMS_MAX];

    for (size_t i = 0; i < view->arm_count; i++)
        if (!posterior_of(view, i, &arms[i]))
            return false;
    best_arm(arms, view->arm_count, view->design->metrics->direction == GOAL_DECREASE, arena,
             chances);
    for (size_t i = 0; i < view->arm_count; i++)
        best[i] = chances[i].best;
    adaptive_divide(best, view->arm_count, view->adaptive.settings.floor, shares);
    return true;
}

static int64_t users_of(const struct live_view *view)
{
    int64_t users = 0;

    for (size_t i = 0; i < view->arm_count; i++)
        users += live_view_moments(view, 0, LIVE_EVERYBODY, (int)i).n;
    return users;
}

/* Whether the shares were computed for settings that still hold: a pause or another floor that was
 * answered to a client holds from then on. */
static enum error settings_hold(const struct adaptive_call *rounds, const struct live_view *view,
                                bool *hold)
{
    struct adaptive now;
    enum error error = adaptive_find(rounds, view->experiment.id, 0, &now);

    *hold = !error && now.found && !now.settings.paused &&
            now.settings.floor == view->adaptive.settings.floor;
    return error;
}

/* Nothing happens where another program has made the round meanwhile. */
static enum error add_round(const struct live_call *call, const struct live_view *view,
                            const struct adaptive_round *round,
                            const struct adaptive_shares *shares)
{
    const struct adaptive_call rounds = {call->db, call->arena, call->problem};
    const char *id = view->experiment.id;
    int64_t newest;
    bool hold = false;
    enum error error = adaptive_lock(&rounds, id, &newest);

    if (!error)
        error = settings_hold(&rounds, view, &hold);
    if (error || !hold || newest != round->round - 1)
        return error;
    error = adaptive_add_round(&rounds, id, round, shares);
    if (error)
        return error;
    return audit_record(call->db, call->arena, &the_program,
                        &(struct audit_event){.action = "adaptive.round", .project_id = id},
                        call->problem);
}

static enum error update(const struct live_call *call, const char *id)
{
    struct live_view *view = ARENA_NEW(call->arena, struct live_view);
    struct adaptive_shares shares;
    struct adaptive_round next = {.started_at = clock_unix_microseconds()};
    enum error error = live_view_load(call, id, &(struct live_view_options){0}, view);

    if (error || !view->adaptive.found || view->adaptive.shares.count != view->arm_count)
        return error;
    next.round = view->adaptive.newest.round + 1;
    next.users = users_of(view);
    if (!adaptive_is_due(&view->adaptive.settings, &view->adaptive.newest, next.users,
                         next.started_at) ||
        !adaptive_next_shares(view, call->arena, &shares))
        return ERROR_NONE;
    error = db_begin(call->db, DB_WRITE, call->problem);
    return error ? error
                 : db_finish(call->db, add_round(call, view, &next, &shares), call->problem);
}

/* One experiment that cannot be looked at does not keep those behind it from their rounds. */
static enum error go_on(enum error error, const char *id, const struct problem *problem)
{
    struct log_line line;

    if (!error || error == ERROR_UNAVAILABLE)
        return error;
    log_begin(&line, LOG_WARNING, "adaptive_round_failed");
    log_text(&line, "experiment_id", id);
    log_text(&line, "detail", problem->text);
    log_write(&line);
    return ERROR_NONE;
}

enum error adaptive_update(const struct live_call *call, struct arena *work)
{
    const struct adaptive_call rounds = {call->db, call->arena, call->problem};
    struct live_call each = *call;
    struct string_list ids = {0};
    enum error error = adaptive_list(&rounds, &ids);

    each.arena = work;
    for (size_t i = 0; !error && i < ids.count; i++) {
        error = go_on(update(&each, ids.items[i]), ids.items[i], call->problem);
        arena_reset(work);
    }
    return error;
}
