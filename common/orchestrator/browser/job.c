/* The steps of a job in their order, and the result for each kind of error. */
#include "orchestrator/browser/job.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/schema.h"
#include "orchestrator/models/catalog.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MODEL_TRIES = 3, DETAILS_MAX = 65536 };

/* Data of the steps for the details. */
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

/* Details of every job; absent members are omitted. */
struct job_details {
    const char *provider, *driver;
    struct optional_boolean configured, active, submitted; /* of a failure */
    const char *requested_label, *actual_label;            /* of a model mismatch */
};

#define OWNER struct job_details
static const struct field job_fields[] = {
    STRING(OWNER, provider),
    STRING(OWNER, driver),
    NULLABLE_BOOLEAN(OWNER, configured, .omit_if_null = true),
    NULLABLE_BOOLEAN(OWNER, active, .omit_if_null = true),
    NULLABLE_BOOLEAN(OWNER, submitted, .omit_if_null = true),
    STRING(OWNER, requested_label, .omit_if_null = true),
    STRING(OWNER, actual_label, .omit_if_null = true),
};
#undef OWNER
static SCHEMA(job_schema, struct job_details, "BrowserJobDetails", job_fields);

/* Further details after a model was selected. */
struct selection_details {
    const char *requested_model_label, *actual_model_label, *actual_label_source;
    const char *option_lookup_source;
    bool model_selection_verified, model_selection_attempted, home_navigation_attempted;
    int64_t model_verification_wait_attempts;
    const char *model_button_text_before, *model_button_text_after, *selection_indicator;
    json_t *model_menu_snapshot;
    struct optional_boolean model_picker_unavailable;
};

#define OWNER struct selection_details
static const struct field selection_fields[] = {
    STRING(OWNER, requested_model_label),
    STRING(OWNER, actual_model_label),
    STRING(OWNER, actual_label_source),
    STRING(OWNER, option_lookup_source, .nullable = true),
    BOOLEAN(OWNER, model_selection_verified),
    BOOLEAN(OWNER, model_selection_attempted),
    BOOLEAN(OWNER, home_navigation_attempted),
    INTEGER(OWNER, model_verification_wait_attempts),
    STRING(OWNER, model_button_text_before),
    STRING(OWNER, model_button_text_after),
    STRING(OWNER, selection_indicator, .nullable = true),
    JSON_VALUE(OWNER, model_menu_snapshot),
    NULLABLE_BOOLEAN(OWNER, model_picker_unavailable, .omit_if_null = true),
};
#undef OWNER
static SCHEMA(selection_schema, struct selection_details, "SelectionDetails", selection_fields);

/* Further details of a job with an answer. */
struct answer_details {
    bool thinking_enabled;
    int64_t attachment_count;
    double timeout_seconds;
    const char *response_source;
    int64_t response_candidate_count, response_selected_length;
    bool response_used_body_fallback;
};

#define OWNER struct answer_details
static const struct field answer_fields[] = {
    BOOLEAN(OWNER, thinking_enabled),
    INTEGER(OWNER, attachment_count),
    NUMBER(OWNER, timeout_seconds),
    STRING(OWNER, response_source),
    INTEGER(OWNER, response_candidate_count),
    INTEGER(OWNER, response_selected_length),
    BOOLEAN(OWNER, response_used_body_fallback),
};
#undef OWNER
static SCHEMA(answer_schema, struct answer_details, "BrowserAnswerDetails", answer_fields);

static json_t *menu_value(struct arena *arena, const char *menu)
{
    struct json_fault fault;
    json_t *value = NULL;

    return json_read(arena, menu, strlen(menu), JSON_DEPTH_LIMIT, &value, &fault) ? NULL : value;
}

