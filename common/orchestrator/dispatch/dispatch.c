/* The way of calls: each waits for a place of its model and for money, is made, perhaps made again
 * with the model that stands in, and becomes a step. */
#include "base/clock.h"
#include "net/fetch_set.h"
#include "orchestrator/browser/ask.h"
#include "orchestrator/dispatch/adapters.h"
#include "orchestrator/storage/times.h"
#include "shm/slots.h"

#include <math.h>
#include <string.h>

enum {
    QUEUE_TICK_MICROSECONDS = 4000,    /* between two looks at places, while calls run */
    QUEUE_REST_MS = 20,                /* the same, while none does */
    BROWSER_TICK_MICROSECONDS = 20000, /* between two looks at the browser, while calls run */
    HOLD_MARGIN_SECONDS = 60
};

enum errand_state { ERRAND_QUEUED, ERRAND_CALLING, ERRAND_BROWSING, ERRAND_DONE };

/* One order on its way. */
struct errand {
    const struct order *order;
    struct result *result;
    const struct model *model; /* asked now */
    enum errand_state state;
    struct slot_ticket ticket;
    struct llm_call *call;
    struct browser_errand browser;
    struct spend_hold *hold; /* NULL = none is needed */
    int64_t queued_at, started_at;
    const char *fallback; /* details of a model that was asked before; NULL */
};

struct tour {
    struct run *run;
    struct errand *errands;
    size_t count;
    struct fetch_set *set;
    struct quorum quorum;
};

static int64_t milliseconds_since(int64_t moment)
{
    return (clock_monotonic_microseconds() - moment) / 1000;
}

static int64_t daily_limit(const struct house *house)
{
    return (int64_t)llround(house->settings->daily_cost_limit_usd * NANO_PER_DOLLAR);
}

static struct spend_hold *new_hold(struct run *run)
{
    if (!run->holds)
        run->holds = ARENA_ARRAY(run->arena, struct spend_hold, RUN_CALLS_MAX);
    return run->hold_count < RUN_CALLS_MAX ? &run->holds[run->hold_count++] : NULL;
}

/* What the call of an errand held becomes what it has cost. */
static void book(struct errand *errand)
{
    if (!errand->hold)
        return;
    errand->hold->is_over = true;
    errand->hold->booked = errand->result->cost.value;
    errand->hold = NULL;
}

static void leave_place(struct errand *errand, const struct run *run)
{
    if (run->house->region)
        slots_leave(run->house->region, &errand->ticket);
}

/* A call that is over gives its place back, and what it held becomes what it has cost. */
static void end_errand(struct tour *tour, struct errand *errand)
{
    struct result *result = errand->result;

    leave_place(errand, tour->run);
    book(errand);
    if (!result->duration_ms.given)
        result->duration_ms =
            GIVEN_INTEGER(errand->started_at ? milliseconds_since(errand->started_at) : 0);
    if (errand->started_at) {
        result->ended_at = clock_unix_microseconds();
        result->started_at =
            result->ended_at - (clock_monotonic_microseconds() - errand->started_at);
    }
    if (errand->fallback)
        result->details = details_join(tour->run->arena, result->details, errand->fallback);
    errand->state = ERRAND_DONE;
    if (result->status == RUN_FAILED && tour->run->house->on_failure)
        tour->run->house->on_failure(result->adapter_name, result->failure_code,
                                     tour->run->house->context);
}

/* The model that stands in, where the failure is one that another model may not have. */
static const struct model *find_fallback(const struct tour *tour, const struct errand *errand)
{
    const struct result *result = errand->result;
    int code = result->failure_code;
    const struct model *next;

    if (!(tour->run->house->settings->model_fallback && result->status == RUN_FAILED &&
          !errand->fallback && errand->model->fallback_model_id && !result->was_streamed &&
          (code == FAILURE_AUTH || code == FAILURE_PROVIDER_UNAVAILABLE ||
           code == FAILURE_TIMEOUT) &&
          run_seconds_left(tour->run) > 0) ||
        (errand->order->request && result->was_rejected))
        return NULL;
    next = catalog_find(tour->run->house->catalog, errand->model->fallback_model_id);
    return next && order_suits(tour->run, errand->order, next) ? next : NULL;
}

static void fall_back(struct tour *tour, struct errand *errand, const struct model *model)
{
    struct run *run = tour->run;
    struct details details;

    details_open(run, &details);
    writer_key_boolean(&details.writer, "fallback_used", true);
    writer_key_string(&details.writer, "fallback_from_model", errand->model->id);
    writer_key_string(&details.writer, "fallback_reason",
                      failure_name(errand->result->failure_code));
    writer_key_string(&details.writer, "primary_failure_message", errand->result->failure_message);
    errand->fallback = details_close(&details);
    book(errand);
    leave_place(errand, run);
    errand->model = model;
    errand->state = ERRAND_QUEUED;
    errand->queued_at = clock_monotonic_microseconds();
    errand->started_at = 0;
    *errand->result = (struct result){.model = errand->order->model,
                                      .executed = model,
                                      .adapter_name = adapter_name_of(run->arena, model),
                                      .failure_code = FAILURE_NONE};
}

