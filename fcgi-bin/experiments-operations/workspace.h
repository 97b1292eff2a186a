/* Handlers and schemas of the workspace routes. */
#ifndef ASSAY_EXPERIMENTS_OPERATIONS_WORKSPACE_H
#define ASSAY_EXPERIMENTS_OPERATIONS_WORKSPACE_H

#include "http/route.h"

extern const struct schema workspace_validated_schema;
extern const struct schema workspace_imported_schema;

enum error workspace_export_handle(struct request *request, struct reply *reply);
enum error workspace_validate_handle(struct request *request, struct reply *reply);
enum error workspace_import_handle(struct request *request, struct reply *reply);

#endif
