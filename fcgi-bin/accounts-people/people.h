/* What administrators do with people: add, change, invite; and the audit log of that. */
#ifndef ASSAY_ACCOUNTS_PEOPLE_PEOPLE_H
#define ASSAY_ACCOUNTS_PEOPLE_PEOPLE_H

#include "accounts/service.h"

extern const struct schema people_schema, administrators_schema, person_request_schema,
    person_patch_schema, new_password_schema;

enum error people_handle(struct request *request, struct reply *reply);
enum error administrators_handle(struct request *request, struct reply *reply);
enum error person_add_handle(struct request *request, struct reply *reply);
enum error person_handle(struct request *request, struct reply *reply);
enum error person_patch_handle(struct request *request, struct reply *reply);
enum error person_password_handle(struct request *request, struct reply *reply);

#endif
