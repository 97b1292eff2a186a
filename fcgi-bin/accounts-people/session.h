/* Signing in and out, and who is signed in. */
#ifndef ASSAY_ACCOUNTS_PEOPLE_SESSION_H
#define ASSAY_ACCOUNTS_PEOPLE_SESSION_H

#include "accounts/service.h"

struct signed_in {
    const struct person *person;
    const char *session_id; /* NULL = by a personal token */
    int64_t expires_at;
};
SCHEMA_OF(signed_in_schema, struct signed_in);

extern const struct schema credentials_schema, sign_out_query_schema, signed_out_schema,
    sign_in_options_schema;

enum error sign_in_options_handle(struct request *request, struct reply *reply);
enum error session_handle(struct request *request, struct reply *reply);
enum error session_begin_handle(struct request *request, struct reply *reply);
enum error session_end_handle(struct request *request, struct reply *reply);

/* Answers as session_begin_handle() does, with a new session of the person. */
MUST_CHECK enum error session_answer(struct request *request, struct reply *reply,
                                     const struct person *person, const char *source);
/* 429 with Retry-After, or 401; nothing for an accepted one. */
MUST_CHECK enum error session_refuse(struct request *request, struct reply *reply,
                                     enum sign_in_outcome outcome, int64_t retry_after);

#endif