static const char *print_selection(struct driver *driver, const struct browser_job *job,
                                   const struct selection *selection)
{
    const struct selection_details details = {
        .requested_model_label = job->label,
        .actual_model_label = selection->actual,
        .actual_label_source = selection->label_source,
        .option_lookup_source = selection->lookup_source,
        .model_selection_verified = selection->verified,
        .model_selection_attempted = selection->attempted,
        .home_navigation_attempted = selection->went_home,
        .model_verification_wait_attempts = selection->waits,
        .model_button_text_before = selection->before,
        .model_button_text_after = selection->after,
        .selection_indicator = selection->indicator,
        .model_menu_snapshot = menu_value(driver->arena, selection->menu),
        .model_picker_unavailable = {selection->picker_unavailable, true}};

    return schema_json(driver->arena, DETAILS_MAX, &selection_schema, &details);
}

static const char *print_answer(struct driver *driver, const struct browser_job *job,
                                const struct progress *progress)
{
    const struct reading *reading = &progress->reading;
    const struct answer_details details = {
        .thinking_enabled = progress->thinking,
        .attachment_count = (int64_t)job->attachments.count,
        .timeout_seconds = driver->settings->browser_call_seconds,
        .response_source = reading->source,
        .response_candidate_count = reading->candidates,
        .response_selected_length = (int64_t)utf8_count(reading->text),
        .response_used_body_fallback = reading->from_body};

    return schema_json(driver->arena, DETAILS_MAX, &answer_schema, &details);
}

/* Adds members to the details; details that are too long are omitted. */
static const char *join(struct arena *arena, const char *details, const char *more)
{
    return more ? json_join(arena, details, more) : details;
}

static const char *details_of(struct driver *driver, const struct browser_job *job,
                              const struct progress *progress, enum driver_error failure)
{
    struct job_details details = {.provider = "web_provider", .driver = "cdp"};
    const char *json;

    if (failure) {
        details.configured = GIVEN_BOOLEAN(true);
        details.active = GIVEN_BOOLEAN(driver->active);
        details.submitted = GIVEN_BOOLEAN(progress->submitted);
    }
    if (failure == DRIVER_WRONG_MODEL) {
        details.requested_label = job->label;
        details.actual_label = progress->selection.actual;
    }
    json = schema_json(driver->arena, DETAILS_MAX, &job_schema, &details);
    if (progress->selected)
        json = join(driver->arena, json, print_selection(driver, job, &progress->selection));
    if (!failure && !job->lists_models)
        json = join(driver->arena, json, print_answer(driver, job, progress));
    return json;
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
        end->failure_message = message_of(driver, failure);
        snprintf(driver->last_error, sizeof driver->last_error, "%s", end->failure_message);
        log_failure(driver, end);
    }
    end->details = details_of(driver, job, &progress, failure);
}

const struct browser_health *job_health(struct arena *arena, const struct driver *driver)
{
    struct browser_health *health = ARENA_NEW(arena, struct browser_health);
    struct browser_session *session = ARENA_NEW(arena, struct browser_session);
    struct browser_automation *automation = ARENA_NEW(arena, struct browser_automation);
    const char *status = *driver->last_error ? "degraded" : "ok";

    *session =
        (struct browser_session){.status = status,
                                 .provider = "web_provider",
                                 .configured = true,
                                 .active = driver->active,
                                 .base_url = driver->settings->browser_base_url,
                                 .last_error = *driver->last_error ? driver->last_error : NULL};
    *automation = (struct browser_automation){
        .status = status,
        .implemented = true,
        .driver = "cdp",
        .channel = driver->settings->browser_channel,
        .headless = driver->settings->browser_headless,
        .launched = driver->page != NULL,
        .observed_model_menu = menu_value(arena, *driver->menu ? driver->menu : "[]"),
        .observed_model_menu_at = {driver->menu_at != 0, driver->menu_at},
        .last_model_picker_unavailable_at = {driver->picker_missed_at != 0,
                                             driver->picker_missed_at},
        .human_action_delay_seconds = driver->settings->browser_human_delay_seconds};
    *health = (struct browser_health){driver->signed_out, session, automation};
    return health;
}
