/*
 * Links that open the report of a result without signing in, each until it expires or is revoked.
 * Only the SHA-256 of a token is stored: the token itself is in the answer that creates the link.
 * Creating and revoking are in the audit log. Contains all SQL about them.
 */
#ifndef ASSAY_EXPERIMENTS_REPORTS_SHARE_STORE_H
#define ASSAY_EXPERIMENTS_REPORTS_SHARE_STORE_H

#include "experiments/audit/audit_store.h"
#include "experiments/live/records.h"

enum { SHARES_MAX = 50 }; /* valid links of an experiment at a time */

struct share {
    const char *id;
    const char *created_by;
    const char *created_at, *expires_at;
    const char *token; /* in the answer that creates it, else NULL */
};
SCHEMA_OF(share_schema, struct share);         /* without the token */
SCHEMA_OF(created_share_schema, struct share); /* with the token */

/* Creates a link that is valid for `days`. ERROR_NOT_FOUND `not_found` for an unknown experiment,
 * ERROR_CONFLICT `share_limit_reached` when SHARES_MAX are valid already. */
MUST_CHECK enum error share_create(const struct live_call *call, const struct actor *actor,
                                   const char *experiment_id, int64_t days, struct share *share);

/* The valid links of an experiment, newest first: a list of struct share. ERROR_NOT_FOUND. */
MUST_CHECK enum error share_list(const struct live_call *call, const char *experiment_id,
                                 struct object_list *shares);

/* ERROR_NOT_FOUND `not_found` unless it is a link of this experiment. */
MUST_CHECK enum error share_revoke(const struct live_call *call, const struct actor *actor,
                                   const char *experiment_id, const char *id);

/* The experiment whose report the token opens now; NULL when it opens none. */
MUST_CHECK enum error share_find(const struct live_call *call, const char *token,
                                 const char **experiment_id);

#endif
