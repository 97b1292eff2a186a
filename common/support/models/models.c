/* A model call: the targets of a node in order, each behind its limits, until one answers. */
#include "support/models/models.h"
#include "base/clock.h"
#include "base/log.h"
#include "limits/limits.h"
#include "net/egress.h"
#include "shm/breaker.h"
#include "support/models/model_span.h"
#include "support/models/spend_store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    REGISTRY_MEMORY = 8 << 20,
    TOKENS_UNIT = 1000,
    PROBE_MARGIN_MS = 1000,
    MINUTE = 60,
    POINTS_A_TOKEN = 8 /* per token of an answer; English has four to five */
};

static const double least_seconds = 0.05;  /* seconds; a call with less time is not made */
static const double reserve_seconds = 0.5; /* seconds reserved for the steps after the last call */
static const double share_of_first = 0.6;  /* share of the time, while other targets remain */
static const double micro = 1e6;

/* A registry as it was read, in an arena of its own. */
struct edition {
    struct arena *arena;
    struct registry *registry;
    size_t readers; /* questions that hold it */
    bool replaced;  /* the last reader frees it */
};

struct models {
    const struct support_settings *settings;
    struct edition *edition; /* the newest; NULL = none could be read yet */
    struct timespec changed; /* of its file */
};

static struct timespec change_of(const char *path)
{
    struct stat about;

    return path && stat(path, &about) == 0 ? about.st_mtim : (struct timespec){0, 0};
}

static void replace(struct edition *edition)
{
    if (!edition)
        return;
    edition->replaced = true;
    if (!edition->readers)
        arena_destroy(edition->arena);
}

/* At the end of a question. */
static void leave(void *thing)
{
    struct edition *edition = thing;

    edition->readers--;
    if (edition->replaced && !edition->readers)
        arena_destroy(edition->arena);
}

/* Reads the current registry; keeps the old one if the new one is invalid. */
static enum error read_registry(struct models *models, struct problem *problem)
{
    struct registry *registry;
    struct arena *arena = arena_create(REGISTRY_MEMORY);
    enum error error;

    models->changed = change_of(models->settings->registry_path);
    if (!arena)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for the registry");
    error = registry_load(models->settings, arena, &registry, problem);
    if (error) {
        arena_destroy(arena);
        return error;
    }
    replace(models->edition);
    models->edition = ARENA_NEW(arena, struct edition);
    *models->edition = (struct edition){.arena = arena, .registry = registry};
    return ERROR_NONE;
}

enum error models_open(const struct support_settings *settings, struct models **models,
                       struct problem *problem)
{
    *models = calloc(1, sizeof **models);
    if (!*models)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for the registry");
    (*models)->settings = settings;
    return read_registry(*models, problem);
}

void models_close(struct models *models)
{
    if (!models)
        return;
    replace(models->edition);
    free(models);
}

void models_refresh(struct models *models)
{
    struct timespec changed = change_of(models->settings->registry_path);
    struct problem problem = {0};

    if ((changed.tv_sec != models->changed.tv_sec || changed.tv_nsec != models->changed.tv_nsec) &&
        read_registry(models, &problem))
        log_event(LOG_ERROR, "registry_not_read", problem.text);
}

const struct registry *models_registry(const struct models *models)
{
    return models->edition ? models->edition->registry : NULL;
}

void models_hold(struct models_run *run)
{
    struct edition *edition = run->models ? run->models->edition : NULL;

    if (!edition)
        return;
    arena_guard(run->arena, leave)->thing = edition;
    edition->readers++;
    run->registry = edition->registry;
}

/* NULL = none. */
static const struct registry *registry_of(const struct models_run *run)
{
    if (run->registry || !run->models)
        return run->registry;
    return models_registry(run->models);
}

const char *models_breaker_name(struct arena *arena, const char *provider)
{
    return arena_print(arena, "model:%s", provider);
}

const char *models_failover_name(struct arena *arena, const char *provider)
{
    return arena_print(arena, "failover:%s", provider);
}

static const struct registry_profile *profile_of(const struct models_run *run)
{
    return run->profile ? run->profile : registry_of(run)->active;
}

