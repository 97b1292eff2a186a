/* Sessions: what a browser shows after sign-in. The token is random; only its SHA-256 is stored. */
#ifndef ASSAY_ACCOUNTS_SESSIONS_H
#define ASSAY_ACCOUNTS_SESSIONS_H

#include "accounts/store.h"

#define SESSION_COOKIE "assay_session"

struct person_session {
    const char *id;
    int64_t created_at; /* Unix microseconds, as the next; last seen is exact to a minute */
    int64_t last_seen_at;
    int64_t expires_at; /* unless it is used before */
    const char *user_agent;
    const char *ip_address;
    bool is_current;
    const char *person_id;
    const char *source;            /* how the person signed in: "password", "invitation", "oidc" */
    int64_t idle_seconds, ends_at; /* it ends after so long without a request, and then anyway */
};
SCHEMA_OF(person_session_schema, struct person_session);

/* Who begins a session and for how long. */
struct session_terms {
    const char *person_id;
    const char *source;
    int64_t idle_seconds, lifetime_seconds;
    const char *user_agent; /* NULL = unknown, as the next; the first is cut to 300 characters */
    const char *ip_address;
};

/* `token` goes into the cookie SESSION_COOKIE, and nowhere else. */
MUST_CHECK enum error session_start(const struct accounts_call *call,
                                    const struct session_terms *terms,
                                    struct person_session *session, const char **token);

/* The session of a token; ERROR_NOT_FOUND session_unknown when it has ended. */
MUST_CHECK enum error session_find(const struct accounts_call *call, const char *token,
                                   struct person_session *session);
/* How the person of a session signed in ("password", "oidc"); NULL when it has ended. */
MUST_CHECK enum error session_source(const struct accounts_call *call, const char *id,
                                     const char **source);
/* Notes that a session and its person were seen; at most once a minute. */
void session_touch(const struct accounts_call *call, const struct person_session *session);

/* Those of a person that have not ended, the newest first: a list of struct person_session.
 * `current` (an id, or NULL) is marked. */
MUST_CHECK enum error session_list_of(const struct accounts_call *call, const char *person_id,
                                      const char *current, struct object_list *sessions);

/* Ends one session of the person. ERROR_NOT_FOUND session_unknown. */
MUST_CHECK enum error session_end(const struct accounts_call *call, const char *person_id,
                                  const char *id);
/* Ends all of them except `kept` (an id; NULL = none), the signed tokens of the person (struct
 * named_person), and what programs were let in to do (oauth_grants.h). */
MUST_CHECK enum error session_end_all(const struct accounts_call *call, const char *person_id,
                                      const char *kept);
/* Deletes sessions that have ended. */
MUST_CHECK enum error session_purge(const struct accounts_call *call);

#endif
