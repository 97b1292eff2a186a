/* Runs calls: each waits for a slot of its model, holds its cost, is made, possibly repeated with
 * the fallback model, and becomes a step. */
#include "base/fiber.h"
#include "net/fetch_set.h"
#include "orchestrator/browser/ask.h"
#include "orchestrator/dispatch/active_call.h"
#include "orchestrator/dispatch/redacted_calls.h"
#include "orchestrator/storage/times.h"

#include <string.h>
#include <sys/epoll.h>

enum {
    QUEUE_TICK_MICROSECONDS = 4000,  /* between two checks for free slots, while calls run */
    QUEUE_REST_MS = 20,              /* the same, while no call runs */
    FIBER_TICK_MICROSECONDS = 20000, /* the same two in a fiber, where there are thousands */
    FIBER_REST_MS = 1000,
    BROWSER_TICK_MICROSECONDS = 20000 /* between two polls of the browser, while calls run */
};

struct call_batch {
    struct run *run;
    struct shm_region *region; /* NULL = no shared memory */
    struct active_call *active_calls;
    size_t count;
    struct fetch_set *set;
    struct quorum quorum;
    bool had_news; /* the watch's descriptor, although nothing was cancelled */
};

static void release_slot(struct active_call *active, const struct run *run)
{
    if (run->worker->region) {
        limits_place_release(run->worker->region, active->model->id, &active->place);
        semaphore_release(run->worker->region, &active->ticket);
    }
    active->has_ticket = false;
    deployment_leave(run, &active->placement);
}

/* Ends a call: releases its slot and books its cost. */
static void end_call(struct call_batch *batch, struct active_call *active)
{
    struct result *result = active->result;
    const char *calls;

    release_slot(active, batch->run);
    call_book(batch->run, active);
    call_note(batch->run, active);
    result->traced = active->traced;
    if (active->earlier_cost)
        result->cost = GIVEN_INTEGER(result->cost.value + active->earlier_cost);
    if (!result->duration_ms.given)
        result->duration_ms =
            GIVEN_INTEGER(active->started_at ? milliseconds_since(active->started_at) : 0);
    calls = attempts_details(batch->run->arena, &active->attempts);
    if (calls)
        result->details =
            json_join(batch->run->arena, result->details ? result->details : "{}", calls);
    if (active->fallback)
        result->details = json_join(batch->run->arena, result->details, active->fallback);
    active->state = CALL_DONE;
    if (result->status == RUN_FAILED && batch->run->worker->on_failure)
        batch->run->worker->on_failure(result->adapter_name, result->failure_code,
                                       batch->run->worker->context);
}

/* Ends the call to one place, and queues it for another one. */
static void queue_again(struct run *run, struct active_call *active, const struct model *model)
{
    call_book(run, active);
    call_note(run, active);
    release_slot(active, run);
    active->earlier_cost += active->result->cost.value;
    active->charged_tokens = 0;
    active->model = model;
    active->state = CALL_QUEUED;
    active->queued_at = clock_monotonic_microseconds();
    active->started_at = active->first_at = 0;
    *active->result = (struct result){.model = active->wanted->model,
                                      .executed = model,
                                      .adapter_name = adapter_name_of(run->arena, model),
                                      .failure_code = FAILURE_NONE};
}

static void fall_back(struct call_batch *batch, struct active_call *active,
                      const struct model *model)
{
    struct run *run = batch->run;

    active->fallback = call_details_print(
        run->arena,
        &(struct call_details){.fallback_used = GIVEN_BOOLEAN(true),
                               .fallback_from_model = active->model->id,
                               .fallback_reason = failure_name(active->result->failure_code),
                               .primary_failure_message = active->result->failure_message});
    deployment_leave(run, &active->placement);
    active->placement = (struct placement){0};
    queue_again(run, active, model);
}

/* A failed call goes to the next deployment, then once to the fallback model; all others end. */
static void conclude(struct call_batch *batch, struct active_call *active)
{
    struct run *run = batch->run;
    const struct model *next =
        active->fallback ? NULL : find_fallback(run, active->wanted, active->model, active->result);

    if (deployment_is_left(run, active->model, active->result, &active->placement))
        queue_again(run, active, active->model);
    else if (next)
        fall_back(batch, active, next);
    else
        end_call(batch, active);
}

