/*
 * What a program needs to answer questions as the service does: the index, synonyms and models.
 * Open until the program ends.
 */
#ifndef ASSAY_SUPPORT_REGRESSION_ENGINE_H
#define ASSAY_SUPPORT_REGRESSION_ENGINE_H

#include "support/regression/run.h"

/* Memory is from `arena`. ERROR_SYSTEM, or the error of the models. */
MUST_CHECK enum error engine_open(struct arena *arena, const struct support_settings *settings,
                                  struct regression_tools *tools, struct problem *problem);
void engine_close(struct regression_tools *tools);

#endif
