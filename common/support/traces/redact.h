/* Removes personal data: e-mail addresses, phone, card, passport and tax numbers. */
#ifndef ASSAY_SUPPORT_TRACES_REDACT_H
#define ASSAY_SUPPORT_TRACES_REDACT_H

#include "base/arena.h"

/* The text with such values replaced by asterisks; the same text when there are none. */
const char *redact_text(struct arena *arena, const char *text);

/* A JSON object of the answer graph with question, answer, history, tool output and claims
 * redacted. Ids, times, scores, and the texts of documents stay. */
const char *redact_state(struct arena *arena, const char *json);

#endif
