/* POST /api/v1/results/file: analysis of an uploaded file of users. */
#ifndef ASSAY_EXPERIMENTS_FILES_RESULTS_FILE_H
#define ASSAY_EXPERIMENTS_FILES_RESULTS_FILE_H

#include "experiments/datafiles/data_analysis.h"
#include "http/multipart.h"
#include "http/route.h"

extern const struct form_rule results_file_form;

/* Decodes the mapping of the form. ERROR_INVALID `data_mapping`. */
MUST_CHECK enum error results_file_mapping(struct request *request, struct data_mapping *mapping);

enum error results_file_handle(struct request *request, struct reply *reply);

#endif
