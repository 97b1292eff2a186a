/* Certificates of verdicts over HTTP. */
#ifndef ASSAY_EXPERIMENTS_REPORTS_CERTIFICATES_H
#define ASSAY_EXPERIMENTS_REPORTS_CERTIFICATES_H

#include "http/route.h"

SCHEMA_OF(certificate_key_schema, struct certificate_key);

enum error certificate_handle(struct request *request, struct reply *reply);
enum error certificate_key_handle(struct request *request, struct reply *reply);

#endif
