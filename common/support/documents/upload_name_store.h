/*
 * Maps the names of uploads to documents: two names stay two documents, even when cleaning makes
 * them equal.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_UPLOAD_NAME_STORE_H
#define ASSAY_SUPPORT_DOCUMENTS_UPLOAD_NAME_STORE_H

#include "support/documents/document_store.h"

/* The id of the document of uploads named `name`: the clean name, or where that is another name's
 * already, the clean name with a number before its extension. Once given it stays, until the
 * document is deleted. ERROR_CONFLICT `names_used_up`. */
MUST_CHECK enum error upload_name_claim(const struct document_call *call, const char *name,
                                        const char *clean, const char **doc_id);

/* Gives up the name of a document. In the caller's transaction. */
MUST_CHECK enum error upload_name_release(const struct document_call *call, const char *doc_id);

#endif
