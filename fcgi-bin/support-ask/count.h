/* Metrics of questions and their outcomes. */
#ifndef ASSAY_SUPPORT_ASK_COUNT_H
#define ASSAY_SUPPORT_ASK_COUNT_H

#include "http/request.h"
#include "support/conversation/ask.h"

/* Counts a question that was run, with any outcome; a question that was not run has no session and
 * is not counted. */
void count_answer(struct request *request, const struct asked *asked);

#endif
