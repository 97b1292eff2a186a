/* Choosing a provider, calling it, and wording what went wrong. It must not know what is asked. */
#include "experiments/advice/advisor.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

#include <string.h>
#include <strings.h>

/* What is left of the time for one request. */
struct deadline {
    int64_t started; /* monotonic microseconds */
    double seconds;
};

/* One provider being asked. */
struct inquiry {
    const struct advisor *advisor;
    enum provider provider;
    const char *token;
    const struct advice_reader *reader;
    const char *raw_text; /* of the last answer */
    const char *fault;    /* error code of the last answer; NULL = it was read */
};

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

/* The vendor that the caller has named and has a token for, or the orchestrator. */
static enum provider choose(const struct advisor *advisor, const char *name, const char *token)
{
    for (int i = PROVIDER_OPENAI; *token && i < PROVIDER__MAX; i++)
        if (strcasecmp(name, provider_names[i]) == 0 &&
            (i != PROVIDER_MISTRAL || advisor->settings->mistral_api_key))
            return (enum provider)i;
    return PROVIDER_ORCHESTRATOR;
}

static void star_out(char *text, const char *secret)
{
    for (char *at = text; secret && *secret && (at = strstr(at, secret)) != NULL;)
        for (size_t i = strlen(secret); i > 0; i--)
            *at++ = '*';
}

/* A copy without the tokens that were sent: providers may repeat what they got. */
static const char *without_tokens(const struct inquiry *inquiry, const char *text)
{
    const struct experiments_settings *settings = inquiry->advisor->settings;
    char *copy = arena_copy_string(inquiry->advisor->arena, text);

    star_out(copy, inquiry->token);
    star_out(copy, settings->llm_api_key);
    star_out(copy, settings->mistral_api_key);
    return copy;
}

/* Reads a 2xx answer; true when that gave a suggestion. */
static bool read_answer(const struct fetch_answer *answer, void *context)
{
    struct inquiry *inquiry = context;
    struct arena *arena = inquiry->advisor->arena;
    const char *text = NULL;

    inquiry->raw_text = NULL;
    switch (provider_read_text(inquiry->provider, answer->body, answer->length, arena, &text)) {
    case PROVIDER_TEXT_MALFORMED:
        inquiry->fault = "parse_error";
        return false;
    case PROVIDER_TEXT_EMPTY:
        inquiry->fault = "empty_response";
        return false;
    default:
        inquiry->raw_text = without_tokens(inquiry, text);
        inquiry->fault = inquiry->reader->read(arena, inquiry->raw_text, inquiry->reader->content);
        return !inquiry->fault;
    }
}

/* The orchestrator is asked again only when a call failed; what it said, it said. */
static bool take_whatever_is_said(const struct fetch_answer *answer, void *context)
{
    read_answer(answer, context);
    return true;
}

static double seconds_left(const struct deadline *deadline)
{
    return deadline->seconds - (double)(clock_monotonic_microseconds() - deadline->started) / 1e6;
}

static void set_manners(const struct inquiry *inquiry, const struct deadline *deadline,
                        struct fetch_request *request)
{
    const struct experiments_settings *settings = inquiry->advisor->settings;
    bool is_ours = inquiry->provider == PROVIDER_ORCHESTRATOR;

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
    request->region = inquiry->advisor->region;
    request->breaker_failures = (uint32_t)settings->llm_breaker_failures;
    request->breaker_seconds = settings->llm_breaker_seconds;
    request->usable = is_ours ? take_whatever_is_said : read_answer;
}

static bool was_read(const struct inquiry *inquiry, const struct fetch_answer *answer)
{
    return answer->outcome == FETCH_ANSWERED && answer->status >= 200 && answer->status < 300 &&
           !inquiry->fault;
}

static void note_failure(const struct inquiry *inquiry, const struct fetch_answer *answer)
{
    struct log_line line;

    log_begin(&line, LOG_WARNING, "advice_failed");
    log_integer(&line, "attempts", answer->attempts);
    log_text(&line, "fault", inquiry->fault);
    log_text(&line, "outcome", fetch_outcome_name(answer->outcome));
    log_text(&line, "provider", provider_names[inquiry->provider]);
    log_text(&line, "request_id", inquiry->advisor->request_id);
    log_integer(&line, "status", answer->status);
    log_write(&line);
}

