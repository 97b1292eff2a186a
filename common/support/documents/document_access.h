/*
 * Which documents a person may read. A document with groups is for their people, one without groups
 * for the whole tenant. What a caller may not read is looked up once per request and checked at
 * every read of documents, answers and traces: a withdrawal holds for the next request.
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_DOCUMENT_ACCESS_H
#define ASSAY_SUPPORT_DOCUMENTS_DOCUMENT_ACCESS_H

#include "base/error.h"
#include "base/optional.h"
#include "db/db.h"

struct document_call;

/* Somebody who may not read all documents of his tenant. */
struct document_reader {
    struct string_list hidden; /* ids of the documents, in bytewise order; at least one */
    const char *hidden_json;   /* the same as a JSON list */
    const char *mark;          /* 16 hexadecimal digits that stand for the list */
};

/* The reader with these groups, from the arena; NULL = reads everything. In the call only `db`,
 * `arena`, `tenant` and `problem` are used. */
MUST_CHECK enum error document_reader_find(const struct document_call *call,
                                           const struct string_list *groups,
                                           const struct document_reader **reader);

bool document_is_hidden(const struct document_reader *reader, const char *doc_id);

/* "[]" where nothing is hidden. */
const char *document_hidden_json(const struct document_reader *reader);

/* Those of the documents that have not been deleted. */
MUST_CHECK enum error document_find_present(const struct document_call *call,
                                            const struct string_list *doc_ids,
                                            struct string_list *present);

/* Replaces the groups of a document, which need not exist yet. */
MUST_CHECK enum error document_set_groups(const struct document_call *call, const char *doc_id,
                                          const struct string_list *groups);

/* Sets the groups of a document that is not there yet, and to which no groups were left by a
 * deleted document of its name: about others people decide. */
MUST_CHECK enum error document_give_groups(const struct document_call *call, const char *doc_id,
                                           const struct string_list *groups);

/* Whether two lists are the same groups. The second one may have any order, and names twice. */
bool document_groups_equal(const struct string_list *stored, const struct string_list *groups);

/* The groups of each of these documents, in `groups[i]`. */
MUST_CHECK enum error document_read_groups(const struct document_call *call,
                                           const char *const *doc_ids, size_t count,
                                           struct string_list *groups);

/* The groups that documents of the tenant name, in bytewise order. */
MUST_CHECK enum error document_list_groups(const struct document_call *call,
                                           struct string_list *groups);

#endif
