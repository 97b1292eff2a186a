/* The operator's routes for issued keys. */
#ifndef ASSAY_EXPERIMENTS_OPERATIONS_KEYS_H
#define ASSAY_EXPERIMENTS_OPERATIONS_KEYS_H

#include "http/route.h"

extern const struct schema key_request_schema, key_schema, created_key_schema, key_list_schema,
    deleted_key_schema;

enum error keys_list(struct request *request, struct reply *reply);
enum error keys_create(struct request *request, struct reply *reply);
enum error keys_revoke(struct request *request, struct reply *reply);
enum error keys_delete(struct request *request, struct reply *reply);

#endif
