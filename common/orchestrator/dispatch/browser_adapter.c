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
    write_state(run->house->settings, &details.writer);
    result->details = details_close(&details);
    result_fail(run, result, failure_code, message);
}

static void scripted_answer(struct run *run, const struct order *order, const struct model *model,
                            struct result *result)
{
    const struct orchestrator_settings *settings = run->house->settings;
    const char *label =
        settings->scripted_model_label ? settings->scripted_model_label : model->provider_model_id;
    struct details details;

    if (!settings->scripted_logged_in) {
        fail(run, result, FAILURE_AUTH, "Scripted browser session is logged out.");
        return;
    }
    if (strcmp(label, model->provider_model_id) != 0 &&
        !catalog_equivalent(run->arena, run->house->catalog, label, model->provider_model_id)) {
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
    writer_key_boolean(&details.writer, "thinking_enabled", order->reasoning);
    writer_key_boolean(&details.writer, "model_selection_verified", true);
    writer_key_string(&details.writer, "driver", "scripted");
    result->details = details_close(&details);
    result->status = RUN_SUCCEEDED;
    result->text = settings->scripted_output;
}

/* What hinders a call whatever the browser does; the breaker is not asked then, nor told. */
static const char *hindrance(const struct orchestrator_settings *settings)
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
    const struct house *house = run->house;
    struct breaker_figures figures;
    char moment[CLOCK_TEXT_MAX];
    struct details details;

    (void)browser_breaker_read(house, &figures);
    clock_format(figures.reopens_at, moment);
    details_open(run, &details);
    writer_key_string(&details.writer, "provider", result->executed->provider);
    writer_key_boolean(&details.writer, "circuit_breaker_open", true);
    writer_key(&details.writer, "circuit_breaker");
    writer_open_object(&details.writer);
    browser_breaker_write(house, &details.writer);
    writer_close_object(&details.writer);
    result->details = details_close(&details);
    result_fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
                arena_print(run->arena,
                            "Adapter '%s' circuit breaker is open after %lld consecutive failures. "
                            "Retry after %s.",
                            browser_adapter_name,
                            (long long)house->settings->browser_breaker_failures,
                            shown_time(run->arena, moment)));
}

/* The limits of submits; a call that they refuse says nothing about the browser. */
static bool has_budget(struct run *run, struct browser_errand *errand, struct result *result)
{
    struct browser_usage usage;
    const char *kind = browser_budget_take(run, &usage);
    struct details details;

    if (!kind)
        return true;
    if (errand->pass.cell)
        breaker_withdraw(run->house->region, &errand->pass);
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
static void tell_breaker(const struct run *run, struct browser_errand *errand,
                         const struct result *result)
{
    const struct breaker_rule rule = browser_breaker_rule(run->house->settings);
    int code = result->failure_code;
    bool counts =
        result->status == RUN_FAILED && (code == FAILURE_PROVIDER_UNAVAILABLE ||
                                         code == FAILURE_TIMEOUT || code == FAILURE_UNKNOWN);

    if (!errand->pass.cell)
        return;
    if (counts)
        breaker_note(run->house->region, &errand->pass, code, result->failure_message);
    breaker_tell(run->house->region, &rule, &errand->pass, !counts);
}

/* A conversation as the composer takes it: the prompt alone, or who has said what. */
static const char *prompt_of(struct run *run, const struct order *order)
{
    const struct llm_request *request = order->request;
    struct text text;

    if (!request || !request->message_count)
        return order->prompt ? order->prompt : "";
    if (request->message_count == 1)
        return request->messages[0].content ? request->messages[0].content : "";
    text_start(&text, run->arena, PROMPT_MAX);
    for (size_t i = 0; i < request->message_count; i++)
        text_append_format(&text, "%s%s: %s", i ? "\n\n" : "", request->messages[i].role,
                           request->messages[i].content ? request->messages[i].content : "");
    return text.bytes;
}

static bool hand_in(struct run *run, const struct order *order, const struct model *model,
                    struct result *result)
{
    const struct browser_job job = {.prompt = prompt_of(run, order),
                                    .label = model->provider_model_id,
                                    .attachments = order->attachments,
                                    .reasoning = order->reasoning,
                                    .strict = order->strict_model,
                                    .seconds = fmax(0, run_seconds_left(run) - answer_seconds)};

    if (browser_call_begin(run->house->run_directory, &job))
        return true;
    fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
         "The browser's process (orch-browserd) does not run.");
    return false;
}

bool browser_begin(struct run *run, const struct order *order, const struct model *model,
                   struct browser_errand *errand, struct result *result)
{
    const struct orchestrator_settings *settings = run->house->settings;
    const struct breaker_rule rule = browser_breaker_rule(settings);
    const char *words = hindrance(settings);

    *errand = (struct browser_errand){0};
    if (words) {
        fail(run, result, FAILURE_PROVIDER_UNAVAILABLE, words);
        return false;
    }
    if (rule.failures && run->house->region &&
        !breaker_ask(run->house->region, browser_adapter_name, &rule, &errand->pass)) {
        refuse_by_breaker(run, result);
        return false;
    }
    if (!has_budget(run, errand, result))
        return false;
    if (settings->browser_driver == BROWSER_CDP && hand_in(run, order, model, result))
        return true;
    if (settings->browser_driver == BROWSER_SCRIPTED)
        scripted_answer(run, order, model, result);
    else if (settings->browser_driver == BROWSER_NULL)
        fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
             "Browser automation driver is not configured.");
    tell_breaker(run, errand, result);
    return false;
}

bool browser_look(struct run *run, struct browser_errand *errand, struct result *result)
{
    struct browser_end end;
    enum browser_news news = browser_call_look(run->arena, &end);

    if (news == BROWSER_NEWS_NONE)
        return false;
    browser_call_end();
    if (news == BROWSER_NEWS_LOST) {
        fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
             "The browser's process has gone before it answered.");
    } else {
        result->details = end.details;
        result->status = end.status;
        result->failure_code = end.failure_code;
        result->failure_message = end.message;
        result->text = end.text;
    }
    tell_breaker(run, errand, result);
    return true;
}

void browser_rest(int milliseconds)
{
    struct pollfd wait = {.fd = browser_call_fd(), .events = browser_call_events()};

    (void)poll(&wait, 1, milliseconds);
}

void browser_cut(struct run *run, struct browser_errand *errand)
{
    const struct breaker_rule rule = browser_breaker_rule(run->house->settings);

    browser_call_end();
    if (!errand->pass.cell)
        return;
    if (errand->pass.probe)
        breaker_withdraw(run->house->region, &errand->pass);
    else
        breaker_tell(run->house->region, &rule, &errand->pass, true);
}
