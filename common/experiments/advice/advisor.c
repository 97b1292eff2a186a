/* Selects a provider, calls it and creates its error texts. Does not depend on the content of
 * prompts. */
#include "experiments/advice/advisor.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

#include <string.h>
#include <strings.h>

/* Remaining time of one request. */
struct deadline {
    int64_t started; /* monotonic microseconds */
    double seconds;
};

/* One call of a provider. */
struct provider_call {
    const struct advisor *advisor;
    struct advice_providers providers;
    const struct advice_provider *provider;
    const char *token;
    const struct advice_reader *reader;
    const char *raw_text; /* of the last answer */
    const char *fault;    /* error code of the last answer; NULL = it was parsed */
};

/* The provider that uses the key of AB_MISTRAL_API_KEY, and is available only with it. */
static const char fallback_name[] = "mistral";

/* Texts of the error codes that an unavailable suggestion may have. */
static const struct {
    const char *code;
    const char *text;
} errors[] = {
    {"timeout", "The advisor did not answer in time."},
    {"http_error", "The advisor answered with an error."},
    {"request_error", "The advisor could not be reached."},
    {"empty_response", "The advisor gave an empty answer."},
    {"missing_json_object", "The advisor answered without JSON."},
    {"invalid_json", "The advisor answered with JSON that cannot be read."},
    {"missing_hypotheses", "The advisor answered without a list of hypotheses."},
    {"empty_hypotheses", "The advisor proposed no usable hypothesis."},
    {"parse_error", "The advisor's answer could not be understood."},
};

static const char *text_of(const char *code)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (strcmp(errors[i].code, code) == 0)
            return errors[i].text;
    return "There is no advice.";
}

static const char *trimmed(const struct advisor *advisor, const char *text)
{
    return text ? text_trimmed(advisor->arena, text, strlen(text)) : "";
}

/* The vendor that the caller has named with a token, or the orchestrator. */
static const struct advice_provider *choose(const struct provider_call *call, const char *name)
{
    const struct advice_provider *named = advice_provider_find(&call->providers, name);

    if (!named || !*call->token ||
        (strcmp(named->name, fallback_name) == 0 && !call->advisor->settings->mistral_api_key))
        return &call->providers.items[0];
    return named;
}

static void star_out(char *text, const char *secret)
{
    for (char *at = text; secret && *secret && (at = strstr(at, secret)) != NULL;)
        for (size_t i = strlen(secret); i > 0; i--)
            *at++ = '*';
}

/* A copy without the tokens that were sent: providers may repeat them. */
static const char *without_tokens(const struct provider_call *call, const char *text)
{
    const struct experiments_settings *settings = call->advisor->settings;
    char *copy = arena_copy_string(call->advisor->arena, text);

    star_out(copy, call->token);
    star_out(copy, settings->llm_api_key);
    star_out(copy, settings->mistral_api_key);
    return copy;
}

/* Parses a 2xx answer; true when it contains a suggestion. */
static bool read_answer(const struct fetch_answer *answer, void *context)
{
    struct provider_call *call = context;
    struct arena *arena = call->advisor->arena;
    const char *text = NULL;

    call->raw_text = NULL;
    switch (provider_read_text(call->provider, answer->body, answer->length, arena, &text)) {
    case PROVIDER_TEXT_MALFORMED:
        call->fault = "parse_error";
        return false;
    case PROVIDER_TEXT_EMPTY:
        call->fault = "empty_response";
        return false;
    default:
        call->raw_text = without_tokens(call, text);
        call->fault = call->reader->read(arena, call->raw_text, call->reader->content);
        return !call->fault;
    }
}

/* The orchestrator is called again only when a call failed; an answer is final. */
static bool take_whatever_is_said(const struct fetch_answer *answer, void *context)
{
    read_answer(answer, context);
    return true;
}

static double seconds_left(const struct deadline *deadline)
{
    return deadline->seconds - (double)(clock_monotonic_microseconds() - deadline->started) / 1e6;
}

static void set_options(const struct provider_call *call, const struct deadline *deadline,
                        struct fetch_request *request)
{
    const struct experiments_settings *settings = call->advisor->settings;
    bool is_ours = call->provider->is_orchestrator;

    request->answer_max = (size_t)settings->llm_max_response_bytes;
    request->private_too = is_ours || experiments_may_call_private(settings);
    request->policy =
        (struct fetch_policy){.connect_seconds = settings->llm_connect_timeout_seconds,
                              .attempt_seconds = settings->llm_timeout_seconds,
                              .total_seconds = seconds_left(deadline),
                              .attempts = (uint32_t)settings->llm_max_attempts,
                              .first_pause_seconds = settings->llm_initial_backoff_seconds,
                              .pause_factor = settings->llm_backoff_multiplier,
                              .retry_after_seconds = settings->llm_max_retry_after_seconds};
    request->region = call->advisor->region;
    request->breaker_failures = (uint32_t)settings->llm_breaker_failures;
    request->breaker_seconds = settings->llm_breaker_seconds;
    request->usable = is_ours ? take_whatever_is_said : read_answer;
}

static bool was_read(const struct provider_call *call, const struct fetch_answer *answer)
{
    return answer->outcome == FETCH_ANSWERED && answer->status >= 200 && answer->status < 300 &&
           !call->fault;
}