/* After a failure the model that stands in is asked, once; otherwise that was it. */
static void conclude(struct tour *tour, struct errand *errand)
{
    const struct model *next = find_fallback(tour, errand);

    if (next)
        fall_back(tour, errand, next);
    else
        end_errand(tour, errand);
}

static void refuse_by_place(struct tour *tour, struct errand *errand)
{
    struct run *run = tour->run;
    struct details details;

    details_open(run, &details);
    writer_key_string(&details.writer, "provider", errand->model->provider);
    writer_key_integer(&details.writer, "concurrency_limit", errand->model->concurrency_limit);
    writer_key_integer(&details.writer, "waited_ms", milliseconds_since(errand->queued_at));
    errand->result->details = details_close(&details);
    result_fail(run, errand->result, FAILURE_RATE_LIMITED,
                arena_print(run->arena, "Concurrency limit reached for model '%s' (limit=%lld).",
                            errand->model->display_name,
                            (long long)errand->model->concurrency_limit));
    end_errand(tour, errand);
}

static void refuse_by_money(struct tour *tour, struct errand *errand, int64_t spent)
{
    struct run *run = tour->run;
    struct details details;

    details_open(run, &details);
    writer_key_string(&details.writer, "budget_exceeded_kind", "daily_cost");
    writer_key_number(&details.writer, "spent_usd", (double)spent / NANO_PER_DOLLAR);
    writer_key_number(&details.writer, "limit_usd", run->house->settings->daily_cost_limit_usd);
    errand->result->details = details_close(&details);
    errand->hold = NULL;
    result_fail(run, errand->result, FAILURE_RATE_LIMITED, "Daily cost limit reached.");
    end_errand(tour, errand);
}

enum error run_store(struct run *run)
{
    enum error (*store)(struct run * run) = run->store;

    run->store = NULL;
    return store ? store(run) : ERROR_NONE;
}

/* Holds the money of a call. *granted is false when the day has none left for it. */
static enum error hold_money(struct tour *tour, struct errand *errand, bool *granted)
{
    struct run *run = tour->run;
    int64_t price = attempt_price(run, errand->order, errand->model);
    size_t before = run->hold_count;
    int64_t spent = 0;
    enum error error;

    *granted = true;
    price *= errand->call->provider->policy.attempts;
    if (!price)
        return run_store(run);
    errand->hold = new_hold(run);
    if (!errand->hold)
        return problem_set(run->problem, ERROR_TOO_LARGE, "too_many_calls",
                           "A task makes %d calls at most.", RUN_CALLS_MAX);
    error = db_begin(run->db, DB_WRITE, run->problem);
    if (error)
        return error;
    error = run_store(run);
    if (!error)
        error = spend_hold(run->db, run->task_id, errand->model->provider, price,
                           daily_limit(run->house), run_seconds_left(run) + HOLD_MARGIN_SECONDS,
                           errand->hold, granted, &spent, run->holds, before, run->problem);
    error = db_finish(run->db, error, run->problem);
    if (!error && !*granted)
        refuse_by_money(tour, errand, spent);
    return error;
}

static enum error start_api(struct tour *tour, struct errand *errand)
{
    struct run *run = tour->run;
    bool granted;
    enum error error;

    errand->call = api_call_prepare(run, errand->order, errand->model, errand->result);
    if (!errand->call) {
        conclude(tour, errand);
        return ERROR_NONE;
    }
    error = hold_money(tour, errand, &granted);
    if (error || !granted)
        return error;
    run->calls++;
    errand->state = ERRAND_CALLING;
    errand->started_at = clock_monotonic_microseconds();
    llm_call_begin(run->arena, tour->set, errand->call);
    return ERROR_NONE;
}

static enum error start_browser(struct tour *tour, struct errand *errand)
{
    enum error error = run_store(tour->run);

    if (error)
        return error;
    tour->run->calls++;
    errand->started_at = clock_monotonic_microseconds();
    if (browser_begin(tour->run, errand->order, errand->model, &errand->browser, errand->result))
        errand->state = ERRAND_BROWSING;
    else
        conclude(tour, errand);
    return ERROR_NONE;
}

static size_t count_in(const struct tour *tour, enum errand_state state)
{
    size_t count = 0;

    for (size_t i = 0; i < tour->count; i++)
        count += tour->errands[i].state == state;
    return count;
}

