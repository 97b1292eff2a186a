/* Selects the tenant's categories for a document by counting their keywords in its beginning. */
#ifndef ASSAY_SUPPORT_DOCUMENTS_CATEGORIES_H
#define ASSAY_SUPPORT_DOCUMENTS_CATEGORIES_H

#include "base/arena.h"

#include <stddef.h>

struct category {
    const char *name, *description;
    const char *words; /* separated by blanks; compared by stem */
};

/* The default categories: returns, shipping, account, payment, product. */
extern const struct category categories_built_in[];
extern const size_t categories_built_in_count;

/* A JSON list of names; `["uncategorized"]` when none fits. A category fits if it has at least two
 * words, and half as many as the best one. */
const char *categories_of(struct arena *arena, const struct category *categories, size_t count,
                          const char *text, size_t length);

#endif