static void refuse_without_slot(struct call_batch *batch, struct active_call *active)
{
    struct run *run = batch->run;

    active->result->details = call_details_print(
        run->arena,
        &(struct call_details){.provider = active->model->provider,
                               .concurrency_limit = GIVEN_INTEGER(active->model->concurrency_limit),
                               .waited_ms = GIVEN_INTEGER(milliseconds_since(active->queued_at))});
    result_fail(run, active->result, FAILURE_RATE_LIMITED,
                arena_print(run->arena, "Concurrency limit reached for model '%s' (limit=%lld).",
                            active->model->display_name,
                            (long long)active->model->concurrency_limit));
    end_call(batch, active);
}

enum error run_store(struct run *run)
{
    enum error (*store)(struct run * run) = run->store;

    run->store = NULL;
    return store ? store(run) : ERROR_NONE;
}

static enum error start_api(struct call_batch *batch, struct active_call *active)
{
    struct run *run = batch->run;
    bool granted;
    enum error error;

    active->call =
        api_call_prepare(run, active->wanted,
                         deployment_choose(run, active->model, &active->placement), active->result);
    if (!active->call) {
        conclude(batch, active);
        return ERROR_NONE;
    }
    error = call_hold(run, active, &granted);
    if (!error && !granted)
        end_call(batch, active);
    if (error || !granted)
        return error;
    run->calls++;
    active->state = CALL_RUNNING;
    active->started_at = clock_monotonic_microseconds();
    llm_call_begin(run->arena, batch->set, active->call);
    return ERROR_NONE;
}

static enum error start_browser(struct call_batch *batch, struct active_call *active)
{
    enum error error = run_store(batch->run);

    if (error)
        return error;
    batch->run->calls++;
    active->started_at = clock_monotonic_microseconds();
    if (browser_start(batch->run, active->wanted, active->model, &active->browser, active->result))
        active->state = CALL_IN_BROWSER;
    else
        conclude(batch, active);
    return ERROR_NONE;
}

static size_t count_in(const struct call_batch *batch, enum call_state state)
{
    size_t count = 0;

    for (size_t i = 0; i < batch->count; i++)
        count += batch->active_calls[i].state == state;
    return count;
}

/* A request uses the browser for one call at a time. */
static bool must_wait_for_browser(const struct call_batch *batch, const struct active_call *active)
{
    return active->model->backend == BACKEND_BROWSER && count_in(batch, CALL_IN_BROWSER) > 0;
}

/* A slot of the model on this host, then one over all hosts. */
static bool has_slot(struct call_batch *batch, struct active_call *active)
{
    struct shm_region *region = batch->run->worker->region;
    const struct model *model = active->model;
    uint32_t limit = (uint32_t)model->concurrency_limit;

    if (!region)
        return true;
    active->has_ticket =
        semaphore_acquire(region, model->id, limits_share(region, limit), &active->ticket);
    return active->has_ticket && limits_place_take(region, model->id, limit, &active->place);
}

/* Starts all calls that can start, in order. */
static enum error start_calls(struct call_batch *batch)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < batch->count; i++) {
        struct active_call *active = &batch->active_calls[i];

        if (active->state != CALL_QUEUED || must_wait_for_browser(batch, active) ||
            !has_slot(batch, active))
            continue;
        active->result->waited_ms = milliseconds_since(active->queued_at);
        if (active->model->backend == BACKEND_API)
            error = start_api(batch, active);
        else
            error = start_browser(batch, active);
    }
    return error;
}

static bool has_quorum(const struct call_batch *batch)
{
    size_t succeeded = 0;

    for (size_t i = 0; i < batch->count; i++)
        succeeded += batch->active_calls[i].state == CALL_DONE &&
                     batch->active_calls[i].result->status == RUN_SUCCEEDED;
    return batch->quorum.cancels_rest && batch->quorum.wanted && succeeded >= batch->quorum.wanted;
}

/* Closes a running call and keeps the part of a stream that came. */
static void abort_call(struct call_batch *batch, struct active_call *active)
{
    if (active->state == CALL_IN_BROWSER)
        browser_cancel(batch->run, &active->browser);
    if (active->state != CALL_RUNNING)
        return;
    llm_call_cancel(batch->set, active->call);
    api_call_finish(batch->run, active->wanted, active->model, active->call, active->result);
    call_trace_attempts(batch->run, active);
}

