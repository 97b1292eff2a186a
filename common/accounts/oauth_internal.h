/* Private to the files oauth_*.c: forms of secrets and units. */
#ifndef ASSAY_ACCOUNTS_OAUTH_INTERNAL_H
#define ASSAY_ACCOUNTS_OAUTH_INTERNAL_H

#include "accounts/store_internal.h"

enum { OAUTH_SECRET_TEXT = 43 /* of accounts_new_secret(), without its prefix */ };

#define OAUTH_SECOND_US INT64_C(1000000)

#endif
