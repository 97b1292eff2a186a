/* The steps of a job in their order, and what each kind of trouble means for its caller. */
#include "orchestrator/browser/job.h"

#include "base/clock.h"
#include "base/log.h"
#include "orchestrator/models/catalog.h"
#include "orchestrator/storage/times.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MODEL_TRIES = 3, DETAILS_MAX = 65536 };

/* What the steps leave for the details. */
struct progress {
    struct selection selection;
    struct reading reading;
    bool selected, submitted, thinking;
};

static const struct {
    int failure_code;
    bool ends_session;
} meanings[] = {
    [DRIVER_TIMED_OUT] = {FAILURE_TIMEOUT, true},
    [DRIVER_NOT_SIGNED_IN] = {FAILURE_AUTH, false},
    [DRIVER_PROFILE_IN_USE] = {FAILURE_PROVIDER_UNAVAILABLE, false},
    [DRIVER_UNAVAILABLE] = {FAILURE_PROVIDER_UNAVAILABLE, false},
    [DRIVER_CANCELLED] = {FAILURE_NONE, false},
    [DRIVER_WRONG_MODEL] = {FAILURE_MODEL_MISMATCH, false},
    [DRIVER_OTHER_ERROR] = {FAILURE_UNKNOWN, true},
};

/* Equal, or two names of one model. */
static bool is_same_model(struct driver *driver, const char *one, const char *other)
{
    struct catalog catalog;

    if (strcmp(one, other) == 0)
        return true;
    catalog_make_static(driver->arena, true, &catalog);
    return catalog_equivalent(driver->arena, &catalog, one, other);
}

static enum driver_error choose_model(struct driver *driver, const struct browser_job *job,
                                      struct progress *progress)
{
    struct selection *selection = &progress->selection;
    int waits = 0;
    enum driver_error failure;

    for (;;) {
        failure = driver_select_model(driver, job->label, selection);
        selection->waits = waits;
        progress->selected = !failure;
        if (failure || (is_same_model(driver, selection->actual, job->label) &&
                        (selection->verified || !job->strict)))
            return failure;
        if (++waits == MODEL_TRIES || selection->picker_unavailable)
            return driver_fail(driver, DRIVER_WRONG_MODEL,
                               "Requested browser model '%.150s' but UI shows '%.150s'%s.",
                               job->label, selection->actual,
                               is_same_model(driver, selection->actual, job->label)
                                   ? ", which cannot be verified"
                                   : "");
        failure = driver_wait(driver, driver->settings->browser_retry_seconds);
        if (failure)
            return failure;
    }
}

static enum driver_error run_steps(struct driver *driver, const struct browser_job *job,
                                   struct progress *progress)
{
    enum driver_error failure = driver_ensure_session(driver);

    driver->active = !failure;
    if (!failure)
        failure = driver_dismiss_popups(driver);
    if (!failure)
        failure = driver_go_home(driver);
    if (!failure)
        failure = driver_dismiss_popups(driver);
    if (!failure) {
        failure = driver_check_signed_in(driver);
        driver_screenshot(driver, driver->signed_out ? "02-auth-signed-out" : "02-auth-logged-in",
                          NULL);
    }
    if (!failure && job->lists_models)
        return driver_read_labels(driver, &progress->reading.text);
    if (!failure)
        failure = choose_model(driver, job, progress);
    if (!failure && job->reasoning) {
        failure = driver_enable_thinking(driver, job->label);
        progress->thinking = !failure;
    }
    if (!failure)
        failure = driver_attach(driver, &job->attachments);
    if (!failure)
        failure = driver_submit(driver, job->prompt);
    progress->submitted = !failure;
    return failure ? failure : driver_wait_answer(driver, job->prompt, &progress->reading);
}

static void write_selection(struct json_writer *writer, const struct browser_job *job,
                            const struct selection *selection)
{
    writer_key_string(writer, "requested_model_label", job->label);
    writer_key_string(writer, "actual_model_label", selection->actual);
    writer_key_string(writer, "actual_label_source", selection->label_source);
    writer_key_string(writer, "option_lookup_source", selection->lookup_source);
    writer_key_boolean(writer, "model_selection_verified", selection->verified);
    writer_key_boolean(writer, "model_selection_attempted", selection->attempted);
    writer_key_boolean(writer, "home_navigation_attempted", selection->went_home);
    writer_key_integer(writer, "model_verification_wait_attempts", selection->waits);
    writer_key_string(writer, "model_button_text_before", selection->before);
    writer_key_string(writer, "model_button_text_after", selection->after);
    writer_key_string(writer, "selection_indicator", selection->indicator);
    writer_key(writer, "model_menu_snapshot");
    writer_raw(writer, selection->menu);
    if (selection->picker_unavailable)
        writer_key_boolean(writer, "model_picker_unavailable", true);
}

