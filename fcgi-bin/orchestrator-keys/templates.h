/* Prompt templates over HTTP, for administrators. */
#ifndef ASSAY_ORCHESTRATOR_KEYS_TEMPLATES_H
#define ASSAY_ORCHESTRATOR_KEYS_TEMPLATES_H

#include "base/schema.h"
#include "http/request.h"

extern const struct schema template_body_schema, template_version_schema, template_list_schema;

enum error templates_list(struct request *request, struct reply *reply);
enum error templates_create(struct request *request, struct reply *reply);
enum error templates_promote(struct request *request, struct reply *reply);
enum error templates_delete(struct request *request, struct reply *reply);

#endif
