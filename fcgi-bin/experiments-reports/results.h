/* Reports of results over HTTP. */
#ifndef ASSAY_EXPERIMENTS_REPORTS_RESULTS_H
#define ASSAY_EXPERIMENTS_REPORTS_RESULTS_H

#include "http/server.h"

enum error result_pdf_handle(struct request *request, struct reply *reply);
enum error result_html_handle(struct request *request, struct reply *reply);

#endif
