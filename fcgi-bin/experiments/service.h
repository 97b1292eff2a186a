/* Shared by all responders of the experiments service: life cycle, wire format and access control.
 * No routes, no formulas. */
#ifndef ASSAY_EXPERIMENTS_SERVICE_H
#define ASSAY_EXPERIMENTS_SERVICE_H

#include "experiments/keys/client_key_store.h"
#include "experiments/keys/key_store.h"
#include "experiments/settings.h"
#include "experiments/storage/store.h"
#include "http/server.h"

extern const struct http_service experiments_service;

/* Roles of its routes. Without authentication every caller is a writer. */
enum { ROLE_NOBODY, ROLE_READER, ROLE_WRITER, ROLE_OPERATOR };

/* Traits of its routes. */
enum {
    TRAIT_STATELESS = 1,  /* computes without storing: people who may read may call it, and tokens
                             that only read if AB_READONLY_COMPUTE allows it */
    TRAIT_HEAVY = 2,      /* also charged to the bucket for expensive requests */
    TRAIT_METRICS = 4,    /* for everybody on the port, for readers below the portal */
    TRAIT_EVALUATION = 8, /* for readers, though it may record an exposure */
    TRAIT_QUESTION = 16,  /* a POST that only reads */
    TRAIT_TASK = 32       /* keeps a file for a while: people who may read may do it */
};

/* The limits of body sizes, as indexes of the policy's list. */
enum { LIMIT_STANDARD, LIMIT_WORKSPACE, LIMIT_CHATAPP, LIMIT_DATA, LIMIT_SEGMENT };

enum scope { SCOPE_NONE, SCOPE_READ, SCOPE_WRITE, SCOPE_ADMIN, SCOPE__MAX };
extern const char *const scope_names[SCOPE__MAX]; /* NULL for SCOPE_NONE */

/* The caller according to the credentials; never NULL. */
struct caller {
    bool auth_enabled;               /* a token is configured; without any the service is open */
    enum scope scope;                /* SCOPE_NONE when auth is not enabled */
    const char *key_id;              /* of an issued key */
    const char *person;              /* username of whoever signed in or shows a personal token */
    bool read_only;                  /* of that token */
    const struct client_key *client; /* a publishable key: one project, and routes of /ofrep/ */
    struct rate_rule
        key_rate; /* rate limit of that key; 0 in either member = the service's limit */
};
const struct caller *service_caller(const struct request *request);

/* State of the service for a request. */
const struct experiments_settings *service_settings(const struct request *request);
struct store *service_store(const struct request *request);

/* The folder of this host for files that wait for their task; NULL = it has none. */
const char *service_uploads(const struct request *request);

/* The connected database; errors go into the request's problem. The second one is for data that
 * every family needs, keys and cached answers; it also works in families without storage, where it
 * connects on first use. */
MUST_CHECK enum error service_database(struct request *request, struct db **db);
MUST_CHECK enum error service_database_for_keys(struct request *request, struct db **db);

/* The keys, at most a second old in this worker. Returns no keys if the database cannot be read but
 * the service was open at the last read. */
MUST_CHECK enum error service_key_census(struct request *request, struct key_census *census);
void service_forget_key_census(struct request *request);

/* Call it before issuing a key: from then on, no worker treats the service as open without reading
 * the database again. */
void service_expect_keys(struct request *request);

/* The worker's producer, made at the first call, to publish to one topic. ERROR_UNAVAILABLE
 * kafka_unavailable while a worker of this host has found out that it takes nothing: the others
 * shall not wait as long as that one. service_used_kafka() must follow, and says whether it took
 * the records. */
struct kafka_producer;
MUST_CHECK enum error service_kafka(struct request *request, const char *topic,
                                    struct kafka_producer **producer);
void service_used_kafka(struct request *request, bool well);

/* The caller, for the audit log. From the request's arena. */
const struct actor *service_actor(const struct request *request);

#endif
