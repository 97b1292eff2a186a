/* Sending e-mails of conversations, and forgetting old ones. */
#include "base/log.h"
#include "base/string_list.h"
#include "jobs/inbox.h"
#include "net/mail.h"
#include "support/conversation/conversation.h"
#include "support/email_channel/replies.h"
#include "support/settings.h"

#include <stdio.h>
#include <string.h>

enum {
    LEASE_MARGIN = 60,
    KEPT_DAYS = 30, /* of jobs that are over */
    SECONDS_A_DAY = 86400,
    FORGET_MOST = 500
};

static const double pauses[] = {10, 60, 300, 900, 3600};

/* The question of a ticket whose draft was not delivered; the inbox shows it in the reader's
 * language. */
static const char not_delivered[] = "(not delivered)";

static struct string_list ids_of(struct arena *arena, const char *ids)
{
    struct string_list list = {0, ARENA_ARRAY(arena, const char *, strlen(ids) / 2 + 1)};

    while (*ids) {
        size_t length = strcspn(ids, " ");

        list.items[list.count++] = arena_copy(arena, ids, length);
        ids += length + strspn(ids + length, " ");
    }
    return list;
}

static enum error send_one(struct arena *arena, const struct support_settings *settings,
                           const struct sent_mail *sent, struct problem *problem)
{
    const struct mail_server server = {.host = settings->smtp_host,
                                       .port = settings->smtp_port,
                                       .user = settings->smtp_user,
                                       .password = settings->smtp_password,
                                       .ca_file = settings->smtp_ca_file,
                                       .seconds = settings->smtp_timeout};
    const char *to[] = {sent->address};
    const struct mail mail = {
        .from = settings->smtp_from,
        .to = {1, to},
        .subject = *sent->subject ? arena_print(arena, "Re: %s", sent->subject) : "Re:",
        .text = sent->body,
        .id = sent->message_id,
        .in_reply_to = *sent->in_reply_to ? sent->in_reply_to : NULL,
        .references = ids_of(arena, sent->reference_ids),
        .author = sent->automatic ? MAIL_REPLY_OF_PROGRAM : MAIL_OF_PERSON};

    return mail_send(arena, &server, &mail, problem);
}

static void perform(struct job *job, struct job_verdict *verdict)
{
    struct problem problem = {0};
    const struct mail_call call = {job->db, job->arena, NULL, &problem};
    struct sent_mail sent;
    enum error error = mail_find_sent(&call, job->key, &sent);

    if (error == ERROR_NOT_FOUND) /* its conversation was deleted */
        return;
    if (!error && strcmp(sent.state, "waiting") != 0)
        return;
    if (!error)
        error = send_one(job->arena, job->context, &sent, &problem);
    if (!error)
        return;
    log_event(LOG_WARNING, "email_not_sent", problem.text);
    verdict->outcome = error == ERROR_INVALID || strcmp(problem.reason, "mail_refused") == 0
                           ? JOB_REFUSED
                           : JOB_FAILED;
    (void)!snprintf(verdict->error, sizeof verdict->error, "%s", problem.text);
}

/* What will not be delivered goes back to the team. */
static enum error give_back(const struct mail_call *call, const struct sent_mail *sent)
{
    const struct conversation_call conversation = {
        .db = call->db, .arena = call->arena, .tenant = sent->tenant_id, .problem = call->problem};
    enum error error = mail_mark_sent(call, sent->id, "failed");

    return error ? error
                 : ticket_open(&conversation, sent->session_id, not_delivered, sent->body, NULL,
                               TICKET_PENDING);
}

static enum error record(struct job *job, const struct job_verdict *verdict,
                         struct problem *problem)
{
    const struct support_settings *settings = job->context;
    const struct mail_call call = {job->db, job->arena, NULL, problem};
    struct sent_mail sent;
    enum error error = mail_find_sent(&call, job->key, &sent);

    if (error)
        return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
    if (strcmp(sent.state, "waiting") != 0)
        return ERROR_NONE;
    if (verdict->outcome == JOB_DONE)
        return mail_mark_sent(&call, sent.id, "sent");
    if (verdict->outcome == JOB_FAILED && job->failures + 1 < settings->email_send_attempts)
        return ERROR_NONE;
    return give_back(&call, &sent);
}

enum error email_send_due(const struct mail_call *call, const struct support_settings *settings,
                          bool *more)
{
    const struct job_kind kind = {.name = mail_send_job.name,
                                  .lease_seconds = (int)settings->smtp_timeout + LEASE_MARGIN,
                                  .attempts = (int)settings->email_send_attempts,
                                  .pauses = pauses,
                                  .pause_count = sizeof pauses / sizeof *pauses,
                                  .interruptions_max = 10,
                                  .perform = perform,
                                  .record = record};
    struct support_settings context = *settings;
    struct job_counts tally = {0};
    enum error error = job_run_due(call->db, call->arena, &kind, &context,
                                   settings->email_poll_batch, &tally, call->problem);

    *more = tally.claimed > 0;
    return error;
}

enum error email_forget(const struct mail_call *call, const struct support_settings *settings)
{
    static const struct job_kind *const kinds[] = {&mail_answer_job, &mail_send_job};
    static const enum job_state states[] = {JOB_IS_DONE, JOB_IS_DEAD};
    enum error error = ERROR_NONE;
    int64_t count;

    for (size_t i = 0; i < 4 && !error; i++)
        error = job_forget(call->db, kinds[i / 2], states[i % 2], KEPT_DAYS * SECONDS_A_DAY,
                           FORGET_MOST, &count, call->problem);
    return error ? error : mail_forget(call, settings->message_retention_days);
}
