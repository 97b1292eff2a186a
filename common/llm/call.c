/* Calls language models over net/fetch, one or several in parallel. */
#include "llm/llm_internal.h"

#include "base/clock.h"

#include <stddef.h>
#include <string.h>

static bool is_success(int status)
{
    return status >= 200 && status < 300;
}

/* Reads the provider's error message in any of the usual forms. */
static void read_refusal(struct llm_call *call)
{
    const struct fetch_answer *http = &call->http_answer;
    struct llm_collected *collected = ARENA_NEW(call->arena, struct llm_collected);
    struct json_fault fault;
    json_t *document;

    collect_start(collected, call->arena, call->provider->protocol, NULL, 0);
    if (json_read(call->arena, http->body, http->length, LLM_ANSWER_DEPTH_MAX, &document, &fault))
        return;
    if (!collect_fault(collected, json_object_get(document, "error")))
        (void)collect_fault(collected, json_object_get(document, "message"));
    call->answer.fault = collected->fault;
    call->answer.refused = collect_refusal(call->arena, document);
}

static const struct llm_choice nothing = {.text = ""};

static void fill_in(struct llm_call *call)
{
    const struct fetch_answer *http = &call->http_answer;
    struct llm_answer *answer = &call->answer;
    bool answered = http->outcome == FETCH_ANSWERED || http->outcome == FETCH_UNUSABLE;

    *answer = (struct llm_answer){.text = "", .choices = &nothing, .choice_count = 1};
    if (call->reader)
        reader_finish(call->reader, answer);
    else if (answered && is_success(http->status))
        llm_read(call->arena, call->provider->protocol, call->request, http->body, http->length,
                 answer);
    answer->trace = arena_copy_string(call->arena, call->trace);
    answer->started_at = call->started_at;
    answer->ended_at = clock_monotonic_microseconds();
    answer->outcome = http->outcome;
    answer->status = http->status;
    answer->attempts = http->attempts;
    answer->retry_after = http->retry_after;
    if (answered && !is_success(http->status)) {
        answer->result = LLM_REFUSED;
        read_refusal(call);
    } else if (!answered && !http->streamed) {
        answer->result = LLM_UNANSWERED;
    } else if (!answered && answer->result != LLM_FAULT && answer->result != LLM_MALFORMED) {
        answer->result = LLM_CUT;
    }
}

static bool take_bytes(const char *bytes, size_t length, void *context)
{
    struct llm_call *call = context;

    return reader_take(call->reader, bytes, length);
}

static bool is_usable(const struct fetch_answer *http, void *context)
{
    struct llm_call *call = context;

    llm_read(call->arena, call->provider->protocol, call->request, http->body, http->length,
             &call->answer);
    call->answer.status = http->status;
    return call->request->usable(&call->answer, call->request->context);
}

static void prepare(struct arena *arena, struct llm_call *call)
{
    const struct llm_provider *provider = call->provider;
    const struct llm_request *request = call->request;
    struct fetch_request *http = &call->http_request;

    call->arena = arena;
    call->started_at = clock_monotonic_microseconds();
    if (!call->told_by_caller)
        cause_call_begins(NULL, call->trace);
    *http = (struct fetch_request){.answer_max = provider->answer_max,
                                   .private_too = provider->private_too,
                                   .policy = provider->policy,
                                   .region = provider->region,
                                   .breaker_failures = provider->breaker_failures,
                                   .breaker_seconds = provider->breaker_seconds,
                                   .context = call,
                                   .trace_parent = *call->trace ? call->trace : NULL,
                                   .told_by_caller = call->told_by_caller};
    llm_compose(arena, provider, request, http);
    if (request->on_text || request->on_delta) {
        call->reader = reader_create(arena, provider->protocol, provider->answer_max, request);
        http->on_bytes = take_bytes;
    } else if (request->usable) {
        http->usable = is_usable;
    }
}

void llm_call_begin(struct arena *arena, struct fetch_set *set, struct llm_call *call)
{
    prepare(arena, call);
    fetch_set_add(set, &call->http_request, &call->http_answer);
}

struct llm_call *llm_call_ended(struct fetch_answer *ended)
{
    struct llm_call *call =
        (struct llm_call *)((char *)ended - offsetof(struct llm_call, http_answer));

    fill_in(call);
    return call;
}

void llm_call_cancel(struct fetch_set *set, struct llm_call *call)
{
    fetch_set_cancel(set, &call->http_answer);
    fill_in(call);
    if (call->answer.result != LLM_CUT)
        call->answer.result = LLM_UNANSWERED;
}

void llm_complete_all(struct arena *arena, struct llm_call *calls, size_t count,
                      bool (*enough)(const struct llm_call *calls, size_t count, void *context),
                      void *context, const struct fetch_watch *watch)
{
    struct fetch_set *set = fetch_set_begin(arena);
    struct fetch_answer *ended;

    for (size_t i = 0; i < count; i++)
        llm_call_begin(arena, set, &calls[i]);
    while ((ended = fetch_set_wait(set, 0, watch)) != NULL) {
        (void)llm_call_ended(ended);
        if (enough && enough(calls, count, context))
            break;
    }
    fetch_set_end(set);
    for (size_t i = 0; i < count; i++)
        if (calls[i].http_answer.outcome == FETCH_CANCELLED)
            fill_in(&calls[i]);
}

void llm_complete(struct arena *arena, const struct llm_provider *provider,
                  const struct llm_request *request, const struct fetch_watch *watch,
                  struct llm_answer *answer)
{
    struct llm_call call = {.provider = provider, .request = request};

    llm_complete_all(arena, &call, 1, NULL, NULL, watch);
    *answer = call.answer;
}
