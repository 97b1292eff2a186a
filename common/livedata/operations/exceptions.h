/*
 * Work items for operators: dead letters, deliveries that no receiver accepted, and rows that
 * differ from the journal; and the operators' actions on them (acknowledge, resolve). An action
 * holds for the occurrences so far: a newer one reopens the item. An item that is no longer found
 * counts as resolved.
 */
#ifndef ASSAY_LIVEDATA_OPERATIONS_EXCEPTIONS_H
#define ASSAY_LIVEDATA_OPERATIONS_EXCEPTIONS_H

#include "livedata/reads/answers.h"
#include "livedata/reads/list_cursor.h"

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
    int status; /* -1 = all except resolved ones */
    int64_t page, page_size;
    const char *cursor; /* in place of a page; NULL = none */
};

struct entity_ref {
    const char *kind, *id;
};
struct exception_action {
    const char *action, *href;
};
enum exception_severity { SEVERITY_HIGH, SEVERITY_MEDIUM, SEVERITY_LOW };
struct exception_item {
    const char *item_id;
    enum exception_source source;
    enum exception_severity severity;
    enum exception_status status;
    int64_t occurred_at, last_seen_at;
    struct entity_ref ref; /* the subject of the item */
    const char *title, *detail;
    const char *resend; /* route to send undelivered ones again; or NULL */

    /* Of answers only. */
    const struct entity_ref *entity_ref;
    OBJECT_LIST(struct exception_action, actions);
};
struct exceptions_answer {
    OBJECT_LIST(struct exception_item, items);
    PAGINATION_MEMBERS;
    bool scan_truncated;
};
SCHEMA_OF(exceptions_schema, struct exceptions_answer);
MUST_CHECK enum error exceptions_read(const struct reading *reading,
                                      const struct exception_request *request,
                                      struct exceptions_answer *answer);

struct source_counts {
    const char *deadletter, *webhook_delivery, *reconciliation, *alert_delivery; /* by status */
};
struct exception_stats {
    const struct source_counts *by_source;
    int64_t last_24h;
    int64_t manual_resolutions;
    bool scan_truncated;
};
SCHEMA_OF(exception_stats_schema, struct exception_stats);
MUST_CHECK enum error exception_stats_read(const struct reading *reading,
                                           struct exception_stats *stats);

/* Records that an item was acknowledged or resolved. ERROR_NOT_FOUND exception_not_found;
 * ERROR_CONFLICT exception_elsewhere for dead letters, which are replayed or dismissed, and
 * exception_resolved for a resolved one. */
MUST_CHECK enum error exception_triage(const struct reading *reading, const char *item_id,
                                       enum exception_status status, const char *remark);

#endif
