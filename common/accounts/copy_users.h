/* People of the support service from before there were accounts of the suite. */
#ifndef ASSAY_ACCOUNTS_COPY_USERS_H
#define ASSAY_ACCOUNTS_COPY_USERS_H

#include "accounts/store.h"

/*
 * Copies the users of support's table `users` that are not here yet (by id): id, name, hash,
 * tenant, role, state, and who they are at a provider of sign-in. A name that somebody has here
 * already is skipped and counted in `skipped`. A database without that table has none.
 */
MUST_CHECK enum error accounts_copy_users(const struct accounts_call *call, struct db *support,
                                          int64_t *copied, int64_t *skipped);

#endif
