/* Drafts of documents, written by a model out of tickets that people have resolved. */
#ifndef ASSAY_SUPPORT_TRENDS_ARTICLE_GENERATION_H
#define ASSAY_SUPPORT_TRENDS_ARTICLE_GENERATION_H

#include "support/models/models.h"
#include "support/settings.h"
#include "support/traces/trace_store.h"

/* Told after each cluster; may be NULL. */
typedef void articles_progress(size_t done, size_t of);

/* Takes together tickets of the last week that are alike and in no draft yet, three or more, and
 * has a draft written of each cluster. ERROR_UNAVAILABLE no_model when none answers: then nothing
 * is stored of that cluster. */
MUST_CHECK enum error articles_generate(const struct trace_call *call,
                                        const struct support_settings *settings,
                                        struct models *models, articles_progress *progress,
                                        int64_t *created);

#endif
