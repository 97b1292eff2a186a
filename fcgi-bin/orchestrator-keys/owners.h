/* Customers and teams. */
#ifndef ASSAY_ORCHESTRATOR_KEYS_OWNERS_H
#define ASSAY_ORCHESTRATOR_KEYS_OWNERS_H

#include "base/schema.h"
#include "http/request.h"

struct customer_body;
struct team_body;
struct customer_list;
struct team_list;
SCHEMA_OF(customer_body_schema, struct customer_body);
SCHEMA_OF(team_body_schema, struct team_body);
SCHEMA_OF(customer_list_schema, struct customer_list);
SCHEMA_OF(team_list_schema, struct team_list);

enum error customers_list(struct request *request, struct reply *reply);
enum error customers_create(struct request *request, struct reply *reply);
enum error customers_update(struct request *request, struct reply *reply);
enum error customers_delete(struct request *request, struct reply *reply);

enum error teams_list(struct request *request, struct reply *reply);
enum error teams_create(struct request *request, struct reply *reply);
enum error teams_update(struct request *request, struct reply *reply);
enum error teams_delete(struct request *request, struct reply *reply);

#endif
