/* E-mails that a mail provider posts: each is stored once; the program email-channel answers
 * them. */
#ifndef ASSAY_SUPPORT_ASK_EMAIL_H
#define ASSAY_SUPPORT_ASK_EMAIL_H

#include "base/schema.h"
#include "http/request.h"

struct email_taken;
SCHEMA_OF(email_taken_schema, struct email_taken);

enum error email_handle(struct request *request, struct reply *reply);

#endif