bool models_serve(const struct models_run *run, enum model_node node)
{
    const struct string_list *nodes;

    if (!registry_of(run))
        return false;
    if (registry_chain_of(profile_of(run), node, false).targets[0].provider->kind ==
        PROVIDER_EMBEDDED)
        return false;
    nodes = &run->models->settings->model_nodes;
    for (size_t i = 0; i < nodes->count; i++)
        if (strcmp(nodes->items[i], model_node_names[node]) == 0)
            return true;
    return false;
}

bool models_use_tools(const struct models_run *run, enum model_node node)
{
    return models_serve(run, node) && registry_chain_of(profile_of(run), node, false)
                                          .targets[0]
                                          .provider->capabilities.supports_tool_use;
}

/* The targets for a node, in order. */
static struct registry_chain chain_of(const struct models_run *run, enum model_node node, bool fast)
{
    struct registry_chain chain = registry_chain_of(profile_of(run), node, fast);

    if (!run->models->settings->failover)
        chain.count = 1;
    return chain;
}

static bool may_ask(const struct models_run *run, const struct registry_provider *provider)
{
    for (int node = 0; node < MODEL_NODE__MAX; node++)
        for (int fast = 0; fast < 2 && models_serve(run, (enum model_node)node); fast++) {
            struct registry_chain chain = chain_of(run, (enum model_node)node, fast != 0);

            for (size_t i = 0; i < chain.count; i++)
                if (chain.targets[i].provider == provider)
                    return true;
        }
    return false;
}

const char *models_paid(const struct models_run *run)
{
    const struct registry *registry = registry_of(run);
    const char *ids = "";

    for (size_t i = 0; registry && i < registry->provider_count; i++) {
        const struct registry_provider *provider = &registry->providers[i];

        if (provider->kind == PROVIDER_PAID && may_ask(run, provider))
            ids = arena_print(run->arena, "%s%s%s", ids, *ids ? ", " : "", provider->id);
    }
    return ids;
}

enum error models_check_day(const struct models_run *run, struct problem *problem)
{
    const char *paid = models_paid(run);
    double spent, limit;
    enum error error;

    if (!*paid || run->models->settings->daily_cost_limit <= 0)
        return ERROR_NONE;
    limit = run->models->settings->daily_cost_limit;
    error = model_spend_today(run->db, &spent, problem);
    if (error || spent < limit)
        return error;
    return problem_set(problem, ERROR_BUSY, "daily_cost_limit",
                       "DAILY_COST_LIMIT_USD exceeded: %.4f of %.4f dollars are spent today, and "
                       "%s asks %s",
                       spent, limit, profile_of(run)->name, paid);
}

enum error models_book(struct models_run *run, const char *purpose, struct problem *problem)
{
    enum error error = ERROR_NONE;

    if (run->cost > run->booked)
        error = spend_add(run->db, purpose, run->cost - run->booked, problem);
    if (!error)
        run->booked = run->cost;
    return error;
}

void models_note(struct models_run *run, const char *node, const char *from, const char *to,
                 const char *reason)
{
    if (run->fallback_count < MODELS_FALLBACKS_MAX)
        run->fallbacks[run->fallback_count++] = (struct model_fallback){
            .node = node, .from_provider = from, .to_provider = to, .reason = reason};
}

void models_reject(struct models_run *run, enum model_node node, const struct models_reply *reply,
                   const char *reason)
{
    if (run->fallback_count < MODELS_FALLBACKS_MAX)
        run->fallbacks[run->fallback_count++] = (struct model_fallback){
            model_node_names[node], reply->provider, "embedded", reason, .rejected = true};
}

/* One call of a target. */
struct attempt {
    struct models_run *run;
    const struct model_call *model_call;
    const struct registry_target *target;
    bool is_last;
    double seconds;
    bool emitted;  /* text has been passed on */
    size_t points; /* code points of them */
    bool overlong; /* the limit was exceeded, and the call was canceled */
    bool billed;   /* the usage is known */
    struct model_usage usage;
    struct breaker_rule breaker, mark;
    struct breaker_permit breaker_pass, mark_pass;
    struct llm_provider provider;
    struct llm_request request;
};