/* The error code of a call that gave nothing to read. */
static const char *code_of(const struct inquiry *inquiry, const struct fetch_answer *answer)
{
    switch (answer->outcome) {
    case FETCH_ANSWERED:
        return answer->status >= 200 && answer->status < 300 ? inquiry->fault : "http_error";
    case FETCH_TIMED_OUT:
        return "timeout";
    case FETCH_BROKEN:
    case FETCH_TOO_LARGE:
        return "parse_error";
    default:
        return "request_error";
    }
}

/* Asks one provider; true when it had a suggestion. */
static bool inquire(struct inquiry *inquiry, const char *prompt, const struct deadline *deadline,
                    struct fetch_answer *answer, struct suggestion *suggestion)
{
    const struct advisor *advisor = inquiry->advisor;
    struct fetch_request request = {.context = inquiry};

    provider_compose(advisor->settings, inquiry->provider, inquiry->token, prompt, advisor->arena,
                     &request);
    set_manners(inquiry, deadline, &request);
    fetch(advisor->arena, &request, answer);
    *suggestion = (struct suggestion){.available = was_read(inquiry, answer),
                                      .provider = provider_names[inquiry->provider],
                                      .model = provider_model(advisor->settings, inquiry->provider),
                                      .raw_text = inquiry->raw_text};
    if (!suggestion->available)
        note_failure(inquiry, answer);
    return suggestion->available;
}

/* Nothing else can be a token; it is refused before it goes anywhere. */
static bool looks_like_a_token(const char *token)
{
    for (const char *at = token; *at; at++)
        if (*at <= 0x20 || *at > 0x7e)
            return false;
    return strlen(token) <= ADVISOR_TOKEN_MAX;
}

static void ask_vendor(struct inquiry *inquiry, const char *prompt, const struct deadline *deadline,
                       struct suggestion *suggestion)
{
    const struct advisor *advisor = inquiry->advisor;
    const char *title = provider_titles[inquiry->provider];
    struct fetch_answer answer = {.status = 401};

    *suggestion =
        (struct suggestion){.provider = provider_names[inquiry->provider],
                            .model = provider_model(advisor->settings, inquiry->provider)};
    if (looks_like_a_token(inquiry->token) &&
        inquire(inquiry, prompt, deadline, &answer, suggestion))
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

/* The server's own key, silently: what goes wrong with it leaves the orchestrator's result. */
static void ask_insurance(struct inquiry *inquiry, const char *prompt,
                          const struct deadline *deadline, struct suggestion *suggestion)
{
    struct suggestion insured;
    struct fetch_answer answer;

    inquiry->provider = PROVIDER_MISTRAL;
    inquiry->token = inquiry->advisor->settings->mistral_api_key;
    inquiry->fault = NULL;
    inquiry->raw_text = NULL;
    if (inquire(inquiry, prompt, deadline, &answer, &insured))
        *suggestion = insured;
}

static void ask_house(struct inquiry *inquiry, const char *prompt, const struct deadline *deadline,
                      struct suggestion *suggestion)
{
    const struct experiments_settings *settings = inquiry->advisor->settings;
    struct fetch_answer answer = {.outcome = FETCH_INVALID};
    bool advised = false;

    inquiry->token = settings->llm_api_key;
    *suggestion = (struct suggestion){.provider = provider_names[PROVIDER_ORCHESTRATOR],
                                      .model = settings->llm_model};
    if (*settings->llm_base_url)
        advised = inquire(inquiry, prompt, deadline, &answer, suggestion);
    if (!advised) {
        suggestion->error_code = code_of(inquiry, &answer);
        suggestion->error = text_of(suggestion->error_code);
    }
    if (!advised && settings->mistral_api_key)
        ask_insurance(inquiry, prompt, deadline, suggestion);
}

void advisor_ask(const struct advisor *advisor, const char *prompt,
                 const struct advice_reader *reader, struct suggestion *suggestion)
{
    const struct deadline deadline = {clock_monotonic_microseconds(),
                                      advisor->settings->llm_deadline_seconds};
    const char *token = trimmed(advisor, advisor->token);
    struct inquiry inquiry = {.advisor = advisor,
                              .reader = reader,
                              .token = token,
                              .provider =
                                  choose(advisor, trimmed(advisor, advisor->provider), token)};

    if (inquiry.provider != PROVIDER_ORCHESTRATOR)
        ask_vendor(&inquiry, prompt, &deadline, suggestion);
    else if (advisor->may_spend)
        ask_house(&inquiry, prompt, &deadline, suggestion);
    else
        *suggestion = (struct suggestion){
            .provider = "none",
            .model = "none",
            .error = "This advice is reserved for authenticated sessions; bring your own key: "
                     "name a provider and its token.",
            .error_code = "public_demo_llm_requires_key"};
}
