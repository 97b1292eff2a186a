/* Fills in the variables of prompt templates: `{{name}}` in a text, with or without blanks. */
#ifndef ASSAY_ORCHESTRATOR_PLAN_TEMPLATE_FILL_H
#define ASSAY_ORCHESTRATOR_PLAN_TEMPLATE_FILL_H

#include "base/json.h"

/* The text with the values of its variables, which are texts, numbers and booleans of an object, or
 * parts of a text as OpenAI's responses have them: {"type": "input_text", "text": ...}.
 * NULL with `*missing` when a variable has no such value. Values are not looked through again; what
 * is no variable stays. */
const char *template_fill(struct arena *arena, const char *text, const json_t *variables,
                          const char **missing);

#endif
