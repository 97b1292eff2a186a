/* Figures of the service for a scraper: GET /metrics. */
#ifndef ASSAY_SUPPORT_SYSTEM_EXPOSITION_H
#define ASSAY_SUPPORT_SYSTEM_EXPOSITION_H

#include "http/request.h"

enum error exposition_handle(struct request *request, struct reply *reply);

#endif
