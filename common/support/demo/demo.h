/* The documents that `demo-seed` adds to a new knowledge base, and twelve questions with the
 * expected answers. */
#ifndef ASSAY_SUPPORT_DEMO_DEMO_H
#define ASSAY_SUPPORT_DEMO_DEMO_H

#include "base/arena.h"

#include <stddef.h>

struct demo_document {
    const char *name, *text;
};

extern const struct demo_document demo_documents[];
extern const size_t demo_document_count;

/* The questions in the format of `eval-gate` and `offline-benchmark`: a JSON list. */
const char *demo_questions(struct arena *arena);

/* The same as curated cases, one per line. */
const char *demo_curated_cases(struct arena *arena);

#endif