/* Remaining seconds for calls of this question. */
static double seconds_left(const struct models_run *run)
{
    const struct support_settings *settings = run->models->settings;
    int64_t now = clock_monotonic_microseconds();
    double left = settings->question_seconds - (double)(now - run->asked) / micro;

    if (run->deadline)
        left = fmin(left, (double)(run->deadline - now) / micro - reserve_seconds);
    return left;
}

static const char *money_refusal(const struct attempt *attempt)
{
    struct models_run *run = attempt->run;
    const struct support_settings *settings = run->models->settings;
    struct problem problem = {0};
    double spent;

    if (settings->question_cost_limit > 0 && run->cost >= settings->question_cost_limit)
        return "question_cost_limit";
    if (attempt->target->provider->kind != PROVIDER_PAID || settings->daily_cost_limit <= 0)
        return NULL;
    if (model_spend_today(run->db, &spent, &problem)) {
        log_event(LOG_ERROR, "costs_not_read", problem.text);
        return "cost_unknown";
    }
    return spent + run->cost - run->booked >= settings->daily_cost_limit ? "daily_cost_limit"
                                                                         : NULL;
}

static const char *rate_refusal(const struct attempt *attempt)
{
    struct models_run *run = attempt->run;
    const struct registry_provider *provider = attempt->target->provider;
    struct rate_rule calls = {(uint32_t)provider->limits.requests_per_minute, MINUTE};
    struct rate_rule tokens = {(uint32_t)(provider->limits.tokens_per_minute / TOKENS_UNIT) + 1,
                               MINUTE};
    const char *name;

    if (!run->region)
        return NULL;
    if (provider->limits.tokens_per_minute &&
        !limits_peek(run->region, arena_print(run->arena, "model_tokens:%s", provider->id), tokens)
             .allowed)
        return "rate_limited";
    if (!calls.max)
        return NULL;
    name = arena_print(run->arena, "model:%s", provider->id);
    return limits_allow(run->region, name, calls).allowed ? NULL : "rate_limited";
}

/* Records the result in the provider's breaker; `before` is the previous state. */
static void note_transition(struct models_run *run, const char *provider, enum breaker_state before)
{
    enum breaker_state after =
        breaker_read_state(run->region, models_breaker_name(run->arena, provider));

    if (after != before && run->transition_count < MODELS_FALLBACKS_MAX)
        run->transitions[run->transition_count++] =
            (struct model_transition){provider, breaker_state_name(after)};
}

/* The reason why a target is not called; NULL = it is. */
static const char *refusal_of(struct attempt *attempt)
{
    struct models_run *run = attempt->run;
    const struct support_settings *settings = run->models->settings;
    const char *id = attempt->target->provider->id, *reason;
    enum breaker_state before;

    if (attempt->target->provider->kind == PROVIDER_EMBEDDED)
        return "unavailable";
    if (attempt->seconds < least_seconds)
        return "time_budget";
    if (settings->question_tokens && run->tokens >= settings->question_tokens)
        return "token_budget";
    reason = money_refusal(attempt);
    if (reason)
        return reason;
    if (run->region) {
        attempt->mark = (struct breaker_rule){
            .failures = !attempt->is_last && settings->failover_seconds ? 1 : 0,
            .open_ms = (uint32_t)settings->failover_seconds * 1000,
            .probe_ms = (uint32_t)(attempt->seconds * 1000) + PROBE_MARGIN_MS,
            .is_own = egress_is_local(attempt->target->provider->base_url)};
        attempt->breaker = attempt->mark;
        attempt->breaker.failures = settings->breaker ? (uint32_t)settings->breaker_failures : 0;
        attempt->breaker.open_ms = (uint32_t)(settings->breaker_seconds * 1000);
        if (!breaker_allow(run->region, models_failover_name(run->arena, id), &attempt->mark,
                           &attempt->mark_pass))
            return "unavailable";
        before = breaker_read_state(run->region, models_breaker_name(run->arena, id));
        if (!breaker_allow(run->region, models_breaker_name(run->arena, id), &attempt->breaker,
                           &attempt->breaker_pass)) {
            breaker_cancel(run->region, &attempt->mark_pass);
            return "breaker_open";
        }
        note_transition(run, id, before);
    }
    reason = rate_refusal(attempt);
    if (reason && run->region) {
        breaker_cancel(run->region, &attempt->mark_pass);
        breaker_cancel(run->region, &attempt->breaker_pass);
    }
    return reason;
}

