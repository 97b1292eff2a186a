/* What people do with their own account: sessions, password, personal tokens. */
#ifndef ASSAY_ACCOUNTS_PEOPLE_OWN_H
#define ASSAY_ACCOUNTS_PEOPLE_OWN_H

#include "accounts/service.h"

extern const struct schema sessions_schema, password_change_schema, tokens_schema,
    token_request_schema, created_token_schema;

enum error sessions_handle(struct request *request, struct reply *reply);
enum error sessions_delete_handle(struct request *request, struct reply *reply);
enum error password_handle(struct request *request, struct reply *reply);
enum error tokens_handle(struct request *request, struct reply *reply);
enum error token_add_handle(struct request *request, struct reply *reply);
enum error token_delete_handle(struct request *request, struct reply *reply);

#endif
