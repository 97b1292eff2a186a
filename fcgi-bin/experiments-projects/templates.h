/* Handlers and schemas of the template routes. */
#ifndef ASSAY_EXPERIMENTS_PROJECTS_TEMPLATES_H
#define ASSAY_EXPERIMENTS_PROJECTS_TEMPLATES_H

#include "experiments/templates/template_store.h"
#include "http/route.h"

extern const struct schema templates_query_schema;
extern const struct schema templates_reply_schema;
extern const struct schema template_request_schema;
extern const struct schema template_deleted_schema;

enum error templates_list(struct request *request, struct reply *reply);
enum error templates_read(struct request *request, struct reply *reply);
enum error templates_create(struct request *request, struct reply *reply);
enum error templates_use(struct request *request, struct reply *reply);
enum error templates_delete(struct request *request, struct reply *reply);

#endif
