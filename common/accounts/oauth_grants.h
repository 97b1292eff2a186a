/*
 * What a person has let a program do: a code, which is exchanged once for an access token and a
 * refresh token, and further pairs of them (OAuth 2.1; PKCE, RFC 7636; RFC 9700). A grant may do
 * what the person may at the time of the call, or only read. It ends when it is revoked, when the
 * person's sessions are ended, when a code or a refresh token is used twice, or with time.
 */
#ifndef ASSAY_ACCOUNTS_OAUTH_GRANTS_H
#define ASSAY_ACCOUNTS_OAUTH_GRANTS_H

#include "accounts/oauth_config.h"
#include "accounts/store.h"

#define OAUTH_ACCESS_PREFIX "assay_at_"
#define OAUTH_REFRESH_PREFIX "assay_rt_"
#define OAUTH_CODE_PREFIX "assay_ac_"

enum { OAUTH_CHALLENGE_TEXT = 43 /* SHA-256 in base64url */, OAUTH_VERIFIER_MAX = 128 };

struct oauth_grant {
    const char *id;
    const char *client_name; /* what the program says of itself */
    const char *resource;    /* the address that its tokens are for */
    const char *bound_to;    /* "suite", or a service */
    bool read_only;
    int64_t created_at;   /* Unix microseconds, as the next */
    int64_t last_used_at; /* 0 = never; exact to a minute */
    int64_t expires_at;   /* unless the program refreshes its token before */
    const char *person_id;
};
SCHEMA_OF(oauth_grant_schema, struct oauth_grant);

/* A consent. */
struct oauth_consent {
    const char *client_id;
    const char *person_id;
    const char *redirect_uri; /* one of the client's */
    const char *challenge;    /* of PKCE, by S256 */
    const char *resource, *bound_to;
    bool read_only;
};

/* `code` goes to the program by way of the browser. ERROR_CONFLICT too_many_grants; ERROR_NOT_FOUND
 * oauth_client_unknown. */
MUST_CHECK enum error oauth_grant_begin(const struct accounts_call *call,
                                        const struct oauth_config *config,
                                        const struct oauth_consent *consent, const char **code);

/* What a program shows for tokens; texts are as they were sent, NULL = not sent. */
struct oauth_exchange {
    const char *client_id;
    const char *resource; /* NULL = that of the grant */
    const char *code, *redirect_uri, *verifier;
    const char *refresh_token;
    const char *scope; /* with a refresh token; NULL = as granted */
};

struct oauth_tokens {
    const char *access;
    const char *refresh;
    int64_t access_seconds;
    bool read_only; /* of this access token */
    const char *person_id;
    const char *ended; /* why the grant was ended: for the audit log; NULL = it was not */
};

/* The first pair, for a code. Whoever shows a code that he must not have (used before, of another
 * program, without its verifier, for another address) ends the grant: ERROR_INVALID invalid_grant,
 * and invalid_target where the resource is another. */
MUST_CHECK enum error oauth_grant_exchange(const struct accounts_call *call,
                                           const struct oauth_config *config,
                                           const struct oauth_exchange *exchange,
                                           struct oauth_tokens *tokens);

/* The next pair; the last one counts no more. A refresh token that was used before ends the grant:
 * somebody else has it. ERROR_INVALID invalid_grant, invalid_target, invalid_scope. */
MUST_CHECK enum error oauth_grant_refresh(const struct accounts_call *call,
                                          const struct oauth_config *config,
                                          const struct oauth_exchange *exchange,
                                          struct oauth_tokens *tokens);

/* Ends the grant of an access or refresh token (RFC 7009); that of another client stays.
 * `person_id` receives whose it was; NULL = nothing was ended. */
MUST_CHECK enum error oauth_grant_revoke(const struct accounts_call *call, const char *client_id,
                                         const char *token, const char **person_id);

/* Whether a credential has the form of an access token. */
bool oauth_access_is(const char *credential);

/* The grant of an access token that counts; `expires_at` is the token's, `read_only` too.
 * ERROR_NOT_FOUND token_unknown. */
MUST_CHECK enum error oauth_access_find(const struct accounts_call *call, const char *secret,
                                        struct oauth_grant *grant);
void oauth_grant_touch(const struct accounts_call *call, const struct oauth_grant *grant);

/* Those of a person that hold, the newest first: a list of struct oauth_grant. */
MUST_CHECK enum error oauth_grant_list(const struct accounts_call *call, const char *person_id,
                                       struct object_list *grants);
/* ERROR_NOT_FOUND grant_unknown. */
MUST_CHECK enum error oauth_grant_delete(const struct accounts_call *call, const char *person_id,
                                         const char *id);
/* All of a person, within a change (accounts_change_begin()). */
MUST_CHECK enum error oauth_grants_end(const struct accounts_call *call, const char *person_id);

#endif
