/*
 * Forms and data sheets: lists of `- field: value`. A question about one field is answered by its
 * line and those that name what it belongs to; every other question by the whole list.
 */
#ifndef ASSAY_SUPPORT_ANSWER_FIELDS_H
#define ASSAY_SUPPORT_ANSWER_FIELDS_H

#include "support/answer/select.h"

/* The lines of a passage for the fields that the question asks for, of the arena, and their cover
 * added to `covered`. NULL when the passage is no list of fields, or none stands out. */
const char *fields_quote(struct arena *arena, const struct question *question,
                         const struct selected *item, float *covered);

#endif