/* One request has the browser once at a time. */
static bool must_wait_for_browser(const struct tour *tour, const struct errand *errand)
{
    return errand->model->backend == BACKEND_BROWSER && count_in(tour, ERRAND_BROWSING) > 0;
}

static bool has_place(struct tour *tour, struct errand *errand)
{
    struct shm_region *region = tour->run->house->region;

    return !region || slots_ask(region, errand->model->id,
                                (uint32_t)errand->model->concurrency_limit, &errand->ticket);
}

/* Starts what can start, in order. */
static enum error start_errands(struct tour *tour)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < tour->count; i++) {
        struct errand *errand = &tour->errands[i];

        if (errand->state != ERRAND_QUEUED || must_wait_for_browser(tour, errand) ||
            !has_place(tour, errand))
            continue;
        errand->result->waited_ms = milliseconds_since(errand->queued_at);
        if (errand->model->backend == BACKEND_API)
            error = start_api(tour, errand);
        else
            error = start_browser(tour, errand);
    }
    return error;
}

static bool has_quorum(const struct tour *tour)
{
    size_t succeeded = 0;

    for (size_t i = 0; i < tour->count; i++)
        succeeded += tour->errands[i].state == ERRAND_DONE &&
                     tour->errands[i].result->status == RUN_SUCCEEDED;
    return tour->quorum.cancels_rest && tour->quorum.wanted && succeeded >= tour->quorum.wanted;
}

/* Closes the call of an errand, keeping what a stream has brought. */
static void cut(struct tour *tour, struct errand *errand)
{
    if (errand->state == ERRAND_BROWSING)
        browser_cut(tour->run, &errand->browser);
    if (errand->state != ERRAND_CALLING)
        return;
    llm_call_cancel(tour->set, errand->call);
    api_call_finish(tour->run, errand->order, errand->model, errand->call, errand->result);
}

static void cancel_rest(struct tour *tour)
{
    for (size_t i = 0; i < tour->count; i++) {
        struct errand *errand = &tour->errands[i];

        if (errand->state == ERRAND_DONE)
            continue;
        cut(tour, errand);
        errand->result->status = RUN_CANCELLED;
        errand->result->failure_code = FAILURE_NONE;
        errand->result->failure_message = NULL;
        errand->result->details = "{\"cancelled\":true}";
        end_errand(tour, errand);
    }
}

/* Who has waited for a place all the time is told so; calls on their way have timed out. */
static void end_by_deadline(struct tour *tour)
{
    for (size_t i = 0; i < tour->count; i++) {
        struct errand *errand = &tour->errands[i];

        if (errand->state == ERRAND_QUEUED) {
            refuse_by_place(tour, errand);
        } else if (errand->state != ERRAND_DONE) {
            cut(tour, errand);
            errand->result->details = NULL;
            result_fail(tour->run, errand->result, FAILURE_TIMEOUT,
                        "The deadline of the request was reached.");
            end_errand(tour, errand);
        }
    }
    tour->run->reached_deadline = true;
}

static struct errand *errand_of(struct tour *tour, const struct llm_call *call)
{
    for (size_t i = 0; i < tour->count; i++)
        if (tour->errands[i].call == call)
            return &tour->errands[i];
    return NULL;
}

/* While no API is called: news of the browser, or a place that may be free. */
static void wait_without_calls(struct tour *tour, bool browsing)
{
    struct run *run = tour->run;

    run->was_cancelled = run->watch && run->watch->cancelled(run->watch->context);
    if (run->was_cancelled)
        return;
    if (browsing)
        browser_rest(QUEUE_REST_MS);
    else
        slots_rest(run->house->region, slots_departures(run->house->region), QUEUE_REST_MS);
}

static bool browser_has_ended(struct tour *tour)
{
    for (size_t i = 0; i < tour->count; i++) {
        struct errand *errand = &tour->errands[i];

        if (errand->state == ERRAND_BROWSING &&
            browser_look(tour->run, &errand->browser, errand->result)) {
            conclude(tour, errand);
            return true;
        }
    }
    return false;
}

/* Waits until something has changed: a call has ended, a place may be free, the time is up. */
static void wait_for_change(struct tour *tour)
{
    struct run *run = tour->run;
    bool queue = count_in(tour, ERRAND_QUEUED) > 0;
    bool browsing = count_in(tour, ERRAND_BROWSING) > 0;
    int64_t now = clock_monotonic_microseconds();
    int64_t until = queue      ? now + QUEUE_TICK_MICROSECONDS
                    : browsing ? now + BROWSER_TICK_MICROSECONDS
                               : run->deadline;
    struct fetch_answer *ended;
    struct errand *errand;
    struct llm_call *call;

    if (browsing && browser_has_ended(tour))
        return;
    if (!count_in(tour, ERRAND_CALLING)) {
        wait_without_calls(tour, browsing);
        return;
    }
    ended = fetch_set_wait(tour->set, until < run->deadline ? until : run->deadline, run->watch);
    run->was_cancelled = fetch_set_was_cancelled(tour->set);
    if (!ended)
        return;
    call = llm_call_ended(ended);
    errand = errand_of(tour, call);
    api_call_finish(run, errand->order, errand->model, call, errand->result);
    conclude(tour, errand);
}

