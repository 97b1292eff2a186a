/* The jobs of the chat app: analyses, posts to channels and replies. */
#include "experiments/chat/chat_jobs.h"

#include "experiments/chat/installation_store.h"
#include "experiments/chat/platform.h"
#include "experiments/payloads/design_analysis.h"
#include "jobs/inbox.h"

#include <string.h>

enum {
    TASK_FRAME_BYTES_MAX = 16 * 1024, /* of a task beside its message */
    DAY_SECONDS = 86400
};

static const double pauses[] = {1, 5, 30};

/* The payload of a job. Members that do not apply are NULL. */
struct chat_task {
    const char *project_id;
    const char *user;
    const char *request_id;
    const char *ip_address;
    const char *response_url;
    const char *message; /* JSON */
    const char *team_id; /* of the installation that a post is made by */
};

#define OWNER struct chat_task
static const struct field task_fields[] = {
    STRING(OWNER, project_id, .nullable = true),   STRING(OWNER, user, .nullable = true),
    STRING(OWNER, request_id, .nullable = true),   STRING(OWNER, ip_address, .nullable = true),
    STRING(OWNER, response_url, .nullable = true), STRING(OWNER, message, .nullable = true),
    STRING(OWNER, team_id, .nullable = true),
};
#undef OWNER
static SCHEMA(task_schema, struct chat_task, "ChatOrder", task_fields, .extra = EXTRA_IGNORE);

/* A task contains the message as a JSON string, so each of its quotes is escaped. */
static enum error add(struct db *db, const struct chat_format *format, const struct job_kind *kind,
                      const char *key, const struct chat_task *task, struct problem *problem)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, format->arena, 2 * chat_message_max(format) + TASK_FRAME_BYTES_MAX);
    writer_start(&writer, &text);
    schema_write(&writer, &task_schema, task);
    return job_add(db, kind, &(struct job_spec){.key = key, .payload = text.bytes}, NULL, problem);
}

/* NULL for an unreadable verdict. */
static const struct chat_task *read_task(const struct job *job, struct job_verdict *verdict)
{
    struct chat_task *task = ARENA_NEW(job->arena, struct chat_task);
    struct schema_errors errors;
    struct json_fault fault;
    json_t *json;

    if (!json_read(job->arena, job->payload, strlen(job->payload), JSON_DEPTH_LIMIT, &json,
                   &fault) &&
        !schema_decode(&task_schema, json, "order", task, &errors, job->arena))
        return task;
    if (verdict)
        *verdict = (struct job_verdict){.outcome = JOB_REFUSED, .error = "the order is unreadable"};
    return NULL;
}

static bool is_over(const struct job *job, const struct job_verdict *verdict)
{
    return verdict->outcome == JOB_REFUSED ||
           (verdict->outcome == JOB_FAILED && job->failures + 1 >= job->kind->attempts);
}

static void fail(struct job_verdict *verdict, enum job_outcome outcome, const char *why)
{
    size_t length = strlen(why);

    if (length >= sizeof verdict->error)
        length = utf8_valid_prefix(why, sizeof verdict->error - 1);
    verdict->outcome = outcome;
    memcpy(verdict->error, why, length);
    verdict->error[length] = '\0';
}

/* The results of a run for its record. */
struct finding {
    const struct project *project;
    const struct analysis_payload *analysis;
};

static enum error analyze(struct job *job, const char *project_id, struct finding *finding,
                          struct problem *problem)
{
    const struct chat_job_context *context = job->context;
    const struct project_call call = {.db = job->db, .arena = job->arena, .problem = problem};
    const struct calculation_call calculation = {context->locale, job->arena, problem};
    struct project *project = ARENA_NEW(job->arena, struct project);
    const struct experiment_payload *payload;
    enum error error = project_read(&call, project_id, project);

    db_release(job->db); /* while it is computed */
    if (error)
        return error;
    finding->project = project;
    payload = project_payload(project->document, job->arena);
    if (!payload)
        return problem_set(problem, ERROR_INVALID, "stored_document",
                           "the stored design cannot be read");
    return design_analyze(&calculation, payload, &finding->analysis);
}

