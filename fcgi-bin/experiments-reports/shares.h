/* Links to reports over HTTP: made and revoked by those who may write, opened by anybody. */
#ifndef ASSAY_EXPERIMENTS_REPORTS_SHARES_H
#define ASSAY_EXPERIMENTS_REPORTS_SHARES_H

#include "base/schema.h"
#include "http/route.h"

SCHEMA_OF(share_request_schema, struct share_request);
SCHEMA_OF(share_list_schema, struct share_list);
SCHEMA_OF(revoked_share_schema, struct revoked_share);

enum error shares_list_handle(struct request *request, struct reply *reply);
enum error shares_create_handle(struct request *request, struct reply *reply);
enum error shares_revoke_handle(struct request *request, struct reply *reply);

/* The report, and the same as PDF. */
enum error shared_html_handle(struct request *request, struct reply *reply);
enum error shared_pdf_handle(struct request *request, struct reply *reply);

#endif
