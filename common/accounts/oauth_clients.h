/* Programs that have registered themselves for sign-in by OAuth (RFC 7591). All are public clients:
 * they have no secret, and PKCE protects their codes. */
#ifndef ASSAY_ACCOUNTS_OAUTH_CLIENTS_H
#define ASSAY_ACCOUNTS_OAUTH_CLIENTS_H

#include "accounts/oauth_config.h"
#include "accounts/store.h"

enum { OAUTH_CLIENT_NAME_MAX = 100 /* code points */, OAUTH_CLIENT_ID_MAX = 100 };

struct oauth_client {
    const char *id;
    const char *name; /* what the program says of itself: nobody has checked it */
    struct string_list redirect_uris;
    int64_t created_at; /* Unix microseconds, as the next */
    int64_t used_at;    /* 0 = nobody has let it in */
};

struct new_oauth_client {
    const char *name; /* NULL = none was given */
    struct string_list redirect_uris;
    const char *network; /* where it registers: the key of limits */
};

/* Registers a program, after deleting those that are no longer used. ERROR_INVALID
 * invalid_redirect_uri, invalid_client_metadata; ERROR_BUSY too_many_clients. */
MUST_CHECK enum error oauth_client_add(const struct accounts_call *call,
                                       const struct oauth_config *config,
                                       const struct new_oauth_client *wanted,
                                       struct oauth_client *client);

/* ERROR_NOT_FOUND oauth_client_unknown. */
MUST_CHECK enum error oauth_client_find(const struct accounts_call *call, const char *id,
                                        struct oauth_client *client);

#endif