static enum error travel(struct tour *tour)
{
    enum error error = start_errands(tour);

    if (!error)
        error = run_store(tour->run);
    while (!error && count_in(tour, ERRAND_DONE) < tour->count) {
        if (has_quorum(tour) || tour->run->was_cancelled)
            cancel_rest(tour);
        else if (run_seconds_left(tour->run) <= 0)
            end_by_deadline(tour);
        else
            wait_for_change(tour);
        if (!has_quorum(tour))
            error = start_errands(tour);
    }
    if (error) /* the store is away: nothing may go on that could not be booked */
        cancel_rest(tour);
    return error;
}

void run_add_count(struct optional_integer *sum, struct optional_integer more)
{
    if (!more.given || sum->value < 0)
        return;
    sum->given = !__builtin_add_overflow(sum->value, more.value, &sum->value);
    if (!sum->given)
        sum->value = -1;
}

static void add_step(struct run *run, const struct result *result)
{
    struct step_record *steps = ARENA_ARRAY(run->arena, struct step_record, run->steps.count + 1);
    bool replaced = result->executed != result->model;

    if (run->steps.count)
        memcpy(steps, run->steps.items, run->steps.count * sizeof *steps);
    steps[run->steps.count] = (struct step_record){
        .step_index = (int64_t)run->steps.count + 1,
        .model_id = result->model->id,
        .model_display_name = result->model->display_name,
        .backend = result->executed->backend,
        .provider = result->executed->provider,
        .status = result->status,
        .failure_code = result->failure_code,
        .failure_message = result->failure_message,
        .output_text = result->text,
        .duration_ms = result->duration_ms,
        .input_tokens = result->input_tokens,
        .output_tokens = result->output_tokens,
        .cost_usd = {result->cost.given, (double)result->cost.value / NANO_PER_DOLLAR},
        .executed_model_id = replaced ? result->executed->id : NULL,
        .started_at = stored_moment(run->arena, result->started_at),
        .completed_at = stored_moment(run->arena, result->ended_at),
        .details = result->details};
    run->steps = (struct step_list){run->steps.count + 1, steps};
    run_add_count(&run->cached_tokens, result->cached_tokens);
    run_add_count(&run->cache_write_tokens, result->cache_write_tokens);
    run_add_count(&run->reasoning_tokens, result->reasoning_tokens);
}

/* Set while places may be taken; still set behind a request that was left by a jump. */
static bool travelling;

void dispatch_abandon(const struct house *house)
{
    if (travelling && house->region)
        slots_leave_all(house->region);
    browser_call_end();
    browser_budget_end(house->region);
    travelling = false;
}

static void simulate(struct run *run, const struct order *orders, size_t count,
                     struct result *results)
{
    for (size_t i = 0; i < count; i++)
        dry_run_answer(run, orders, count, i, &results[i]);
    run->calls += (int)count;
}

enum error dispatch(struct run *run, const struct order *orders, size_t count, struct quorum quorum,
                    struct result *results)
{
    struct tour tour = {.run = run, .count = count, .quorum = quorum};
    enum error error;

    run->refusal = (struct provider_refusal){0};
    tour.errands = ARENA_ARRAY(run->arena, struct errand, count);
    for (size_t i = 0; i < count; i++) {
        results[i] = (struct result){.model = orders[i].model,
                                     .executed = orders[i].model,
                                     .adapter_name = adapter_name_of(run->arena, orders[i].model),
                                     .failure_code = FAILURE_NONE};
        tour.errands[i] = (struct errand){.order = &orders[i],
                                          .result = &results[i],
                                          .model = orders[i].model,
                                          .queued_at = clock_monotonic_microseconds()};
    }
    if (run->dry_run) {
        simulate(run, orders, count, results);
        return ERROR_NONE;
    }
    tour.set = fetch_set_begin(run->arena);
    travelling = true;
    error = travel(&tour);
    travelling = false;
    fetch_set_end(tour.set);
    for (size_t i = 0; i < count; i++)
        add_step(run, &results[i]);
    return error;
}

enum error dispatch_one(struct run *run, const struct order *order, struct result *result)
{
    return dispatch(run, order, 1, (struct quorum){0}, result);
}
