/* E-mail notifications to operators: reports, the backlog, rollbacks. Only programs send them,
 * never a request. */
#ifndef ASSAY_SUPPORT_PROGRAMS_EMAIL_H
#define ASSAY_SUPPORT_PROGRAMS_EMAIL_H

#include "base/arena.h"
#include "base/error.h"
#include "support/settings.h"

/* Sends to REPORT_EMAIL_RECIPIENTS, or TENANT_ADMIN_EMAIL, by the SMTP_ settings; does nothing
 * without a recipient. ERROR_INVALID no_mail_server; errors of mail_send(). */
MUST_CHECK enum error email_report_readers(struct arena *arena,
                                           const struct support_settings *settings,
                                           const char *subject, const char *text,
                                           struct problem *problem);
MUST_CHECK enum error email_tenant_admin(struct arena *arena,
                                         const struct support_settings *settings,
                                         const char *subject, const char *text,
                                         struct problem *problem);

#endif
