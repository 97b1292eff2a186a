/* Personal tokens: for programs that act for a person. Only their SHA-256 is stored. */
#ifndef ASSAY_ACCOUNTS_TOKENS_H
#define ASSAY_ACCOUNTS_TOKENS_H

#include "accounts/store.h"

#define PERSONAL_TOKEN_PREFIX "assay_"

enum { PERSONAL_TOKENS_MAX = 50, TOKEN_NAME_MAX = 100 };

struct personal_token {
    const char *id;
    const char *name;
    const char *prefix; /* the first characters of the token */
    int64_t created_at;
    int64_t last_used_at; /* 0 = never; exact to a minute */
    int64_t expires_at;   /* 0 = never */
    bool read_only;       /* for GET, HEAD and OPTIONS (decision 1) */
    const char *person_id;
};
SCHEMA_OF(personal_token_schema, struct personal_token);

/* Whether a credential has the form of a personal token, so that no service need look at it. */
bool personal_token_is(const char *credential);

struct new_token {
    const char *person_id;
    const char *name;
    int64_t expires_at; /* Unix microseconds; 0 = never */
    bool read_only;
};

/* `secret` is shown once. ERROR_CONFLICT too_many_tokens. */
MUST_CHECK enum error personal_token_add(const struct accounts_call *call,
                                         const struct new_token *wanted,
                                         struct personal_token *token, const char **secret);
/* ERROR_NOT_FOUND token_unknown, also when it has expired. */
MUST_CHECK enum error personal_token_find(const struct accounts_call *call, const char *secret,
                                          struct personal_token *token);
void personal_token_touch(const struct accounts_call *call, const struct personal_token *token);
/* Those of a person, the newest first: a list of struct personal_token. */
MUST_CHECK enum error personal_token_list(const struct accounts_call *call, const char *person_id,
                                          struct object_list *tokens);
/* ERROR_NOT_FOUND token_unknown. */
MUST_CHECK enum error personal_token_delete(const struct accounts_call *call, const char *person_id,
                                            const char *id);
/* All tokens of a person; `deleted` receives how many there were. */
MUST_CHECK enum error personal_token_delete_all(const struct accounts_call *call,
                                                const char *person_id, int64_t *deleted);
/* For the audit log: "3 tokens deleted"; NULL for none. */
const char *personal_tokens_deleted_text(struct arena *arena, int64_t deleted);

#endif
