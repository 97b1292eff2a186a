/* Reading the mailbox. */
#include "support/email_channel/poll.h"
#include "base/log.h"
#include "net/mailbox.h"
#include "support/mail/mail_rules.h"

#include <string.h>
#include <time.h>

struct poll {
    const struct mail_call *call;
    const struct support_settings *settings;
    struct metrics *metrics;
    struct mailbox *mailbox;
    struct arena *arena; /* of one message */
};

static enum error store(const struct poll *poll, const char *bytes, size_t length)
{
    const struct mail_call call = {poll->call->db, poll->arena, NULL, poll->call->problem};
    struct mime_message message;
    struct received_mail mail;
    bool added;

    mime_read(poll->arena, bytes, length, EMAIL_TEXT_MAX, &message);
    mail = mail_of_message(poll->arena, &message, bytes, length, poll->settings);
    return mail_receive(&call, &mail, &added);
}

static enum error take(const struct poll *poll, uint32_t uid)
{
    struct problem *problem = poll->call->problem;
    const char *bytes;
    size_t length;
    enum error error =
        mailbox_fetch(poll->mailbox, poll->arena, uid, (size_t)poll->settings->email_max_bytes,
                      &bytes, &length, problem);

    if (!error && bytes)
        error = store(poll, bytes, length);
    if (!error)
        error = mailbox_mark_seen(poll->mailbox, uid, problem);
    if (!error && bytes && poll->metrics)
        metric_add(poll->metrics, METRIC_EMAIL_FETCHED, NULL, 1);
    return error;
}

/* A message that the server refuses to give does not hold up the others. */
static enum error take_all(const struct poll *poll, const uint32_t *uids, size_t count)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < count && !error; i++) {
        error = take(poll, uids[i]);
        arena_reset(poll->arena);
        if (error && strcmp(poll->call->problem->reason, "mailbox_refused") == 0) {
            log_event(LOG_WARNING, "email_not_read", poll->call->problem->text);
            error = ERROR_NONE;
        }
    }
    return error;
}

static enum error open_mailbox(struct poll *poll)
{
    const struct support_settings *settings = poll->settings;
    const struct mailbox_server server = {.host = settings->imap_host,
                                          .port = settings->imap_port,
                                          .user = settings->imap_user,
                                          .password = settings->imap_password,
                                          .folder = settings->imap_folder,
                                          .ca_file = settings->imap_ca_file,
                                          .seconds = settings->imap_timeout};

    return mailbox_open(poll->call->arena, &server, &poll->mailbox, poll->call->problem);
}

enum error email_poll(const struct mail_call *call, const struct support_settings *settings,
                      struct metrics *metrics, bool *more)
{
    struct poll poll = {.call = call, .settings = settings, .metrics = metrics};
    size_t most = (size_t)settings->email_poll_batch, count = 0;
    uint32_t *uids = ARENA_ARRAY(call->arena, uint32_t, most);
    enum error error = open_mailbox(&poll);

    *more = false;
    if (error)
        return error;
    poll.arena = arena_create_below(call->arena, (size_t)settings->email_max_bytes + POLL_MEMORY);
    if (!poll.arena)
        error = problem_set(call->problem, ERROR_SYSTEM, "out_of_memory", "no memory for a mail");
    if (!error)
        error = mailbox_unseen(poll.mailbox, uids, most, &count, call->problem);
    if (!error)
        error = take_all(&poll, uids, count);
    mailbox_close(poll.mailbox);
    if (poll.arena)
        arena_destroy(poll.arena);
    if (metrics && error)
        metric_add(metrics, METRIC_EMAIL_ERRORS, NULL, 1);
    if (metrics && !error)
        metric_set(metrics, METRIC_EMAIL_SUCCESS, NULL, (double)time(NULL));
    *more = !error && count == most;
    return error;
}