static void record_breakers(struct attempt *attempt, bool cancelled, bool well)
{
    struct shm_region *region = attempt->run->region;
    const char *id = attempt->target->provider->id;
    enum breaker_state before;

    if (!region)
        return;
    before = breaker_read_state(region, models_breaker_name(attempt->run->arena, id));
    if (cancelled) {
        breaker_cancel(region, &attempt->mark_pass);
        breaker_cancel(region, &attempt->breaker_pass);
    } else {
        breaker_record(region, &attempt->mark, &attempt->mark_pass, well);
        breaker_record(region, &attempt->breaker, &attempt->breaker_pass, well);
    }
    note_transition(attempt->run, id, before);
}

static int64_t tokens_allowed(const struct attempt *attempt)
{
    return attempt->model_call->max_tokens ? attempt->model_call->max_tokens
                                           : attempt->run->models->settings->answer_tokens;
}

/* Upper bound of the code points of an answer: more than any language needs for the allowed
 * tokens. */
static size_t points_allowed(const struct attempt *attempt)
{
    return (size_t)tokens_allowed(attempt) * POINTS_A_TOKEN;
}

/* Bytes of the first code points of a text, at most `*points`, which loses those. */
static size_t take_points(const char *text, size_t length, size_t *points)
{
    size_t at = 0;

    while (at < length) {
        bool begins = ((unsigned char)text[at] & 0xc0) != 0x80;

        if (begins && !*points)
            break;
        *points -= begins;
        at++;
    }
    return at;
}

/* Truncates a text of a provider that ignores the limit. */
static bool hand_on(const char *text, size_t length, void *context)
{
    struct attempt *attempt = context;
    size_t most = points_allowed(attempt), left = most - attempt->points;
    size_t fits = take_points(text, length, &left);

    attempt->points = most - left;
    attempt->overlong = fits < length;
    attempt->emitted |= fits > 0;
    return (!fits || attempt->model_call->on_text(text, fits, attempt->model_call->context)) &&
           !attempt->overlong;
}

static void prepare(struct attempt *attempt)
{
    const struct model_call *model_call = attempt->model_call;
    const struct support_settings *settings = attempt->run->models->settings;
    const struct registry_provider *from = attempt->target->provider;

    attempt->provider = (struct llm_provider){
        .protocol = from->protocol,
        .base_url = from->base_url,
        .model = attempt->target->model->name,
        .token = from->token,
        .max_tokens = tokens_allowed(attempt),
        .policy = {.connect_seconds = fmin(settings->connect_seconds, attempt->seconds),
                   .attempt_seconds = fmin(from->timeout_seconds, attempt->seconds),
                   .total_seconds = attempt->seconds,
                   .silence_seconds = model_call->on_text ? settings->stall_seconds : 0,
                   .attempts = (uint32_t)settings->retry_attempts,
                   .first_pause_seconds = settings->retry_first_delay,
                   .pause_factor = 2,
                   .most_pause_seconds = settings->retry_most_delay,
                   .jitter = settings->retry_jitter,
                   .retry_after_seconds = settings->retry_most_delay},
        .answer_max = (size_t)settings->model_answer_bytes,
        .private_too = true}; /* the operator configured the address */
    attempt->request = (struct llm_request){.messages = model_call->messages,
                                            .message_count = model_call->message_count,
                                            .tools = model_call->tools,
                                            .tool_count = model_call->tool_count,
                                            .on_text = model_call->on_text ? hand_on : NULL,
                                            .temperature = GIVEN_NUMBER(0),
                                            .context = attempt};
}

