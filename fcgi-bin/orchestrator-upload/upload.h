/* Orchestration with files: POST /api/v1/orchestrate/upload. */
#ifndef ASSAY_ORCHESTRATOR_UPLOAD_UPLOAD_H
#define ASSAY_ORCHESTRATOR_UPLOAD_UPLOAD_H

#include "http/multipart.h"

extern const struct form_rule upload_form;

enum error upload_handle(struct request *request, struct reply *reply);

#endif
