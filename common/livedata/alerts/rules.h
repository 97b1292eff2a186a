/* Stored alert rules and the notices sent for them. */
#ifndef ASSAY_LIVEDATA_ALERTS_RULES_H
#define ASSAY_LIVEDATA_ALERTS_RULES_H

#include "livedata/alerts/alert.h"
#include "livedata/storage_call.h"
#include "webhook/webhook.h"

extern const struct webhook_kind live_alert_kind;

struct alert_rules {
    size_t count;
    struct alert_rule *items;
};

/* Adds the rule, and sets its id, secret and times. ERROR_CONFLICT alert_quota when the tenant has
 * `most` already. */
MUST_CHECK enum error alert_add(const struct storage_call *call, struct alert_rule *rule,
                                int64_t most);
/* The tenant's rules, oldest first, at most `most`. */
MUST_CHECK enum error alert_list(const struct storage_call *call, int64_t most,
                                 struct alert_rules *rules);
/* ERROR_NOT_FOUND alert_not_found. With tenant NULL in the call: of any tenant. */
MUST_CHECK enum error alert_find(const struct storage_call *call, const char *id,
                                 struct alert_rule *rule);
/* Writes the members that a user may change. Cancels pending notices. ERROR_CONFLICT alert_changed
 * when the rule was changed since it was read. */
MUST_CHECK enum error alert_change(const struct storage_call *call, struct alert_rule *rule);
/* ERROR_NOT_FOUND alert_not_found. Deletes its history too. */
MUST_CHECK enum error alert_remove(const struct storage_call *call, const char *id);

/* Rules whose evaluation is due: every `interval` microseconds, and `gap` after the last one if
 * their table has changed since. */
struct alert_due {
    const char *id;
    int64_t evaluated_at; /* time of the last evaluation */
};
struct alert_dues {
    size_t count;
    struct alert_due *items;
};
MUST_CHECK enum error alert_list_due(const struct storage_call *call, int64_t interval, int64_t gap,
                                     struct alert_dues *dues);
/* Leases the rule; `claimed` is false when another worker has it, or had it since. */
MUST_CHECK enum error alert_claim(const struct storage_call *call, const struct alert_due *due,
                                  bool *claimed);

/* Ends an evaluation: writes the rule's state and its pending notice (or none), in the caller's
 * transaction. `kept` is false when the rule was changed meanwhile. */
struct alert_pending {
    const char *event_id; /* NULL = no pending notice */
    const char *event_type;
    bool nothing_owed; /* undelivered notices are dropped */
    enum alert_state state;
    int64_t level;
    int64_t receivers;
};
MUST_CHECK enum error alert_end_evaluation(const struct storage_call *call,
                                           const struct alert_rule *rule, int64_t generation,
                                           const struct alert_pending *pending, bool *kept);

/* Ends the pending notice of a rule without receivers, as their last one would; the history keeps
 * `body` without a status code. */
MUST_CHECK enum error alert_end_unsent(const struct storage_call *call,
                                       const struct alert_rule *rule,
                                       const struct alert_pending *pending, const char *body);

/* "<rule>:<index>", from 1: the receiver of a delivery. A level may have several steps. */
const char *alert_receiver(struct arena *arena, const struct alert_rule *rule, size_t step);
/* Cancels pending deliveries to all receivers of the rule. */
MUST_CHECK enum error alert_stop_notices(const struct storage_call *call,
                                         const struct alert_rule *rule);

/* A sent notice: its row, and the members of its payload. */
struct alert_history_row {
    const char *delivery_id;
    const char *alert_id;
    const char *alert_name;
    const char *metric;
    struct optional_number current_value, previous_value, change_pct, threshold;
    const char *condition;
    const char *window;
    const char *tenant;
    const char *event_type;
    struct optional_integer status_code;
    bool success;
    const char *error; /* or NULL */
    json_t *payload;
    int64_t triggered_at;
};
struct alert_history {
    OBJECT_LIST(struct alert_history_row, history);
};
SCHEMA_OF(alert_history_schema, struct alert_history);

/* Newest first. */
MUST_CHECK enum error alert_read_history(const struct storage_call *call,
                                         const struct alert_rule *rule, int64_t most,
                                         struct alert_history *history);

/* Of all the tenant's rules. */
MUST_CHECK enum error alert_read_recent(const struct storage_call *call, int64_t most,
                                        struct alert_history *history);

/* Deletes at most `most` rows of the history from before that time. */
MUST_CHECK enum error alert_forget_history(struct db *db, int64_t before, int64_t most,
                                           struct problem *problem);

#endif
