/*
 * E-mail in the database: received messages, each of which is taken once, the conversations they
 * belong to, and messages to be sent. Contains all SQL about them. Does not know what is answered
 * (cron-bin/email-channel).
 */
#ifndef ASSAY_SUPPORT_MAIL_MAIL_STORE_H
#define ASSAY_SUPPORT_MAIL_MAIL_STORE_H

#include "base/schema.h"
#include "db/db.h"
#include "jobs/job.h"

struct mail_call {
    struct db *db;
    struct arena *arena;
    const char *tenant;
    struct problem *problem;
};

/* Names of the jobs that answer a received message and send one; their keys are the ids. Only the
 * runner's kinds have more than a name. */
extern const struct job_kind mail_answer_job, mail_send_job;

/* Ids of messages are stored without brackets; several have blanks between them. */
struct received_mail {
    const char *id;
    const char *message_key; /* identifies the message, whatever way it comes */
    const char *tenant_id, *sender, *subject, *body;
    bool is_html;           /* the body */
    const char *message_id; /* "" = it has none */
    const char *reference_ids;
    const char *state;           /* waiting, handled, ignored */
    const char *ignored_because; /* NULL = it is to be answered */
};

/* Stores a message and adds the job that answers it, unless it was taken before. `id`, `state` and
 * the call's tenant are not used. */
MUST_CHECK enum error mail_receive(const struct mail_call *call, const struct received_mail *mail,
                                   bool *added);

/* The tenant of the call is not used. ERROR_NOT_FOUND mail_not_found. */
MUST_CHECK enum error mail_find(const struct mail_call *call, const char *id,
                                struct received_mail *mail);

/* The conversation that a message continues: one with its sender that has a message to which it
 * refers. NULL = none. */
MUST_CHECK enum error mail_find_session(const struct mail_call *call,
                                        const struct received_mail *mail, const char **session_id);

/* Marks the message as handled and makes it a part of a conversation that exists. The ids of
 * replies will end with `domain`. In the caller's transaction. ERROR_CONFLICT mail_handled when it
 * is not waiting any more. */
MUST_CHECK enum error mail_join(const struct mail_call *call, const struct received_mail *mail,
                                const char *session_id, const char *domain);

/* Adds a message to the customer of a conversation and the job that sends it; nothing when the
 * conversation is not by e-mail. In the caller's transaction. */
MUST_CHECK enum error mail_queue(const struct mail_call *call, const char *session_id,
                                 const char *body, bool automatic);

/* Automatic messages to an address within the last `seconds`. */
MUST_CHECK enum error mail_count_automatic(const struct mail_call *call, const char *address,
                                           int64_t seconds, int64_t *count);

struct sent_mail {
    const char *id, *tenant_id, *session_id;
    const char *message_id, *address, *subject, *body, *in_reply_to, *reference_ids, *state;
    bool automatic; /* no person has written it */
};
/* ERROR_NOT_FOUND mail_not_found; the call's tenant is not used. */
MUST_CHECK enum error mail_find_sent(const struct mail_call *call, const char *id,
                                     struct sent_mail *mail);
/* `state` is sent or failed. */
MUST_CHECK enum error mail_mark_sent(const struct mail_call *call, const char *id,
                                     const char *state);

/* Deletes messages without a conversation after that many days; 0 = never. Others go with their
 * conversation. */
MUST_CHECK enum error mail_forget(const struct mail_call *call, int64_t days);

#endif
