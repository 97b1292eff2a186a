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

/* A name that replaces nothing but its own document. */
struct upload_name_own {
    const char *name, *clean;
    const char *last;                 /* the document it had before; NULL = none */
    const struct string_list *groups; /* of the document if it is new */
};

/* The same for such a name: it never gets the id of a document without an upload name, nor one that
 * a deleted document left to other groups, unless that was its own. */
MUST_CHECK enum error upload_name_claim_own(const struct document_call *call,
                                            const struct upload_name_own *own, const char **doc_id);

/* Gives a name that is free to this document, which no other name has. In the caller's
 * transaction. */
MUST_CHECK enum error upload_name_keep(const struct document_call *call, const char *name,
                                       const char *doc_id);

/* The document of an upload name; NULL when there is none. */
MUST_CHECK enum error upload_name_find(const struct document_call *call, const char *name,
                                       const char **doc_id);

/* Holds off claims until the transaction ends. */
MUST_CHECK enum error upload_name_lock(const struct document_call *call);

/* Releases the name of a document. In the caller's transaction. */
MUST_CHECK enum error upload_name_release(const struct document_call *call, const char *doc_id);

#endif
