/* POST /api/upload; the tasks behind uploads; what the knowledge base holds. */
#ifndef ASSAY_SUPPORT_DOCUMENTS_UPLOAD_H
#define ASSAY_SUPPORT_DOCUMENTS_UPLOAD_H

#include "http/multipart.h"
#include "http/route.h"

extern const struct form_rule upload_form;
extern const struct schema upload_schema;
extern const struct schema task_schema;
extern const struct schema documents_query_schema;
extern const struct schema documents_schema;
extern const struct schema deleted_schema;

enum error upload_handle(struct request *request, struct reply *reply);
enum error task_handle(struct request *request, struct reply *reply);
enum error task_revoke_handle(struct request *request, struct reply *reply);
enum error documents_handle(struct request *request, struct reply *reply);
enum error document_delete_handle(struct request *request, struct reply *reply);

#endif
