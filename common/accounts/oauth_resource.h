/*
 * The addresses that a token may be for (RFC 8707): /mcp of the suite and of each service. nginx
 * passes them on, as "suite=https://host/mcp experiments=https://host/experiments/mcp ...".
 */
#ifndef ASSAY_ACCOUNTS_OAUTH_RESOURCE_H
#define ASSAY_ACCOUNTS_OAUTH_RESOURCE_H

#include "base/arena.h"

enum { OAUTH_RESOURCE_MAX = 500 /* bytes */ };

/* Of tokens that count at every service. */
#define OAUTH_BOUND_TO_SUITE "suite"

/* What tokens for the address `resource` are bound to: "suite" or the name of a service; NULL when
 * the list has no such address. A slash at its end does not count, and names of this computer
 * (localhost, 127.0.0.1) are the same. From the arena. */
const char *oauth_resource_service(struct arena *arena, const char *list, const char *resource);

/* Whether a token for `bound_to` counts at `service`. */
bool oauth_bound_admits(const char *bound_to, const char *service);

/* Whether a word is among those of a scope ("read write"). */
bool oauth_scope_has(const char *scope, const char *word);

/* `origin` ("http://127.0.0.1:8000"), with `host` ("localhost:8000") in it when both are this
 * computer: programs compare it with the address that they were given. From the arena. */
const char *oauth_origin_as_asked(struct arena *arena, const char *origin, const char *host);

#endif