static void perform_analysis(struct job *job, struct job_verdict *verdict)
{
    const struct chat_task *task = read_task(job, verdict);
    struct finding *finding = ARENA_NEW(job->arena, struct finding);
    struct problem problem = {0};
    enum error error;

    if (!task)
        return;
    job->result = finding;
    error = analyze(job, task->project_id, finding, &problem);
    if (error)
        fail(verdict, error == ERROR_INVALID || error == ERROR_NOT_FOUND ? JOB_REFUSED : JOB_FAILED,
             problem.text);
}

static const char *done_message(const struct chat_format *format, const struct finding *finding)
{
    const struct calculation_results *results = finding->analysis->calculations->results;
    const char *total = arena_print(format->arena, "%lld", (long long)results->total_sample_size);
    const char *days =
        arena_print(format->arena, "%lld", (long long)results->estimated_duration_days);
    const char *name = chat_name(format, finding->project->project_name);

    return chat_reply(format,
                      chat_translate(format, "chats.run_done",
                                     TEXT_ARGUMENTS({"name", name}, {"id", finding->project->id},
                                                    {"total", total}, {"days", days})));
}

static const char *failed_message(const struct chat_format *format, const char *id, const char *why)
{
    return chat_reply(
        format, chat_translate(format, "chats.run_failed",
                               TEXT_ARGUMENTS({"id", id}, {"reason", chat_name(format, why)})));
}

static enum error enqueue_reply(const struct job *job, const struct chat_format *format,
                                const struct chat_task *task, const char *message,
                                struct problem *problem)
{
    const struct chat_task reply = {.response_url = task->response_url, .message = message};

    if (!task->response_url)
        return ERROR_NONE;
    return add(job->db, format, &chat_message_kind, arena_print(job->arena, "%s told", job->key),
               &reply, problem);
}

static enum error keep(const struct job *job, const struct chat_task *task, struct problem *problem)
{
    const struct finding *finding = job->result;
    const struct actor actor = {
        .name = task->user, .request_id = task->request_id, .ip_address = task->ip_address};
    const struct project_call call = {
        .db = job->db, .arena = job->arena, .actor = &actor, .problem = problem};
    struct project stored;

    return project_add_analysis(&call, task->project_id, finding->analysis, &stored);
}

static enum error record_analysis(struct job *job, const struct job_verdict *verdict,
                                  struct problem *problem)
{
    const struct chat_job_context *context = job->context;
    const struct chat_format format = chat_format_of(context->settings, job->arena);
    const struct chat_task *task = read_task(job, NULL);
    enum error error;

    if (!task || (verdict->outcome != JOB_DONE && !is_over(job, verdict)))
        return ERROR_NONE;
    if (verdict->outcome != JOB_DONE)
        return enqueue_reply(job, &format, task,
                             failed_message(&format, task->project_id, verdict->error), problem);
    error = keep(job, task, problem);
    return error ? error
                 : enqueue_reply(job, &format, task, done_message(&format, job->result), problem);
}

static void judge(struct job_verdict *verdict, const struct platform_answer *answer)
{
    if (!answer->problem)
        return;
    fail(verdict, answer->may_pass ? JOB_FAILED : JOB_REFUSED, answer->problem);
    verdict->pause_seconds = answer->retry_after;
}

static void perform_message(struct job *job, struct job_verdict *verdict)
{
    const struct chat_job_context *context = job->context;
    const struct chat_task *task = read_task(job, verdict);
    struct platform_answer answer;
    struct problem problem;

    if (!task)
        return;
    /* The URL was checked at enqueuing; settings may have changed since. */
    if (platform_check_response_url(context->settings, task->response_url, &problem)) {
        fail(verdict, JOB_REFUSED, problem.text);
        return;
    }
    platform_post(job->arena, context->settings,
                  &(struct platform_request){
                      .url = task->response_url, .type = "application/json", .body = task->message},
                  &answer);
    judge(verdict, &answer);
}

static enum error find_installation(const struct job *job, const char *team_id,
                                    struct installation *installation, struct problem *problem)
{
    const struct chat_job_context *context = job->context;
    const struct key_call call = {.db = job->db, .arena = job->arena, .problem = problem};
    bool found;
    enum error error = installation_find(&call, context->settings->chatapp_client_secret, team_id,
                                         installation, &found);

    if (!error && (!found || !installation->bot_token || !context->settings->chatapp_base_url))
        return problem_set(problem, ERROR_NOT_FOUND, "chatapp_not_configured",
                           "the app is not installed");
    return error;
}

