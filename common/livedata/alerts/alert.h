/*
 * An alert: a condition on a metric, and its notification targets. Notices are sent when the
 * condition begins to hold, while it holds and when it ends. This file contains the rule and the
 * consequences of an evaluation. It does not depend on storage or delivery.
 */
#ifndef ASSAY_LIVEDATA_ALERTS_ALERT_H
#define ASSAY_LIVEDATA_ALERTS_ALERT_H

#include "base/error.h"
#include "base/optional.h"
#include "base/schema.h"

#include <stdbool.h>
#include <stdint.h>

enum { ALERT_STEPS_MAX = 20, ALERT_CHANGES_MAX = 101 };

enum alert_condition { ALERT_ABOVE, ALERT_BELOW, ALERT_CHANGE, ALERT_CONDITION__MAX };
enum alert_state {
    ALERT_OK,
    ALERT_FIRING,
    ALERT_SUSTAINED,
    ALERT_RESOLVED,
    ALERT_SUPPRESSED,
    ALERT_NO_DATA, /* the metric has no value: nothing changes */
    ALERT_STATE__MAX
};
extern const char *const alert_condition_names[ALERT_CONDITION__MAX];
extern const char *const alert_state_names[ALERT_STATE__MAX];

struct alert_step {
    int64_t level;
    int64_t after_minutes;
    const char *webhook_url;
};
SCHEMA_OF(alert_step_schema, struct alert_step);

/* Number of changes of the condition within a window that silences the alert. */
struct alert_flap {
    bool enabled;
    int64_t window_minutes;
    int64_t max_changes;
};
SCHEMA_OF(alert_flap_schema, struct alert_flap);

/* A notice that some of its receivers have not accepted yet. */
struct alert_undelivered {
    const char *event_type; /* NULL = no pending notice */
    int64_t since;          /* due time of the oldest notice not yet accepted */
    const char *error;      /* of the last attempt, or NULL */
    int64_t taken;          /* one bit per step: receivers that have accepted this notice */
};

struct alert_rule {
    const char *id;
    const char *tenant;
    const char *name;
    const char *metric;
    const char *source_table;
    const char *window;
    enum alert_condition condition;
    double threshold;
    const char *webhook_url;
    const char *secret;
    int64_t cooldown_minutes;
    size_t step_count; /* the first one is level 1 without delay */
    struct alert_step steps[ALERT_STEPS_MAX];
    struct alert_flap flap;
    bool active;
    int64_t created_at;
    int64_t updated_at;

    enum alert_state state;
    int64_t fired_at;          /* 0 = not firing, like the next two */
    int64_t resolved_at;       /* 0 = never */
    int64_t last_triggered_at; /* 0 = never */
    int64_t last_escalation_level;
    struct optional_boolean last_condition_triggered; /* null before the first evaluation */
    size_t change_count; /* times when the condition changed, oldest first */
    int64_t changes[ALERT_CHANGES_MAX];
    const char *pending_event; /* pending notice, or NULL */
    struct alert_undelivered undelivered;

    /* The same as lists and objects of an answer; alert_show() fills them. */
    OBJECT_LIST(struct alert_step, escalation);
    struct integer_list changed_at;
    struct string_list state_changes;
    const struct alert_flap *flap_detection;
    const struct alert_undelivered *undelivered_notice;
};
/* Schemas of an alert: its row in SQL and its answer, without and with its secret. */
SCHEMA_OF(alert_schema, struct alert_rule);
SCHEMA_OF(new_alert_schema, struct alert_rule);

/* Fills the members used only by answers and SQL. They point into the rule. */
void alert_show(struct alert_rule *rule, struct arena *arena);

/* Builds the steps: the level-1 step of `webhook_url` first (none for "": the alert is only shown),
 * then the others by level and time. A
 * level-1 step without delay in the list repeats the first one. ERROR_INVALID: too many. */
MUST_CHECK enum error alert_order_steps(struct alert_rule *rule, const struct alert_step *steps,
                                        size_t count);

/* Result of an evaluation of the metric. */
struct alert_reading {
    double value;
    struct optional_number previous;   /* of a change */
    struct optional_number change_pct; /* absent when the divisor is 0 */
    bool triggered;
    bool no_data; /* there is no value, or none to compare with: the other members are undefined */
};
void alert_read(enum alert_condition condition, double threshold, double value,
                struct optional_number previous, struct alert_reading *reading);

enum alert_notice {
    ALERT_SILENT,
    ALERT_TRIGGERS,
    ALERT_SUSTAINS,
    ALERT_ESCALATES,
    ALERT_RESOLVES,
    ALERT_NOTICE__MAX
};
extern const char *const alert_notice_types[];  /* "alert.triggered"... */
extern const char *const alert_notice_states[]; /* "firing"... of the payload */

/* Consequences of an evaluation. `state` holds immediately; `delivered` and `level` hold after all
 * receivers accepted the notice: the steps of `level`, or of all levels up to it for triggered and
 * resolved. */
struct alert_decision {
    enum alert_notice notice;
    enum alert_state state;
    enum alert_state delivered;
    int64_t level;
    bool nothing_owed; /* the pending notice is outdated, or was replaced by another one */
};

/* Whether the notice goes to the step and the step has not accepted it yet. */
bool alert_is_receiver(const struct alert_rule *rule, size_t step,
                       const struct alert_decision *decision);

/* Records a change of the condition in the rule, and decides. A single step is repeated after its
 * pause, but at most every `interval` microseconds. For an undelivered notice it decides again:
 * while the condition holds, the notice goes to all levels that are due; afterwards it is sent as
 * resolved. */
void alert_decide(struct alert_rule *rule, bool triggered, int64_t now, int64_t interval,
                  struct alert_decision *decision);
/* Without a value no state changes. */
void alert_decide_without_data(const struct alert_rule *rule, struct alert_decision *decision);

#endif