static void cancel_rest(struct call_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct active_call *active = &batch->active_calls[i];

        if (active->state == CALL_DONE)
            continue;
        abort_call(batch, active);
        active->result->status = RUN_CANCELLED;
        active->result->failure_code = FAILURE_NONE;
        active->result->failure_message = NULL;
        active->result->details = "{\"cancelled\":true}";
        end_call(batch, active);
    }
}

/* Calls still waiting for a slot fail as rate limited; running calls fail as timed out. */
static void end_by_deadline(struct call_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct active_call *active = &batch->active_calls[i];

        if (active->state == CALL_QUEUED) {
            refuse_without_slot(batch, active);
        } else if (active->state != CALL_DONE) {
            abort_call(batch, active);
            active->result->details = NULL;
            result_fail(batch->run, active->result, FAILURE_TIMEOUT,
                        "The deadline of the request was reached.");
            end_call(batch, active);
        }
    }
    batch->run->reached_deadline = true;
}

static struct active_call *active_call_of(struct call_batch *batch, const struct llm_call *call)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->active_calls[i].call == call)
            return &batch->active_calls[i];
    return NULL;
}

static struct active_call *first_in(const struct call_batch *batch, enum call_state state)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->active_calls[i].state == state)
            return &batch->active_calls[i];
    return NULL;
}

/* In a fiber: one call waits until it is woken for its turn; several look for theirs. The watch
 * is asked now and then, and when its descriptor has news. */
static void wait_for_turn(struct call_batch *batch)
{
    struct run *run = batch->run;
    struct active_call *active = first_in(batch, CALL_QUEUED);
    int64_t rest = count_in(batch, CALL_QUEUED) > 1 ? QUEUE_REST_MS : FIBER_REST_MS;
    int64_t until = clock_monotonic_microseconds() + rest * 1000;
    const struct model *model = active->model;
    int watched = run->watch && !batch->had_news ? run->watch->fd : -1;

    if (active->has_ticket && until > active->place.renew_after)
        until = active->place.renew_after; /* other hosts have all slots: they tell nobody */
    if (until > run->deadline)
        until = run->deadline;
    if (active->has_ticket
            ? fiber_wait(watched, EPOLLIN | EPOLLRDHUP, until) != FIBER_READY
            : semaphore_wait_turn(batch->region, model->id,
                                  limits_share(batch->region, (uint32_t)model->concurrency_limit),
                                  &active->ticket, until, watched))
        return;
    batch->had_news = batch->had_news || clock_monotonic_microseconds() < until;
}

/* While no API is called: waits for the browser, or for a slot that is released. */
static void wait_without_calls(struct call_batch *batch, bool browsing)
{
    struct run *run = batch->run;

    run->was_cancelled = run->watch && run->watch->cancelled(run->watch->context);
    if (run->was_cancelled)
        return;
    if (browsing)
        browser_wait(&first_in(batch, CALL_IN_BROWSER)->browser, QUEUE_REST_MS);
    else if (fiber_current())
        wait_for_turn(batch);
    else
        semaphore_wait(batch->region, semaphore_releases(batch->region), QUEUE_REST_MS);
}

static bool browser_has_ended(struct call_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct active_call *active = &batch->active_calls[i];

        if (active->state == CALL_IN_BROWSER &&
            browser_poll(batch->run, &active->browser, active->result)) {
            conclude(batch, active);
            return true;
        }
    }
    return false;
}

/* Renews the slots of running calls over all hosts. Whether one was lost, because this host slept
 * and others have taken all: its call ends. */
static bool lost_slot(struct call_batch *batch, int64_t *until)
{
    for (size_t i = 0; batch->region && i < batch->count; i++) {
        struct active_call *active = &batch->active_calls[i];
        const struct model *model = active->model;

        if (!active->place.is_held)
            continue;
        if (!limits_place_renew(batch->region, model->id, (uint32_t)model->concurrency_limit,
                                &active->place)) {
            abort_call(batch, active);
            refuse_without_slot(batch, active);
            return true;
        }
        if (*until > active->place.renew_after)
            *until = active->place.renew_after;
    }
    return false;
}

