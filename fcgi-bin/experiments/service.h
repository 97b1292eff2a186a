/* What all responders of the experiments service share: settings turned into the pipeline's policy.
 * No route, no formula. */
#ifndef ASSAY_EXPERIMENTS_SERVICE_H
#define ASSAY_EXPERIMENTS_SERVICE_H

#include "experiments/settings.h"
#include "http/server.h"

/* application.start, .print_settings and .document_settings of every family. The state is a
 * struct experiments_settings. */
MUST_CHECK enum error service_start(struct arena *arena, struct http_policy *policy,
                                    struct document_info *info, void **state,
                                    struct problem *problem);
void service_print_settings(const void *state, struct text *out);
void service_document_settings(struct text *out);

/* The settings of the service a request is for. */
const struct experiments_settings *service_settings(const struct request *request);

#endif
