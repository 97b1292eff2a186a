/*
 * What needs somebody: dead letters, deliveries that nobody took, and rows that disagree with the
 * journal; and what operators have said about them. What they said holds for what they have seen: a
 * newer occurrence opens an item again, and what is not found any more counts as resolved.
 */
#ifndef ASSAY_LIVEDATA_OPERATIONS_EXCEPTIONS_H
#define ASSAY_LIVEDATA_OPERATIONS_EXCEPTIONS_H

#include "livedata/reads/answers.h"

enum exception_source {
    EXCEPTION_DEAD_LETTER,
    EXCEPTION_DELIVERY,
    EXCEPTION_RECONCILIATION,
    EXCEPTION_ALERT,
    EXCEPTION_SOURCE__MAX
};
enum exception_status {
    EXCEPTION_OPEN,
    EXCEPTION_IN_PROGRESS,
    EXCEPTION_ACKNOWLEDGED,
    EXCEPTION_RESOLVED,
    EXCEPTION_STATUS__MAX
};
extern const char *const exception_source_names[];
extern const char *const exception_status_names[];

struct exception_request {
    int source; /* -1 = all */
    int status; /* -1 = all but the resolved */
    int64_t page, page_size;
    const char *cursor; /* instead of a page; NULL = none */
};
MUST_CHECK enum error write_exceptions_list(struct json_writer *writer,
                                            const struct reading *reading,
                                            const struct exception_request *request);
MUST_CHECK enum error write_exception_stats(struct json_writer *writer,
                                            const struct reading *reading);

/* Notes that an item was acknowledged or resolved. ERROR_NOT_FOUND exception_not_found,
 * ERROR_CONFLICT exception_elsewhere for dead letters, which are replayed or dismissed, and
 * exception_resolved for one that is over. */
MUST_CHECK enum error exception_triage(const struct reading *reading, const char *item_id,
                                       enum exception_status status, const char *remark);

#endif