/* Waits for a change: a call has ended, a slot may be free, the deadline has passed. */
static void wait_for_change(struct call_batch *batch)
{
    struct run *run = batch->run;
    bool queue = count_in(batch, CALL_QUEUED) > 0;
    bool browsing = count_in(batch, CALL_IN_BROWSER) > 0;
    int64_t now = clock_monotonic_microseconds();
    int64_t until =
        queue      ? now + (fiber_current() ? FIBER_TICK_MICROSECONDS : QUEUE_TICK_MICROSECONDS)
        : browsing ? now + BROWSER_TICK_MICROSECONDS
                   : run->deadline;
    struct fetch_answer *ended;
    struct active_call *active;
    struct llm_call *call;

    if (lost_slot(batch, &until) || (browsing && browser_has_ended(batch)))
        return;
    if (!count_in(batch, CALL_RUNNING)) {
        wait_without_calls(batch, browsing);
        return;
    }
    ended = fetch_set_wait(batch->set, until < run->deadline ? until : run->deadline, run->watch);
    run->was_cancelled = fetch_set_was_cancelled(batch->set);
    if (!ended)
        return;
    call = llm_call_ended(ended);
    active = active_call_of(batch, call);
    api_call_finish(run, active->wanted, active->model, call, active->result);
    call_trace_attempts(run, active);
    conclude(batch, active);
}

static enum error run_batch(struct call_batch *batch)
{
    enum error error = start_calls(batch);

    if (!error)
        error = run_store(batch->run);
    while (!error && count_in(batch, CALL_DONE) < batch->count) {
        if (has_quorum(batch) || batch->run->was_cancelled)
            cancel_rest(batch);
        else if (run_seconds_left(batch->run) <= 0)
            end_by_deadline(batch);
        else
            wait_for_change(batch);
        if (!has_quorum(batch))
            error = start_calls(batch);
    }
    if (error) /* the store is unavailable: no call may continue whose cost cannot be booked */
        cancel_rest(batch);
    return error;
}

/* After a jump out of dispatching. */
static void release_all(void *thing)
{
    struct call_batch *batch = thing;

    for (size_t i = 0; i < batch->count; i++) {
        struct active_call *active = &batch->active_calls[i];

        if (batch->region) {
            limits_place_release(batch->region, active->model->id, &active->place);
            semaphore_release(batch->region, &active->ticket);
        }
        deployment_leave(batch->run, &active->placement);
        if (active->state == CALL_IN_BROWSER)
            browser_drop(&active->browser);
    }
}

static void simulate(struct run *run, const struct call_request *requests, size_t count,
                     struct result *results)
{
    for (size_t i = 0; i < count; i++)
        dry_run_answer(run, requests, count, i, &results[i]);
    run->calls += (int)count;
}

enum error dispatch(struct run *run, const struct call_request *requests, size_t count,
                    struct quorum quorum, struct result *results)
{
    struct call_batch *batch = ARENA_NEW(run->arena, struct call_batch);
    const struct call_request *calls = redacted_calls(run, requests, count);
    struct arena_guard *guard;
    enum error error;

    *batch =
        (struct call_batch){.run = run,
                            .region = run->worker->region,
                            .count = count,
                            .quorum = quorum,
                            .active_calls = ARENA_ARRAY(run->arena, struct active_call, count)};
    run->refusal = (struct provider_refusal){0};
    run->key_refusal = (struct key_refusal){0};
    for (size_t i = 0; i < count; i++) {
        results[i] = (struct result){.model = requests[i].model,
                                     .executed = requests[i].model,
                                     .adapter_name = adapter_name_of(run->arena, requests[i].model),
                                     .failure_code = FAILURE_NONE};
        batch->active_calls[i] = (struct active_call){.result = &results[i],
                                                      .model = requests[i].model,
                                                      .queued_at = clock_monotonic_microseconds()};
        call_watch_pieces(&batch->active_calls[i], &calls[i]);
    }
    if (run->dry_run) {
        simulate(run, calls, count, results);
        redacted_calls_end(run, calls, count, results);
        return ERROR_NONE;
    }
    guard = arena_guard(run->arena, release_all);
    batch->set = fetch_set_begin(run->arena);
    guard->thing = batch;
    error = run_batch(batch);
    guard->thing = NULL;
    fetch_set_end(batch->set);
    redacted_calls_end(run, calls, count, results);
    for (size_t i = 0; i < count; i++)
        run_add_step(run, &results[i]);
    return error;
}

enum error dispatch_one(struct run *run, const struct call_request *wanted, struct result *result)
{
    return dispatch(run, wanted, 1, (struct quorum){0}, result);
}
