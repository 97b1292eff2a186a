/* Who sent a request: the person of a personal token, of a program's token or of a session. What
 * was found is shared by the workers of this host for CALLER_KEPT_SECONDS, and forgotten at once
 * when it changes here. */
#ifndef ASSAY_ACCOUNTS_CALLER_H
#define ASSAY_ACCOUNTS_CALLER_H

#include "accounts/people.h"

enum { CALLER_KEPT_SECONDS = 5 };

/* What the request presents; NULL or "" = nothing. */
struct presented {
    const char *bearer;  /* request_bearer() */
    const char *api_key; /* X-API-Key */
    const char *session; /* request_session_cookie(): the rules of cookies are checked there */
};

enum caller_kind {
    CALLER_NONE,     /* nothing of ours: no token, and no session that still holds */
    CALLER_SESSION,  /* a session */
    CALLER_TOKEN,    /* a personal token, or the access token of a program (oauth_grants.h) */
    CALLER_BAD_TOKEN /* such a token that is unknown, expired, for another service, or of somebody
                        switched off */
};

struct account_caller {
    enum caller_kind kind;
    const struct person *person; /* of the two middle kinds */
    const char *id;              /* of the session, the token or the grant */
    const char *bound_to;        /* of a program's token (oauth_resource.h); NULL = no such token */
    bool read_only;              /* of the token */
    int64_t expires_at;          /* Unix microseconds; 0 = never */
};

/*
 * A token counts before a session. When `bearer` or `api_key` holds another credential,
 * the session does not count: an explicit credential is never overruled. Errors are those of the
 * store (503): the caller is then unknown, not anonymous. Without anything of ours the store is not
 * asked. Memory from `arena`.
 */
MUST_CHECK enum error caller_find(struct accounts *accounts, struct arena *arena,
                                  const struct presented *presented, struct account_caller *caller,
                                  struct problem *problem);

/* Makes a program's token for another service a bad one. Whoever has found a caller asks this with
 * the name of its own service. */
void caller_check_service(struct account_caller *caller, const char *service);

/* As person_named(), shared as callers are. */
MUST_CHECK enum error caller_named(struct accounts *accounts, struct arena *arena,
                                   const char *subject, struct named_person *named,
                                   struct problem *problem);

#endif
