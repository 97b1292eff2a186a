/* The experiments service, family operations: issued keys, audit log, retention. Routes only. */
#include "experiments-operations/audit.h"
#include "experiments-operations/keys.h"
#include "experiments/service.h"

static const struct route routes[] = {
    {.method = METHOD_GET,
     .path = "/api/v1/keys",
     .role = ROLE_OPERATOR,
     .reply = &key_list_schema,
     .handler = keys_list,
     .name = "list_keys",
     .tag = "keys",
     .summary = "List issued keys"},
    {.method = METHOD_POST,
     .path = "/api/v1/keys",
     .role = ROLE_OPERATOR,
     .body = &key_request_schema,
     .reply = &created_key_schema,
     .handler = keys_create,
     .name = "create_key",
     .tag = "keys",
     .summary = "Issue a key",
     .help = "The answer holds the key; it is stored as a hash only."},
    {.method = METHOD_POST,
     .path = "/api/v1/keys/{api_key_id}/revoke",
     .role = ROLE_OPERATOR,
     .reply = &key_schema,
     .handler = keys_revoke,
     .name = "revoke_key",
     .tag = "keys",
     .summary = "Revoke a key"},
    {.method = METHOD_DELETE,
     .path = "/api/v1/keys/{api_key_id}",
     .role = ROLE_OPERATOR,
     .reply = &deleted_key_schema,
     .errors = ERRORS(409),
     .handler = keys_delete,
     .name = "delete_key",
     .tag = "keys",
     .summary = "Delete a revoked key"},
    {.method = METHOD_GET,
     .path = "/api/v1/audit",
     .role = ROLE_READER,
     .query = &audit_query_schema,
     .reply = &audit_reply_schema,
     .handler = audit_handle,
     .name = "list_audit",
     .tag = "audit",
     .summary = "Read the audit log"},
    {.method = METHOD_GET,
     .path = "/api/v1/audit/export",
     .role = ROLE_WRITER,
     .query = &audit_export_query_schema,
     .media_type = "text/csv",
     .handler = audit_export_handle,
     .name = "export_audit",
     .tag = "audit",
     .summary = "The audit log as CSV",
     .help =
         "At most 100,000 entries or 32 MB; where more fit, X-Next-Before-Id holds the before_id "
         "that continues."},
    {.method = METHOD_POST,
     .path = "/api/v1/admin/retention/purge",
     .role = ROLE_WRITER,
     .body = &purge_request_schema,
     .body_optional = true,
     .reply = &purge_reply_schema,
     .handler = purge_handle,
     .name = "purge",
     .tag = "system",
     .summary = "Take away what is old",
     .help = "Counts only, unless dry_run is false."},
};

static const struct http_family family = {
    .service = &experiments_service, .name = "operations", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
