/* Calls of the web provider's models: a job for the browser's process, behind a breaker that all
 * workers share. The scripted driver answers by itself. Without a driver every call fails and names
 * the reason. */
#include "base/clock.h"
#include "base/fiber.h"
#include "orchestrator/browser/ask.h"
#include "orchestrator/dispatch/adapters.h"
#include "orchestrator/storage/times.h"

#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>

enum { PROMPT_MAX = 64 << 20 };

/* Seconds of a request's time that remain after the job's deadline, for sending the answer. */
static const double answer_seconds = 0.25;

/* Of a failure without a session. */
static struct call_details unused_session(const struct run *run, const struct result *result)
{
    const struct orchestrator_settings *settings = run->worker->settings;
    bool is_configured = settings->browser_enabled && settings->browser_profile_dir;

    return (struct call_details){.provider = result->executed->provider,
                                 .configured = GIVEN_BOOLEAN(is_configured),
                                 .active = GIVEN_BOOLEAN(false)};
}

static void fail(struct run *run, struct result *result, int failure_code, const char *message)
{
    const struct call_details details = unused_session(run, result);

    result->details = call_details_print(run->arena, &details);
    result_fail(run, result, failure_code, message);
}

static void fail_by_mismatch(struct run *run, const char *requested, const char *actual,
                             struct result *result)
{
    struct call_details details = unused_session(run, result);

    details.requested_label = requested;
    details.actual_label = actual;
    result->details = call_details_print(run->arena, &details);
    result_fail(run, result, FAILURE_MODEL_MISMATCH,
                arena_print(run->arena, "Requested browser model '%s' but UI shows '%s'.",
                            requested, actual));
}

static void scripted_answer(struct run *run, const struct call_request *wanted,
                            const struct model *model, struct result *result)
{
    const struct orchestrator_settings *settings = run->worker->settings;
    const char *requested = model->provider_model_id;
    const char *actual =
        settings->scripted_model_label ? settings->scripted_model_label : requested;

    if (!settings->scripted_logged_in) {
        fail(run, result, FAILURE_AUTH, "Scripted browser session is logged out.");
        return;
    }
    if (strcmp(actual, requested) != 0 &&
        !catalog_equivalent(run->arena, run->worker->catalog, actual, requested)) {
        fail_by_mismatch(run, requested, actual, result);
        return;
    }
    result->details = call_details_print(
        run->arena, &(struct call_details){.provider = model->provider,
                                           .requested_model_label = requested,
                                           .actual_model_label = actual,
                                           .thinking_enabled = GIVEN_BOOLEAN(wanted->reasoning),
                                           .model_selection_verified = GIVEN_BOOLEAN(true),
                                           .driver = "scripted"});
    result->status = RUN_SUCCEEDED;
    result->text = settings->scripted_output;
}

/* The reason why the settings exclude a call; NULL when they do not. The breaker does not count
 * these. */
static const char *why_not_usable(const struct orchestrator_settings *settings)
{
    if (settings->profile != PROFILE_HYBRID)
        return "The browser is not used under this execution profile.";
    if (!settings->browser_enabled)
        return "Browser adapter is not connected yet.";
    if (!settings->browser_profile_dir)
        return "Browser session is not configured yet.";
    return NULL;
}

static void refuse_by_breaker(struct run *run, struct result *result)
{
    const struct worker_context *worker = run->worker;
    const struct breaker_shape *breaker = browser_breaker_shape(run->arena, worker);

    result->details = call_details_print(
        run->arena, &(struct call_details){.provider = result->executed->provider,
                                           .circuit_breaker_open = GIVEN_BOOLEAN(true),
                                           .circuit_breaker = breaker});
    result_fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
                arena_print(run->arena,
                            "Adapter '%s' circuit breaker is open after %lld consecutive failures. "
                            "Retry after %s.",
                            browser_adapter_name, (long long)breaker->failure_threshold,
                            shown_time(run->arena, breaker->reopen_at.value)));
}

/* Checks the limits of submits. The breaker does not count a call that they refuse. */
static bool has_budget(struct run *run, struct browser_call *active, struct result *result)
{
    struct browser_usage usage;
    const char *kind = browser_budget_take(run, &usage);

    if (!kind)
        return true;
    if (active->pass.cell)
        breaker_cancel(run->worker->region, &active->pass);
    result->details = call_details_print(
        run->arena, &(struct call_details){.provider = result->executed->provider,
                                           .budget_exceeded_kind = kind,
                                           .budget_usage = &usage});
    result_fail(run, result, FAILURE_RATE_LIMITED,
                arena_print(run->arena,
                            "Request budget exceeded (%s): task_submits=%lld, hourly_submits=%lld",
                            kind, (long long)usage.task_submits, (long long)usage.hourly_submits));
    return false;
}

