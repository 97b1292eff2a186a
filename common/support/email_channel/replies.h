/* Answers received e-mails as POST /api/ask answers questions, and sends what is to be sent: jobs
 * that any number of processes may run (jobs/job.h). */
#ifndef ASSAY_SUPPORT_EMAIL_CHANNEL_REPLIES_H
#define ASSAY_SUPPORT_EMAIL_CHANNEL_REPLIES_H

#include "jobs/job.h"
#include "support/mail/mail_store.h"
#include "support/regression/engine.h"

/* Runs what is due, at most EMAIL_POLL_BATCH of each; `more` = there was something. `tools` has
 * everything but db, arena and problem. */
MUST_CHECK enum error email_answer_due(const struct mail_call *call,
                                       const struct regression_tools *tools, bool *more);
MUST_CHECK enum error email_send_due(const struct mail_call *call,
                                     const struct support_settings *settings, bool *more);

/* Forgets jobs that are over, and messages without a conversation after
 * MESSAGE_RETENTION_DAYS. */
MUST_CHECK enum error email_forget(const struct mail_call *call,
                                   const struct support_settings *settings);

#endif
