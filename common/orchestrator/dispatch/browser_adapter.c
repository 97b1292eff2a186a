/* Models of the web provider's menu: a job for the browser's process, behind a breaker that all
 * workers share. The scripted driver answers by itself; without a driver every call fails in words
 * that say so. */
#include "base/clock.h"
#include "orchestrator/browser/ask.h"
#include "orchestrator/dispatch/adapters.h"
#include "orchestrator/storage/times.h"

#include <math.h>
#include <poll.h>
#include <string.h>

enum { PROMPT_MAX = 64 << 20 };

/* Left of a request's time when the job's is over, so that its answer still comes. */
static const double answer_seconds = 0.25;

static void write_state(const struct orchestrator_settings *settings, struct json_writer *writer)
{
    writer_key_boolean(writer, "configured",
                       settings->browser_enabled && settings->browser_profile_dir);
    writer_key_boolean(writer, "active", false);
}

/* A failure without a session: the details say how the adapter is. */
static void fail(struct run *run, struct result *result, int failure_code, const char *message)
{
    struct details details;

    details_open(run, &details);
    writer_key_string(&details.writer, "provider", result->executed->provider);
    write_state(run->worker->settings, &details.writer);
    result->details = details_close(&details);
    result_fail(run, result, failure_code, message);
}

static void scripted_answer(struct run *run, const struct call_request *wanted,
                            const struct model *model, struct result *result)
{
    const struct orchestrator_settings *settings = run->worker->settings;
    const char *label =
        settings->scripted_model_label ? settings->scripted_model_label : model->provider_model_id;
    struct details details;

    if (!settings->scripted_logged_in) {
        fail(run, result, FAILURE_AUTH, "Scripted browser session is logged out.");
        return;
    }
    if (strcmp(label, model->provider_model_id) != 0 &&
        !catalog_equivalent(run->arena, run->worker->catalog, label, model->provider_model_id)) {
        details_open(run, &details);
        writer_key_string(&details.writer, "provider", model->provider);
        write_state(settings, &details.writer);
        writer_key_string(&details.writer, "requested_label", model->provider_model_id);
        writer_key_string(&details.writer, "actual_label", label);
        result->details = details_close(&details);
        result_fail(run, result, FAILURE_MODEL_MISMATCH,
                    arena_print(run->arena, "Requested browser model '%s' but UI shows '%s'.",
                                model->provider_model_id, label));
        return;
    }
    details_open(run, &details);
    writer_key_string(&details.writer, "provider", model->provider);
    writer_key_string(&details.writer, "requested_model_label", model->provider_model_id);
    writer_key_string(&details.writer, "actual_model_label", label);
    writer_key_boolean(&details.writer, "thinking_enabled", wanted->reasoning);
    writer_key_boolean(&details.writer, "model_selection_verified", true);
    writer_key_string(&details.writer, "driver", "scripted");
    result->details = details_close(&details);
    result->status = RUN_SUCCEEDED;
    result->text = settings->scripted_output;
}

/* What hinders a call whatever the browser does; the breaker is not asked then, nor told. */
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
    struct breaker_figures figures;
    char timestamp[CLOCK_TEXT_MAX];
    struct details details;

    (void)browser_breaker_read(worker, &figures);
    clock_format(figures.reopens_at, timestamp);
    details_open(run, &details);
    writer_key_string(&details.writer, "provider", result->executed->provider);
    writer_key_boolean(&details.writer, "circuit_breaker_open", true);
    writer_key(&details.writer, "circuit_breaker");
    writer_open_object(&details.writer);
    browser_breaker_write(worker, &details.writer);
    writer_close_object(&details.writer);
    result->details = details_close(&details);
    result_fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
                arena_print(run->arena,
                            "Adapter '%s' circuit breaker is open after %lld consecutive failures. "
                            "Retry after %s.",
                            browser_adapter_name,
                            (long long)worker->settings->browser_breaker_failures,
                            shown_time(run->arena, timestamp)));
}

/* The limits of submits; a call that they refuse says nothing about the browser. */
static bool has_budget(struct run *run, struct browser_call *active, struct result *result)
{
    struct browser_usage usage;
    const char *kind = browser_budget_take(run, &usage);
    struct details details;

    if (!kind)
        return true;
    if (active->pass.cell)
        breaker_cancel(run->worker->region, &active->pass);
    details_open(run, &details);
    writer_key_string(&details.writer, "provider", result->executed->provider);
    writer_key_string(&details.writer, "budget_exceeded_kind", kind);
    writer_key(&details.writer, "budget_usage");
    writer_open_object(&details.writer);
    writer_key_integer(&details.writer, "task_submits", usage.task);
    writer_key_integer(&details.writer, "hourly_submits", usage.hour);
    writer_close_object(&details.writer);
    result->details = details_close(&details);
    result_fail(run, result, FAILURE_RATE_LIMITED,
                arena_print(run->arena,
                            "Request budget exceeded (%s): task_submits=%lld, hourly_submits=%lld",
                            kind, (long long)usage.task, (long long)usage.hour));
    return false;
}

/* What the end of a call means to all workers: three kinds of failure count, all else is well. */
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

/* A conversation as the composer takes it: the prompt alone, or who has said what. */
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

static bool submit_job(struct run *run, const struct call_request *wanted,
                       const struct model *model, struct result *result)
{
    const struct browser_job job = {.prompt = prompt_of(run, wanted),
                                    .label = model->provider_model_id,
                                    .attachments = wanted->attachments,
                                    .reasoning = wanted->reasoning,
                                    .strict = wanted->strict_model,
                                    .seconds = fmax(0, run_seconds_left(run) - answer_seconds)};

    if (browser_call_begin(run->worker->run_directory, &job))
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
    const char *words = why_not_usable(settings);

    *active = (struct browser_call){0};
    if (words) {
        fail(run, result, FAILURE_PROVIDER_UNAVAILABLE, words);
        return false;
    }
    if (rule.failures && run->worker->region &&
        !breaker_allow(run->worker->region, browser_adapter_name, &rule, &active->pass)) {
        refuse_by_breaker(run, result);
        return false;
    }
    if (!has_budget(run, active, result))
        return false;
    if (settings->browser_driver == BROWSER_CDP && submit_job(run, wanted, model, result))
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
    enum browser_reply state = browser_call_poll(run->arena, &end);

    if (state == BROWSER_REPLY_PENDING)
        return false;
    browser_call_end();
    if (state == BROWSER_REPLY_LOST) {
        fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
             "The browser's process has gone before it answered.");
    } else {
        result->details = end.details;
        result->status = end.status;
        result->failure_code = end.failure_code;
        result->failure_message = end.message;
        result->text = end.text;
    }
    report_to_breaker(run, active, result);
    return true;
}

void browser_wait(int milliseconds)
{
    struct pollfd wait = {.fd = browser_call_fd(), .events = browser_call_events()};

    (void)poll(&wait, 1, milliseconds);
}

void browser_cancel(struct run *run, struct browser_call *active)
{
    const struct breaker_rule rule = browser_breaker_rule(run->worker->settings);

    browser_call_end();
    if (!active->pass.cell)
        return;
    if (active->pass.probe)
        breaker_cancel(run->worker->region, &active->pass);
    else
        breaker_record(run->worker->region, &rule, &active->pass, true);
}
