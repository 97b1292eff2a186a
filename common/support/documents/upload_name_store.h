/*
 * Maps upload names to documents: two different names are two documents, even if sanitizing makes
 * them equal.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_UPLOAD_NAME_STORE_H
#define ASSAY_SUPPORT_DOCUMENTS_UPLOAD_NAME_STORE_H

#include "support/documents/document_store.h"

/* The document id for uploads named `name`: the clean name, or with a number if another upload name
 * has it. The id stays until the document is deleted. ERROR_CONFLICT `names_used_up`. */
MUST_CHECK enum error upload_name_claim(const struct document_call *call, const char *name,
                                        const char *clean, const char **doc_id);

/* Releases the name of a document. In the caller's transaction. */
MUST_CHECK enum error upload_name_release(const struct document_call *call, const char *doc_id);

#endif
