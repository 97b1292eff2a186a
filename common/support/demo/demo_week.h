/*
 * The week of conversations of the demonstration: the embedded answerer answers each question from
 * the documents, then the rows get the time at which the conversation happened.
 */
#ifndef ASSAY_SUPPORT_DEMO_DEMO_WEEK_H
#define ASSAY_SUPPORT_DEMO_DEMO_WEEK_H

#include "support/demo/demo.h"
#include "support/regression/run.h"

/* Adds the conversations unless any exists; `count` is the number of those added. The answerer is
 * that of `tools`. */
MUST_CHECK enum error demo_add_week(const struct demo_call *call,
                                    const struct regression_tools *tools,
                                    const struct demo_support *demo, int64_t *count);

#endif
