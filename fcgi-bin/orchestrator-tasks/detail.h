/* Routes of one task: show, export, retry. */
#ifndef ASSAY_ORCHESTRATOR_TASKS_DETAIL_H
#define ASSAY_ORCHESTRATOR_TASKS_DETAIL_H

#include "base/schema.h"
#include "db/db.h"
#include "http/request.h"

SCHEMA_OF(detail_query_schema, struct detail_query);

enum error task_detail_handle(struct request *request, struct reply *reply);
enum error task_export_handle(struct request *request, struct reply *reply);
enum error task_retry_handle(struct request *request, struct reply *reply);

/* ERROR_NOT_FOUND when the caller's virtual key has not sent this task; nothing for others. */
MUST_CHECK enum error task_check_access(struct request *request, struct db *db,
                                        const char *task_id);

#endif
