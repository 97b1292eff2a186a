/* The operator's routes for issued keys. */
#ifndef ASSAY_EXPERIMENTS_OPERATIONS_KEYS_H
#define ASSAY_EXPERIMENTS_OPERATIONS_KEYS_H

#include "http/route.h"

SCHEMA_OF(key_list_schema, struct key_list_reply);
SCHEMA_OF(deleted_key_schema, struct deleted_key);

enum error keys_list(struct request *request, struct reply *reply);
enum error keys_create(struct request *request, struct reply *reply);
enum error keys_revoke(struct request *request, struct reply *reply);
enum error keys_delete(struct request *request, struct reply *reply);

#endif
