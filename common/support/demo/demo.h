/* The documents that `demo-seed` puts into a new knowledge base, and twelve questions with the
 * answers that are expected of it. */
#ifndef ASSAY_SUPPORT_DEMO_DEMO_H
#define ASSAY_SUPPORT_DEMO_DEMO_H

#include "base/arena.h"

#include <stddef.h>

struct demo_document {
    const char *name, *text;
};

extern const struct demo_document demo_documents[];
extern const size_t demo_document_count;

/* The questions as `eval-gate` and `offline-benchmark` read them: a JSON list. */
const char *demo_questions(struct arena *arena);

/* The same as curated cases, a line each. */
const char *demo_curated_cases(struct arena *arena);

#endif