/* What the end of a call means for the shared breaker: three failure codes count, everything else
 * is a success. */
static void report_to_breaker(const struct run *run, struct browser_call *active,
                              const struct result *result)
{
    const struct breaker_rule rule = browser_breaker_rule(run->worker->settings);
    int code = result->failure_code;
    bool counts =
        result->status == RUN_FAILED && (code == FAILURE_PROVIDER_UNAVAILABLE ||
                                         code == FAILURE_TIMEOUT || code == FAILURE_UNKNOWN);

    if (!active->pass.cell)
        return;
    if (counts)
        breaker_note(run->worker->region, &active->pass, code, result->failure_message);
    breaker_record(run->worker->region, &rule, &active->pass, !counts);
}

/* The conversation as one text: the prompt alone, or each message after its role. */
static const char *prompt_of(struct run *run, const struct call_request *wanted)
{
    const struct llm_request *request = wanted->request;
    struct text text;

    if (!request || !request->message_count)
        return wanted->prompt ? wanted->prompt : "";
    if (request->message_count == 1)
        return request->messages[0].content ? request->messages[0].content : "";
    text_start(&text, run->arena, PROMPT_MAX);
    for (size_t i = 0; i < request->message_count; i++)
        text_append_format(&text, "%s%s: %s", i ? "\n\n" : "", request->messages[i].role,
                           request->messages[i].content ? request->messages[i].content : "");
    return text.bytes;
}

static bool submit_job(struct run *run, struct browser_call *active,
                       const struct call_request *wanted, const struct model *model,
                       struct result *result)
{
    const struct browser_job job = {.prompt = prompt_of(run, wanted),
                                    .label = model->provider_model_id,
                                    .attachments = wanted->attachments,
                                    .reasoning = wanted->reasoning,
                                    .strict = wanted->strict_model,
                                    .seconds = fmax(0, run_seconds_left(run) - answer_seconds)};

    if (browser_call_begin(&active->wire, run->worker->run_directory, &job))
        return true;
    fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
         "The browser's process (orch-browserd) does not run.");
    return false;
}

bool browser_start(struct run *run, const struct call_request *wanted, const struct model *model,
                   struct browser_call *active, struct result *result)
{
    const struct orchestrator_settings *settings = run->worker->settings;
    const struct breaker_rule rule = browser_breaker_rule(settings);
    const char *message = why_not_usable(settings);

    *active = (struct browser_call){.wire.fd = -1};
    if (message) {
        fail(run, result, FAILURE_PROVIDER_UNAVAILABLE, message);
        return false;
    }
    if (rule.failures && run->worker->region &&
        !breaker_allow(run->worker->region, browser_adapter_name, &rule, &active->pass)) {
        refuse_by_breaker(run, result);
        return false;
    }
    if (!has_budget(run, active, result))
        return false;
    if (settings->browser_driver == BROWSER_CDP && submit_job(run, active, wanted, model, result))
        return true;
    if (settings->browser_driver == BROWSER_SCRIPTED)
        scripted_answer(run, wanted, model, result);
    else if (settings->browser_driver == BROWSER_NULL)
        fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
             "Browser automation driver is not configured.");
    report_to_breaker(run, active, result);
    return false;
}

bool browser_poll(struct run *run, struct browser_call *active, struct result *result)
{
    struct browser_end end;
    enum browser_reply state = browser_call_poll(&active->wire, run->arena, &end);

    if (state == BROWSER_REPLY_PENDING)
        return false;
    wire_close(&active->wire);
    if (state == BROWSER_REPLY_LOST) {
        fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
             "The browser's process has gone before it answered.");
    } else {
        result->details = end.details;
        result->status = end.status;
        result->failure_code = end.failure_code;
        result->failure_message = end.failure_message;
        result->text = end.text;
    }
    report_to_breaker(run, active, result);
    return true;
}

void browser_wait(const struct browser_call *active, int milliseconds)
{
    struct pollfd wait = {.fd = active->wire.fd, .events = browser_call_events(&active->wire)};

    _Static_assert(POLLIN == EPOLLIN && POLLOUT == EPOLLOUT, "poll and epoll name events alike");
    if (fiber_current())
        (void)fiber_wait(wait.fd, (uint32_t)wait.events,
                         clock_monotonic_microseconds() + milliseconds * INT64_C(1000));
    else
        (void)poll(&wait, 1, milliseconds);
}

void browser_drop(struct browser_call *active)
{
    wire_close(&active->wire);
}

void browser_cancel(struct run *run, struct browser_call *active)
{
    const struct breaker_rule rule = browser_breaker_rule(run->worker->settings);

    wire_close(&active->wire);
    if (!active->pass.cell)
        return;
    if (active->pass.probe)
        breaker_cancel(run->worker->region, &active->pass);
    else
        breaker_record(run->worker->region, &rule, &active->pass, true);
}
