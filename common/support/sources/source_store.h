/* What programs have taken from folders and web sites, in the database: one row per file, also for
 * refused ones, and per page that is a document. Contains all SQL about it. */
#ifndef ASSAY_SUPPORT_SOURCES_SOURCE_STORE_H
#define ASSAY_SUPPORT_SOURCES_SOURCE_STORE_H

#include "support/documents/document_store.h"

struct source_row {
    const char *name;   /* absolute path, or address */
    const char *doc_id; /* NULL = refused */
    int64_t size_bytes;
    int64_t modified_at;              /* microseconds since 1970 */
    const char *problem;              /* why it was refused; else NULL */
    const char *mount;                /* folder where its file system begins; NULL = unknown */
    const char *etag, *last_modified; /* of a page, as the server sent them; else NULL */
};

/* The files below a folder, or the pages below an address, by name: struct source_row. `folder` has
 * no slash at its end. */
MUST_CHECK enum error source_list(const struct document_call *call, const char *origin,
                                  const char *folder, struct object_list *rows);

/* The row of a name among those of source_list(); NULL when there is none. */
const struct source_row *source_find(const struct object_list *rows, const char *name);

/* Whether what was not taken may be taken later, because the error is not that of the document. */
bool source_may_pass(enum error error);

/* Adds or replaces a row. */
MUST_CHECK enum error source_put(const struct document_call *call, const char *origin,
                                 const struct source_row *row);

/* The document that a file or page belongs to. `before` is its row, NULL if it is new; `clean` a
 * file name made of its own. It never gets a document of another way, nor the id that a deleted
 * document left to other groups than `groups`, unless that was its own. A document that is not
 * there yet gets the groups: about others people decide. */
MUST_CHECK enum error source_claim(const struct document_call *call, const char *origin,
                                   const char *name, const char *clean,
                                   const struct source_row *before,
                                   const struct string_list *groups, const char **doc_id);

/* Deletes a row and its document, unless the document has become that of somebody else. Where
 * people have changed the groups from `groups`, those that it was taken with, the name keeps the
 * document's id: a file that comes back is for the same people. */
MUST_CHECK enum error source_remove(const struct document_call *call, const char *origin,
                                    const struct source_row *row, const struct string_list *groups);

#endif
