/*
 * Questions into SQL by rules, the first that matches. Whatever of the question gets into the
 * statement has been matched as a number or as an id first.
 */
#ifndef ASSAY_LIVEDATA_QUERY_TRANSLATE_H
#define ASSAY_LIVEDATA_QUERY_TRANSLATE_H

#include "db/db.h"

struct translation_note {
    bool clamped; /* an absurd number was cut to what is allowed */
    int64_t limit;
};

/* NULL when no rule knows the question. */
const char *translate_question(struct arena *arena, enum db_engine engine, const char *asked,
                               struct translation_note *note);

#endif