static int64_t tokens_of(const struct model_call *model_call)
{
    int64_t tokens = 0;

    for (size_t i = 0; i < model_call->message_count; i++)
        if (model_call->messages[i].content)
            tokens += models_estimate_tokens(model_call->messages[i].content);
    return tokens;
}

/* Also of an unusable answer; a failed call without reported usage counts as free. */
static void count_usage(struct attempt *attempt, const struct llm_answer *answer)
{
    struct models_run *run = attempt->run;
    const struct registry_target *target = attempt->target;
    bool given = answer->usage.input_tokens.given || answer->usage.output_tokens.given;
    struct model_usage usage = {.provider = target->provider->id, .model = target->model->name};
    struct rate_rule rule = {
        (uint32_t)(target->provider->limits.tokens_per_minute / TOKENS_UNIT) + 1, MINUTE};

    if (!given && !*answer->text && !answer->tool_call_count)
        return;
    usage.input_tokens = answer->usage.input_tokens.given ? answer->usage.input_tokens.value
                                                          : tokens_of(attempt->model_call);
    usage.output_tokens = answer->usage.output_tokens.given ? answer->usage.output_tokens.value
                                                            : models_estimate_tokens(answer->text);
    usage.cost = models_cost(target->model, usage.input_tokens, usage.output_tokens);
    run->tokens += usage.input_tokens + usage.output_tokens;
    run->cost += usage.cost;
    attempt->usage = usage;
    attempt->billed = true;
    if (run->call_count < MODELS_CALLS_MAX)
        run->calls[run->call_count++] = usage;
    if (run->region && target->provider->limits.tokens_per_minute)
        limits_charge(run->region, arena_print(run->arena, "model_tokens:%s", target->provider->id),
                      rule,
                      (uint32_t)((usage.input_tokens + usage.output_tokens) / TOKENS_UNIT) + 1);
}

/* The reason why an answer is unusable; NULL = it is usable. */
static const char *failure_of(struct arena *arena, const struct llm_answer *answer)
{
    switch (answer->result) {
    case LLM_ANSWERED:
        return NULL;
    case LLM_EMPTY:
        return "blank";
    case LLM_MALFORMED:
        return "malformed";
    case LLM_FAULT:
        return "fault";
    case LLM_REFUSED:
        return arena_print(arena, "http_%d", answer->status);
    case LLM_CUT:
        return answer->outcome == FETCH_TIMED_OUT ? "timeout" : "cut";
    default:
        break;
    }
    switch (answer->outcome) {
    case FETCH_TIMED_OUT:
        return "timeout";
    case FETCH_UNREACHABLE:
        return "unavailable";
    case FETCH_TOO_LARGE:
        return "too_large";
    case FETCH_BROKEN:
        return "cut";
    default:
        return "request_failed";
    }
}

static bool was_cancelled(const struct llm_answer *answer)
{
    return answer->outcome == FETCH_CANCELLED && answer->result != LLM_FAULT &&
           answer->result != LLM_MALFORMED;
}

static void tell(const struct attempt *attempt, const struct llm_answer *answer,
                 const char *failure)
{
    model_span_tell(answer, attempt->target, attempt->billed ? &attempt->usage : NULL, failure);
}

/* Evaluates a call. True: answered. Else `reason`, NULL when the caller has canceled. */
static bool conclude(struct attempt *attempt, const struct llm_answer *answer,
                     struct models_reply *reply, const char **reason)
{
    struct models_run *run = attempt->run;
    const char *text;
    size_t fits;

