/* The support service, family documents: uploads, their tasks, and the list of documents. An upload
 * ingested at once occupies its worker until it is done. Routes only. */
#include "support-documents/documents.h"
#include "support-documents/upload.h"
#include "support/service.h"

static const struct route routes[] = {
    {.method = METHOD_POST,
     .path = "/api/upload",
     .role = SUPPORT_AGENT,
     .traits = TRAIT_UPLOAD,
     .body_limit = LIMIT_UPLOAD_BODY,
     .form = &upload_form,
     .reply = &upload_schema,
     .errors = ERRORS(400, 409, 429, 503),
     .handler = upload_handle,
     .name = "upload",
     .tag = "documents",
     .summary = "Put a document into the knowledge base",
     .help = "The same name again makes a new version; the same text changes nothing."},
    {.method = METHOD_GET,
     .path = "/api/tasks/{task_id}",
     .role = SUPPORT_AGENT,
     .reply = &task_schema,
     .handler = task_handle,
     .name = "task",
     .tag = "documents",
     .summary = "How far is an upload?",
     .help = "SUCCESS, FAILURE and REVOKED are final; they are kept for an hour."},
    {.method = METHOD_DELETE,
     .path = "/api/tasks/{task_id}",
     .role = SUPPORT_AGENT,
     .reply = &task_schema,
     .errors = ERRORS(409),
     .handler = task_revoke_handle,
     .name = "revoke_task",
     .tag = "documents",
     .summary = "Call an upload off"},
    {.method = METHOD_GET,
     .path = "/api/documents",
     .role = SUPPORT_AGENT,
     .query = &documents_query_schema,
     .reply = &documents_schema,
     .handler = documents_handle,
     .name = "documents",
     .tag = "documents",
     .summary = "What the knowledge base holds"},
    {.method = METHOD_GET,
     .path = "/api/documents/{doc_id}",
     .role = SUPPORT_AGENT,
     .query = &document_query_schema,
     .reply = &document_text_schema,
     .handler = document_handle,
     .name = "document",
     .tag = "documents",
     .summary = "The text of a document, in the passages that answers cite"},
    {.method = METHOD_DELETE,
     .path = "/api/documents/{doc_id}",
     .role = SUPPORT_ADMIN,
     .reply = &deleted_schema,
     .handler = document_delete_handle,
     .name = "delete_document",
     .tag = "documents",
     .summary = "Take a document out of the knowledge base"},
    {.method = METHOD_PUT,
     .path = "/api/documents/{doc_id}/groups",
     .role = SUPPORT_ADMIN,
     .body = &document_groups_schema,
     .reply = &document_groups_schema,
     .handler = document_groups_handle,
     .name = "document_groups",
     .tag = "documents",
     .summary = "Say which groups may read a document",
     .help =
         "Holds from the next request on: for the document, answers that quote it, and their "
         "traces. It may be set before the document is uploaded, and stays when it is deleted."},
    {.method = METHOD_GET,
     .path = "/api/documents/{doc_id}/groups",
     .role = SUPPORT_ADMIN,
     .reply = &group_choice_schema,
     .handler = group_choice_handle,
     .name = "document_group_choice",
     .tag = "documents",
     .summary = "The groups of a document, and those that the tenant has"},
};

static const struct http_family family = {
    .service = &support_service, .name = "documents", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
