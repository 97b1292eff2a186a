/* Rules of alerts and what was sent because of them, as they are stored. */
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

/* Adds the rule, which gets its id, secret and times. ERROR_CONFLICT alert_quota where the tenant
 * has `most` already. */
MUST_CHECK enum error alert_add(const struct storage_call *call, struct alert_rule *rule,
                                int64_t most);
/* Those of the tenant, oldest first, at most `most`. */
MUST_CHECK enum error alert_list(const struct storage_call *call, int64_t most,
                                 struct alert_rules *rules);
/* ERROR_NOT_FOUND alert_not_found. With tenant NULL in the call: of any tenant. */
MUST_CHECK enum error alert_find(const struct storage_call *call, const char *id,
                                 struct alert_rule *rule);
/* Writes what a user may change. What was on its way to receivers is stopped. ERROR_CONFLICT
 * alert_changed where the rule is no longer the one that was read. */
MUST_CHECK enum error alert_change(const struct storage_call *call, struct alert_rule *rule);
/* ERROR_NOT_FOUND alert_not_found. Its history goes with it. */
MUST_CHECK enum error alert_remove(const struct storage_call *call, const char *id);

/* Rules whose evaluation is due: every `interval` microseconds, and `gap` after the last one when
 * their table has changed since. */
struct alert_due {
    const char *id;
    int64_t generation;   /* of the table */
    int64_t evaluated_at; /* the last evaluation */
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

/* Ends an evaluation: writes the rule's state, and the notice that is on its way (or none), in the
 * caller's transaction. `kept` is false when the rule was changed meanwhile. */
struct alert_pending {
    const char *event_id; /* NULL = nothing is on its way */
    const char *event_type;
    bool nothing_owed; /* what was not delivered is forgotten */
    enum alert_state state;
    int64_t level;
    int64_t receivers;
};
MUST_CHECK enum error alert_end_evaluation(const struct storage_call *call,
                                           const struct alert_rule *rule, int64_t generation,
                                           const struct alert_pending *pending, bool *kept);

/* "<rule>:<place>", from 1: whom a delivery goes to. Several steps may be of one level. */
const char *alert_receiver(struct arena *arena, const struct alert_rule *rule, size_t step);
/* Stops what is on its way to any receiver of the rule. */
MUST_CHECK enum error alert_stop_notices(const struct storage_call *call,
                                         const struct alert_rule *rule);

/* A notice that was sent: its row, and what its payload says. */
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

/* Forgets at most `most` rows of the history from before that time. */
MUST_CHECK enum error alert_forget_history(struct db *db, int64_t before, int64_t most,
                                           struct problem *problem);

#endif
