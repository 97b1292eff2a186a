/* Reports as files and as texts. */
#ifndef ASSAY_EXPERIMENTS_REPORTS_EXPORTS_H
#define ASSAY_EXPERIMENTS_REPORTS_EXPORTS_H

#include "experiments/payloads/analysis_payload.h"
#include "http/route.h"

#define XLSX_TYPE "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

SCHEMA_OF(content_reply_schema, struct content_reply);
SCHEMA_OF(standalone_request_schema, struct standalone_request);
SCHEMA_OF(comparison_export_schema, struct comparison_export);

enum error report_pdf_handle(struct request *request, struct reply *reply);
enum error report_csv_handle(struct request *request, struct reply *reply);
enum error report_xlsx_handle(struct request *request, struct reply *reply);
enum error export_markdown_handle(struct request *request, struct reply *reply);
enum error export_html_handle(struct request *request, struct reply *reply);
enum error export_standalone_handle(struct request *request, struct reply *reply);
enum error export_comparison_handle(struct request *request, struct reply *reply);

/* What a report may take, and the name of its file. */
struct report_limits report_limits_of(const struct request *request);
void report_name_file(struct request *request, struct reply *reply, const char *name,
                      const char *type, const char *ending);

#endif
