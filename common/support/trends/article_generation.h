/* Article generation: a model writes drafts of documents from resolved tickets. */
#ifndef ASSAY_SUPPORT_TRENDS_ARTICLE_GENERATION_H
#define ASSAY_SUPPORT_TRENDS_ARTICLE_GENERATION_H

#include "support/models/models.h"
#include "support/settings.h"
#include "support/traces/trace_store.h"

/* Called after each cluster; may be NULL. */
typedef void articles_progress(size_t done, size_t of);

/* Clusters similar tickets of the last week that are in no draft yet, at least three per cluster,
 * and generates a draft for each cluster. ERROR_UNAVAILABLE no_model when no model answers: then
 * nothing is stored for that cluster. */
MUST_CHECK enum error articles_generate(const struct trace_call *call,
                                        const struct support_settings *settings,
                                        struct models *models, articles_progress *progress,
                                        int64_t *created);

#endif
