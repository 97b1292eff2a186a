/* Virtual keys for administrators, and a key as its holder sees it. */
#ifndef ASSAY_ORCHESTRATOR_KEYS_KEYS_H
#define ASSAY_ORCHESTRATOR_KEYS_KEYS_H

#include "base/schema.h"
#include "http/request.h"

struct key_body;
struct key_list;
struct own_key;
SCHEMA_OF(key_body_schema, struct key_body);
SCHEMA_OF(key_list_schema, struct key_list);
SCHEMA_OF(own_key_schema, struct own_key);

enum error keys_list(struct request *request, struct reply *reply);
enum error keys_create(struct request *request, struct reply *reply);
enum error keys_update(struct request *request, struct reply *reply);
enum error keys_delete(struct request *request, struct reply *reply);
enum error own_key_handle(struct request *request, struct reply *reply);

#endif
