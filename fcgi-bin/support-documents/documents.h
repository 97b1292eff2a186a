/* Routes of the documents that the knowledge base holds: list, text, deletion. */
#ifndef ASSAY_SUPPORT_DOCUMENTS_DOCUMENTS_H
#define ASSAY_SUPPORT_DOCUMENTS_DOCUMENTS_H

#include "http/route.h"

SCHEMA_OF(documents_query_schema, struct documents_query);
SCHEMA_OF(documents_schema, struct documents_reply);
SCHEMA_OF(document_query_schema, struct document_query);
SCHEMA_OF(document_text_schema, struct document_text);
SCHEMA_OF(deleted_schema, struct deleted);
SCHEMA_OF(document_groups_schema, struct document_groups);
SCHEMA_OF(group_choice_schema, struct group_choice);

enum error documents_handle(struct request *request, struct reply *reply);
enum error document_handle(struct request *request, struct reply *reply);
enum error document_delete_handle(struct request *request, struct reply *reply);
enum error document_groups_handle(struct request *request, struct reply *reply);
enum error group_choice_handle(struct request *request, struct reply *reply);

#endif
