/* The documents that `demo-seed` puts into a new knowledge base. */
#ifndef ASSAY_SUPPORT_DEMO_DEMO_H
#define ASSAY_SUPPORT_DEMO_DEMO_H

#include <stddef.h>

struct demo_document {
    const char *name, *text;
};

extern const struct demo_document demo_documents[];
extern const size_t demo_document_count;

#endif