static void write_reading(struct json_writer *writer, const struct driver *driver,
                          const struct reading *reading)
{
    writer_key_number(writer, "timeout_seconds", driver->settings->browser_call_seconds);
    writer_key_string(writer, "response_source", reading->source);
    writer_key_integer(writer, "response_candidate_count", reading->candidates);
    writer_key_integer(writer, "response_selected_length", (int64_t)utf8_count(reading->text));
    writer_key_boolean(writer, "response_used_body_fallback", reading->from_body);
}

static const char *details_of(const struct driver *driver, const struct browser_job *job,
                              const struct progress *progress, enum driver_error failure)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, driver->arena, DETAILS_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "provider", "web_provider");
    writer_key_string(&writer, "driver", "cdp");
    if (failure) {
        writer_key_boolean(&writer, "configured", true);
        writer_key_boolean(&writer, "active", driver->active);
        writer_key_boolean(&writer, "submitted", progress->submitted);
    }
    if (failure == DRIVER_WRONG_MODEL) {
        writer_key_string(&writer, "requested_label", job->label);
        writer_key_string(&writer, "actual_label", progress->selection.actual);
    }
    if (progress->selected)
        write_selection(&writer, job, &progress->selection);
    if (!failure && !job->lists_models) {
        writer_key_boolean(&writer, "thinking_enabled", progress->thinking);
        writer_key_integer(&writer, "attachment_count", (int64_t)job->attachments.count);
        write_reading(&writer, driver, &progress->reading);
    }
    writer_close_object(&writer);
    return text.overflowed ? "{\"provider\":\"web_provider\"}" : text.bytes;
}

static const char *message_of(const struct driver *driver, enum driver_error failure)
{
    if (failure == DRIVER_TIMED_OUT)
        return arena_print(driver->arena, "Browser execution timed out after %gs.",
                           round(driver->last_limit * 10) / 10);
    if (failure == DRIVER_OTHER_ERROR)
        return arena_print(driver->arena, "Browser execution failed: %s", driver->message);
    return arena_copy_string(driver->arena, driver->message);
}

/* Prompts and answers are not logged. */
static void log_failure(const struct driver *driver, const struct browser_end *end)
{
    struct log_line line;

    log_begin(&line, LOG_WARNING, "browser_job_failed");
    log_text(&line, "code", failure_name(end->failure_code));
    log_text(&line, "words", driver->message);
    log_write(&line);
}

void job_run(struct driver *driver, const struct browser_job *job, struct browser_end *end)
{
    struct progress progress = {.selection = {.menu = "[]"}, .reading = {.text = ""}};
    double seconds = driver->settings->browser_call_seconds;
    enum driver_error failure;

    driver_begin_job(driver, job->seconds < seconds ? job->seconds : seconds);
    failure = run_steps(driver, job, &progress);
    driver_drop_files(driver);
    *end = (struct browser_end){.status = RUN_SUCCEEDED, .failure_code = FAILURE_NONE};
    if (!failure) {
        end->text = progress.reading.text;
        *driver->last_error = 0;
    } else if (failure == DRIVER_CANCELLED) {
        end->status = RUN_CANCELLED;
    } else {
        driver->active = false;
        end->status = RUN_FAILED;
        end->failure_code = meanings[failure].failure_code;
        end->ends_session = meanings[failure].ends_session;
        end->message = message_of(driver, failure);
        snprintf(driver->last_error, sizeof driver->last_error, "%s", end->message);
        log_failure(driver, end);
    }
    end->details = details_of(driver, job, &progress, failure);
}

static void write_session(struct json_writer *writer, const struct driver *driver)
{
    writer_key(writer, "session");
    writer_open_object(writer);
    writer_key_string(writer, "status", *driver->last_error ? "degraded" : "ok");
    writer_key_string(writer, "provider", "web_provider");
    writer_key_boolean(writer, "configured", true);
    writer_key_boolean(writer, "active", driver->active);
    writer_key_string(writer, "base_url", driver->settings->browser_base_url);
    writer_key_string(writer, "last_error", *driver->last_error ? driver->last_error : NULL);
    writer_close_object(writer);
}

const char *job_health(struct arena *arena, const struct driver *driver)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, DETAILS_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_boolean(&writer, "signed_out", driver->signed_out);
    write_session(&writer, driver);
    writer_key(&writer, "automation");
    writer_open_object(&writer);
    writer_key_string(&writer, "status", *driver->last_error ? "degraded" : "ok");
    writer_key_boolean(&writer, "implemented", true);
    writer_key_string(&writer, "driver", "cdp");
    writer_key_string(&writer, "channel", driver->settings->browser_channel);
    writer_key_boolean(&writer, "headless", driver->settings->browser_headless);
    writer_key_boolean(&writer, "launched", driver->page != NULL);
    writer_key(&writer, "observed_model_menu");
    writer_raw(&writer, *driver->menu ? driver->menu : "[]");
    write_shown_timestamp(&writer, "observed_model_menu_at", driver->menu_at);
    write_shown_timestamp(&writer, "last_model_picker_unavailable_at", driver->picker_missed_at);
    writer_key_number(&writer, "human_action_delay_seconds",
                      driver->settings->browser_human_delay_seconds);
    writer_close_object(&writer);
    writer_close_object(&writer);
    return text.bytes;
}
