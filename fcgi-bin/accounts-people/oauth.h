/*
 * Programs that sign in by OAuth 2.1, as MCP clients do: what they learn about this installation
 * (RFC 8414, RFC 9728), how they register (RFC 7591), a person's consent, tokens, and their end
 * (RFC 7009).
 */
#ifndef ASSAY_ACCOUNTS_PEOPLE_OAUTH_H
#define ASSAY_ACCOUNTS_PEOPLE_OAUTH_H

#include "accounts/service.h"

extern const struct schema oauth_server_schema, oauth_resource_schema, oauth_registration_schema,
    oauth_registered_schema, oauth_question_schema, oauth_asked_schema, oauth_decision_schema,
    oauth_decided_schema, oauth_token_schema, oauth_revoked_schema, oauth_grants_schema;

enum error oauth_server_handle(struct request *request, struct reply *reply);
enum error oauth_resource_handle(struct request *request, struct reply *reply);
enum error oauth_register_handle(struct request *request, struct reply *reply);
enum error oauth_question_handle(struct request *request, struct reply *reply);
enum error oauth_decision_handle(struct request *request, struct reply *reply);
enum error oauth_token_handle(struct request *request, struct reply *reply);
enum error oauth_revoke_handle(struct request *request, struct reply *reply);
enum error oauth_grants_handle(struct request *request, struct reply *reply);
enum error oauth_grant_delete_handle(struct request *request, struct reply *reply);

/* The address of the portal, by which programs know who issues tokens. */
const char *oauth_issuer(const struct request *request);
/* The addresses that tokens may be for (accounts/oauth_resource.h). */
const char *oauth_resources(const struct request *request);

#endif
