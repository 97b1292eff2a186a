/* Reads the mailbox of the support service: stores each unseen message once, then marks it as seen.
 * A process that dies in between reads the message again and finds it stored. */
#ifndef ASSAY_SUPPORT_EMAIL_CHANNEL_POLL_H
#define ASSAY_SUPPORT_EMAIL_CHANNEL_POLL_H

#include "support/mail/mail_store.h"
#include "support/metrics.h"
#include "support/settings.h"

enum {
    EMAIL_TEXT_MAX = 256 * 1024,    /* bytes of a message's text */
    POLL_MEMORY = 256 * 1024 * 1024 /* for reading a message, beside its bytes */
};

/* At most EMAIL_POLL_BATCH messages; `more` = there may be others. Memory is from the call's arena.
 * Errors of the mailbox (net/mailbox.h) and of the database. */
MUST_CHECK enum error email_poll(const struct mail_call *call,
                                 const struct support_settings *settings, struct metrics *metrics,
                                 bool *more);

#endif