static void perform_post(struct job *job, struct job_verdict *verdict)
{
    const struct chat_job_context *context = job->context;
    const struct chat_task *task = read_task(job, verdict);
    struct installation installation;
    struct platform_answer answer;
    struct problem problem;
    enum error error;

    if (!task)
        return;
    error = find_installation(job, task->team_id, &installation, &problem);
    db_release(job->db); /* while the platform is waited for */
    if (error) {
        fail(verdict, error == ERROR_NOT_FOUND ? JOB_REFUSED : JOB_FAILED, problem.text);
        return;
    }
    platform_post(job->arena, context->settings,
                  &(struct platform_request){.path = "/api/chat.postMessage",
                                             .type = "application/json; charset=utf-8",
                                             .body = task->message,
                                             .token = installation.bot_token},
                  &answer);
    judge(verdict, &answer);
}

/* When the post failed, the user who asked for it gets a reply. */
static enum error record_post(struct job *job, const struct job_verdict *verdict,
                              struct problem *problem)
{
    const struct chat_job_context *context = job->context;
    const struct chat_format format = chat_format_of(context->settings, job->arena);
    const struct chat_task *task = read_task(job, NULL);

    if (!task || !is_over(job, verdict))
        return ERROR_NONE;
    return enqueue_reply(
        job, &format, task,
        chat_reply(&format,
                   chat_translate(&format, "chats.review_failed",
                                  TEXT_ARGUMENTS({"reason", chat_name(&format, verdict->error)}))),
        problem);
}

const struct job_kind chat_analysis_kind = {.name = "experiments.chat_analysis",
                                            .lease_seconds = 180,
                                            .pauses = pauses,
                                            .pause_count = sizeof pauses / sizeof pauses[0],
                                            .interruptions_max = 3,
                                            .perform = perform_analysis,
                                            .record = record_analysis};

const struct job_kind chat_message_kind = {.name = "experiments.chat_message",
                                           .lease_seconds = 120,
                                           .pauses = pauses,
                                           .pause_count = sizeof pauses / sizeof pauses[0],
                                           .interruptions_max = 10,
                                           .perform = perform_message};

const struct job_kind chat_post_kind = {.name = "experiments.chat_post",
                                        .lease_seconds = 120,
                                        .pauses = pauses,
                                        .pause_count = sizeof pauses / sizeof pauses[0],
                                        .interruptions_max = 10,
                                        .perform = perform_post,
                                        .record = record_post};

enum error chat_enqueue_analysis(const struct chat_session *session, const char *project_id)
{
    const struct chat_task task = {.project_id = project_id,
                                   .user = session->actor.name,
                                   .request_id = session->actor.request_id,
                                   .ip_address = session->actor.ip_address,
                                   .response_url = session->response_url};

    return add(session->db, session->format, &chat_analysis_kind, session->key, &task,
               session->problem);
}

enum error chat_enqueue_message(const struct chat_session *session, const char *message)
{
    const struct chat_task task = {.response_url = session->response_url, .message = message};

    if (!session->response_url)
        return ERROR_NONE;
    return add(session->db, session->format, &chat_message_kind, session->key, &task,
               session->problem);
}

enum error chat_enqueue_post(const struct chat_session *session, const char *message)
{
    const struct chat_task task = {
        .response_url = session->response_url, .message = message, .team_id = session->team_id};

    return add(session->db, session->format, &chat_post_kind, session->key, &task,
               session->problem);
}

struct job_kind chat_kind(const struct job_kind *kind, const struct experiments_settings *settings)
{
    struct job_kind configured = *kind;

    configured.attempts = (int)settings->chatapp_attempts;
    return configured;
}

enum error chat_purge_jobs(struct db *db, const struct experiments_settings *settings,
                           struct problem *problem)
{
    static const struct job_kind *const kinds[] = {&chat_analysis_kind, &chat_post_kind,
                                                   &chat_message_kind};
    double seconds = (double)settings->webhook_history_days * DAY_SECONDS;
    int64_t most = settings->webhook_purge_rows, count;
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !error; i++) {
        error = job_forget(db, kinds[i], JOB_IS_DONE, seconds, most, &count, problem);
        if (!error)
            error = job_forget(db, kinds[i], JOB_IS_DEAD, seconds, most, &count, problem);
    }
    return error;
}
