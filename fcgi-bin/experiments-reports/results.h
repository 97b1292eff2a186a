/* Reports of results over HTTP. */
#ifndef ASSAY_EXPERIMENTS_REPORTS_RESULTS_H
#define ASSAY_EXPERIMENTS_REPORTS_RESULTS_H

#include "experiments/live/records.h"
#include "http/server.h"
#include "report/document.h"

/* The arguments of the domain's functions, with the database connected. */
MUST_CHECK enum error result_begin(struct request *request, struct live_call *call);

/* The report of an experiment, in the language of the request. ERROR_NOT_FOUND. */
MUST_CHECK enum error result_compose(struct request *request, const char *experiment_id,
                                     struct report_document *document);

enum error result_pdf_handle(struct request *request, struct reply *reply);
enum error result_html_handle(struct request *request, struct reply *reply);
enum error result_markdown_handle(struct request *request, struct reply *reply);

#endif
