/* What all responders of the experiments service share: its life cycle, its wire format and its
 * access control. No route, no formula. */
#ifndef ASSAY_EXPERIMENTS_SERVICE_H
#define ASSAY_EXPERIMENTS_SERVICE_H

#include "experiments/keys/key_store.h"
#include "experiments/settings.h"
#include "experiments/storage/store.h"
#include "http/server.h"

extern const struct http_service experiments_service;

/* Roles of its routes. An open service has only writers. */
enum { ROLE_NOBODY, ROLE_READER, ROLE_WRITER, ROLE_OPERATOR };

/* Traits of its routes. */
enum {
    TRAIT_STATELESS =
        1,          /* computes and keeps nothing: readers may, where AB_READONLY_COMPUTE says */
    TRAIT_HEAVY = 2 /* charged to the heavy bucket, too */
};

/* The caps of bodies, as positions of the policy's list. */
enum { LIMIT_STANDARD, LIMIT_WORKSPACE, LIMIT_CHATAPP };

enum scope { SCOPE_NONE, SCOPE_READ, SCOPE_WRITE, SCOPE_ADMIN, SCOPE__MAX };
extern const char *const scope_names[SCOPE__MAX]; /* NULL for SCOPE_NONE */

/* The caller, as far as the credentials say; never NULL. */
struct caller {
    bool auth_enabled;         /* some token is configured; without any the service is open */
    enum scope scope;          /* SCOPE_NONE when auth is not enabled */
    const char *key_id;        /* of an issued key */
    struct rate_rule key_rate; /* that key's own limit; 0 in either member = the service's */
};
const struct caller *service_caller(const struct request *request);

/* What a request's service has. */
const struct experiments_settings *service_settings(const struct request *request);
struct store *service_store(const struct request *request);

/* The open database; errors go into the request's problem. The second is for what every family asks
 * of it, keys and first answers, also one without storage, which opens it then. */
MUST_CHECK enum error service_database(struct request *request, struct db **db);
MUST_CHECK enum error service_database_for_keys(struct request *request, struct db **db);

/* Which keys there are, as of at most a second ago in this worker. None when the database cannot be
 * asked but the service was open when it last could. */
MUST_CHECK enum error service_key_census(struct request *request, struct key_census *census);
void service_forget_key_census(struct request *request);

/* To be called before a key is issued: from then on no worker takes the service for open without
 * having asked the database again. */
void service_expect_keys(struct request *request);

/* Who is asking, for the audit log. From the request's arena. */
const struct actor *service_actor(const struct request *request);

#endif
