/* Private to common/support/answer: messages of the tools, by language. */
#ifndef ASSAY_SUPPORT_ANSWER_TOOL_PHRASES_H
#define ASSAY_SUPPORT_ANSWER_TOOL_PHRASES_H

#include "text/language.h"

struct tool_phrases {
    enum text_language language;
    const char *confirm, *created, *cancelled;
    const char *order[3]; /* in transit, being picked, processing; with the order number */
    const char *nothing;
};

/* The phrases of a language; English for languages without their own. */
const struct tool_phrases *tool_phrases_of(enum text_language language);

#endif