    *reason = NULL;
    run->attempts += answer->attempts;
    run->retries += answer->attempts ? answer->attempts - 1 : 0;
    count_usage(attempt, answer);
    if (was_cancelled(answer) && !attempt->overlong) {
        tell(attempt, answer, NULL);
        record_breakers(attempt, true, false);
        return false;
    }
    fits = utf8_prefix(answer->text, points_allowed(attempt));
    attempt->overlong |= answer->text[fits] != '\0';
    text = text_trimmed(run->arena, answer->text, fits);
    *reply = (struct models_reply){.text = text,
                                   .tool_calls = answer->tool_calls,
                                   .tool_call_count = answer->tool_call_count,
                                   .provider = attempt->target->provider->id,
                                   .model = attempt->target->model->name};
    *reason = was_cancelled(answer) ? NULL : failure_of(run->arena, answer);
    if (!*reason && !*text && !answer->tool_call_count)
        *reason = "blank";
    tell(attempt, answer, *reason);
    reply->overlong = attempt->overlong && *text;
    reply->truncated =
        reply->overlong || (answer->result == LLM_CUT && answer->outcome == FETCH_TIMED_OUT &&
                            *text && seconds_left(run) < least_seconds);
    record_breakers(attempt, false, !*reason || reply->truncated);
    run->succeeded += !*reason || reply->truncated;
    run->exhausted += *reason && !reply->truncated;
    return !*reason || reply->truncated;
}

static bool ask_target(struct attempt *attempt, struct models_reply *reply, const char **reason)
{
    struct models_run *run = attempt->run;
    struct llm_answer answer;

    *reason = refusal_of(attempt);
    if (*reason)
        return false;
    prepare(attempt);
    db_release_before_wait(run->db);
    llm_complete(run->arena, &attempt->provider, &attempt->request, run->watch, &answer);
    return conclude(attempt, &answer, reply, reason);
}

bool models_ask(struct models_run *run, const struct model_call *model_call,
                struct models_reply *reply)
{
    struct registry_chain chain = chain_of(run, model_call->node, model_call->fast);

    if (!run->asked)
        run->asked = clock_monotonic_microseconds();
    for (size_t i = 0; i < chain.count; i++) {
        bool is_last = i + 1 == chain.count;
        const char *reason;
        struct attempt attempt = {.run = run,
                                  .model_call = model_call,
                                  .target = &chain.targets[i],
                                  .is_last = is_last,
                                  .seconds = seconds_left(run) * (is_last ? 1 : share_of_first)};

        if (ask_target(&attempt, reply, &reason))
            return true;
        if (attempt.emitted && model_call->on_restart)
            model_call->on_restart(model_call->context);
        if (!reason)
            return false;
        models_note(run, model_node_names[model_call->node], chain.targets[i].provider->id,
                    is_last ? "embedded" : chain.targets[i + 1].provider->id, reason);
    }
    return false;
}

/* Calls one target of the chain in parallel for all replies that are still missing. */
static void ask_side_by_side(struct models_run *run, const struct model_call *model_calls,
                             size_t count, const struct registry_target *target, bool is_last,
                             struct models_reply *replies)
{
    struct attempt *attempts = ARENA_ARRAY(run->arena, struct attempt, count);
    struct llm_call *calls = ARENA_ARRAY(run->arena, struct llm_call, count);
    size_t *places = ARENA_ARRAY(run->arena, size_t, count), going = 0;
    const char *reason;

    for (size_t i = 0; i < count; i++) {
        struct attempt *attempt = &attempts[going];

        if (replies[i].text)
            continue;
        *attempt = (struct attempt){.run = run,
                                    .model_call = &model_calls[i],
                                    .target = target,
                                    .is_last = is_last,
                                    .seconds = seconds_left(run) * (is_last ? 1 : share_of_first)};
        if (refusal_of(attempt))
            continue;
        prepare(attempt);
        calls[going] =
            (struct llm_call){.provider = &attempt->provider, .request = &attempt->request};
        places[going++] = i;
    }
    db_release_before_wait(run->db);
    llm_complete_all(run->arena, calls, going, NULL, NULL, run->watch);
    for (size_t i = 0; i < going; i++)
        if (!conclude(&attempts[i], &calls[i].answer, &replies[places[i]], &reason))
            replies[places[i]].text = NULL;
}

void models_ask_all(struct models_run *run, const struct model_call *model_calls, size_t count,
                    struct models_reply *replies)
{
    struct registry_chain chain = chain_of(run, model_calls[0].node, model_calls[0].fast);

    memset(replies, 0, count * sizeof *replies);
    run->asked = clock_monotonic_microseconds();
    for (size_t i = 0; i < chain.count; i++)
        ask_side_by_side(run, model_calls, count, &chain.targets[i], i + 1 == chain.count, replies);
}
