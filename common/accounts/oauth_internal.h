/* Private to the files oauth_*.c: forms of secrets and units. */
#ifndef ASSAY_ACCOUNTS_OAUTH_INTERNAL_H
#define ASSAY_ACCOUNTS_OAUTH_INTERNAL_H

#include "accounts/store_internal.h"

enum { OAUTH_SECRET_TEXT = 43 /* of accounts_new_secret(), without its prefix */ };

#define OAUTH_SECOND_US INT64_C(1000000)

/* Deletes grants that have ended, and codes that nobody has exchanged. */
MUST_CHECK enum error oauth_grants_purge(const struct accounts_call *call);

#endif
