/* Invitations by link, and accepting one. */
#ifndef ASSAY_ACCOUNTS_PEOPLE_INVITATIONS_H
#define ASSAY_ACCOUNTS_PEOPLE_INVITATIONS_H

#include "accounts/service.h"

extern const struct schema invitations_schema, invitation_request_schema, created_invitation_schema,
    acceptance_schema, invitation_query_schema, invited_schema;

enum error invitations_handle(struct request *request, struct reply *reply);
enum error invitation_add_handle(struct request *request, struct reply *reply);
enum error invitation_delete_handle(struct request *request, struct reply *reply);
enum error invitation_look_handle(struct request *request, struct reply *reply);
enum error invitation_accept_handle(struct request *request, struct reply *reply);

#endif