static void note_failure(const struct provider_call *call, const struct fetch_answer *answer)
{
    struct log_line line;

    log_begin(&line, LOG_WARNING, "advice_failed");
    log_integer(&line, "attempts", answer->attempts);
    log_text(&line, "fault", call->fault);
    log_text(&line, "outcome", fetch_outcome_name(answer->outcome));
    log_text(&line, "provider", call->provider->name);
    log_text(&line, "request_id", call->advisor->request_id);
    log_integer(&line, "status", answer->status);
    log_write(&line);
}

/* The error code of a call without a usable answer. */
static const char *code_of(const struct provider_call *call, const struct fetch_answer *answer)
{
    switch (answer->outcome) {
    case FETCH_ANSWERED:
        return answer->status >= 200 && answer->status < 300 ? call->fault : "http_error";
    case FETCH_TIMED_OUT:
        return "timeout";
    case FETCH_BROKEN:
    case FETCH_TOO_LARGE:
        return "parse_error";
    default:
        return "request_error";
    }
}

/* Calls one provider; true when it returned a suggestion. */
static bool send_call(struct provider_call *call, const char *prompt,
                      const struct deadline *deadline, struct fetch_answer *answer,
                      struct suggestion *suggestion)
{
    const struct advisor *advisor = call->advisor;
    struct fetch_request request = {.context = call};

    provider_compose(advisor->settings, call->provider, call->token, prompt, advisor->arena,
                     &request);
    set_options(call, deadline, &request);
    fetch(advisor->arena, &request, answer);
    *suggestion = (struct suggestion){.available = was_read(call, answer),
                                      .provider = call->provider->name,
                                      .model = call->provider->model,
                                      .raw_text = call->raw_text};
    if (!suggestion->available)
        note_failure(call, answer);
    return suggestion->available;
}

/* Other texts are not tokens; they are refused before any call. */
static bool looks_like_a_token(const char *token)
{
    for (const char *at = token; *at; at++)
        if (*at <= 0x20 || *at > 0x7e)
            return false;
    return strlen(token) <= ADVISOR_TOKEN_MAX;
}

static void call_vendor(struct provider_call *call, const char *prompt,
                        const struct deadline *deadline, struct suggestion *suggestion)
{
    const struct advisor *advisor = call->advisor;
    const char *title = call->provider->title;
    struct fetch_answer answer = {.status = 401};

    *suggestion =
        (struct suggestion){.provider = call->provider->name, .model = call->provider->model};
    if (looks_like_a_token(call->token) && send_call(call, prompt, deadline, &answer, suggestion))
        return;
    suggestion->raw_text = NULL;
    if (answer.status == 401 || answer.status == 403) {
        suggestion->refusal = answer.status;
        suggestion->error_code = "llm_auth";
        suggestion->error = arena_print(advisor->arena, "%s authentication failed.", title);
    } else {
        suggestion->refusal = 503;
        suggestion->error_code = "llm_transient";
        suggestion->error = arena_print(advisor->arena,
                                        "%s gave no usable answer. Try again, or switch to local "
                                        "suggestions.",
                                        title);
    }
}

/* A call with the server's own key; if it fails, the orchestrator's result is returned. */
static void call_fallback(struct provider_call *call, const char *prompt,
                          const struct deadline *deadline, struct suggestion *suggestion)
{
    struct suggestion insured;
    struct fetch_answer answer;

    call->provider = advice_provider_find(&call->providers, fallback_name);
    call->token = call->advisor->settings->mistral_api_key;
    call->fault = NULL;
    call->raw_text = NULL;
    if (send_call(call, prompt, deadline, &answer, &insured))
        *suggestion = insured;
}

static void call_orchestrator(struct provider_call *call, const char *prompt,
                              const struct deadline *deadline, struct suggestion *suggestion)
{
    const struct experiments_settings *settings = call->advisor->settings;
    struct fetch_answer answer = {.outcome = FETCH_INVALID};
    bool advised = false;

    call->token = settings->llm_api_key;
    *suggestion =
        (struct suggestion){.provider = call->provider->name, .model = settings->llm_model};
    if (*settings->llm_base_url)
        advised = send_call(call, prompt, deadline, &answer, suggestion);
    if (!advised) {
        suggestion->error_code = code_of(call, &answer);
        suggestion->error = text_of(suggestion->error_code);
    }
    if (!advised && settings->mistral_api_key)
        call_fallback(call, prompt, deadline, suggestion);
}

void advisor_ask(const struct advisor *advisor, const char *prompt,
                 const struct advice_reader *reader, struct suggestion *suggestion)
{
    const struct deadline deadline = {clock_monotonic_microseconds(),
                                      advisor->settings->llm_deadline_seconds};
    const char *token = trimmed(advisor, advisor->token);
    struct provider_call call = {.advisor = advisor,
                                 .reader = reader,
                                 .token = token,
                                 .providers = advice_providers(advisor->settings, advisor->arena)};

    call.provider = choose(&call, trimmed(advisor, advisor->provider));
    if (!call.provider->is_orchestrator)
        call_vendor(&call, prompt, &deadline, suggestion);
    else if (advisor->may_spend)
        call_orchestrator(&call, prompt, &deadline, suggestion);
    else
        *suggestion = (struct suggestion){
            .provider = "none",
            .model = "none",
            .error = "This advice is reserved for authenticated sessions; bring your own key: "
                     "name a provider and its token.",
            .error_code = "public_demo_llm_requires_key"};
}
