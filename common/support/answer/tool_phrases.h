/* Private to common/support/answer: what tools say to people, by language. */
#ifndef ASSAY_SUPPORT_ANSWER_TOOL_PHRASES_H
#define ASSAY_SUPPORT_ANSWER_TOOL_PHRASES_H

#include "text/language.h"

struct tool_phrases {
    enum text_language language;
    const char *confirm, *created, *cancelled;
    const char *order[3]; /* in transit, being picked, processing; with the number of the order */
    const char *nothing;
};

/* Those of English where a language has none of its own. */
const struct tool_phrases *tool_phrases_of(enum text_language language);

#endif
