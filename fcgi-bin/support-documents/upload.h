/* POST /api/upload; the tasks of uploads; the content of the knowledge base. */
#ifndef ASSAY_SUPPORT_DOCUMENTS_UPLOAD_H
#define ASSAY_SUPPORT_DOCUMENTS_UPLOAD_H

#include "http/multipart.h"
#include "http/route.h"

extern const struct form_rule upload_form;
SCHEMA_OF(upload_schema, struct upload_reply);
SCHEMA_OF(task_schema, struct task_reply);

enum error upload_handle(struct request *request, struct reply *reply);
enum error task_handle(struct request *request, struct reply *reply);
enum error task_revoke_handle(struct request *request, struct reply *reply);

#endif
