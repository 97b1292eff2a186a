/* What an e-mail is for the support service: whose it is, and whether it is to be answered. Knows
 * neither mailboxes nor the database. */
#ifndef ASSAY_SUPPORT_MAIL_MAIL_RULES_H
#define ASSAY_SUPPORT_MAIL_MAIL_RULES_H

#include "documents/mime.h"
#include "support/mail/mail_store.h"
#include "support/settings.h"

/* The tenant of a sender by a list of DOMAIN:TENANT: the first domain that is the same, else that
 * of `*`, else "default". */
const char *mail_tenant(struct arena *arena, const struct string_list *domains,
                        const char *address);

/* Why a message is not answered, NULL = it is: a program has written it (RFC 3834), it comes from a
 * mailing list or from the service itself, or it says who sent it in no way that can be used. */
const char *mail_ignored_because(const struct mime_message *message, const char *sender,
                                 const struct support_settings *settings);

/* A message as it is stored. `bytes` are those it was read from: their digest stands for a missing
 * Message-ID. Texts are borrowed from the message or the arena's. */
struct received_mail mail_of_message(struct arena *arena, const struct mime_message *message,
                                     const char *bytes, size_t length,
                                     const struct support_settings *settings);

/* The subject without what mail programs put before it when they reply. */
const char *mail_bare_subject(const char *subject);

/* The question of a message whose own words are `words`: the subject and them, or in a conversation
 * that goes on the words alone. At most EMAIL_QUESTION_MAX_CHARS. "" = there is nothing. */
const char *mail_question(struct arena *arena, const struct support_settings *settings,
                          const char *subject, const char *words, bool goes_on);

enum { MAIL_WORDINGS_MAX = 2 };
/* What the words of a letter may mean without what is around them: without salutation and closing,
 * and its questions alone. Those that differ from each other; the list has room
 * for MAIL_WORDINGS_MAX. */
void mail_wordings(struct arena *arena, const char *words, struct string_list *wordings);

#endif
