/*
 * An alert: a condition on a metric, and who gets a notice when it begins to hold, when it still
 * holds and when it is over. This file has the rule and what follows from an evaluation of its
 * metric. It knows neither storage nor delivery.
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
    ALERT_NO_DATA, /* the metric has no value: nothing is concluded from it */
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

/* How many changes of the condition within a window silence the alert. */
struct alert_flap {
    bool enabled;
    int64_t window_minutes;
    int64_t max_changes;
};
SCHEMA_OF(alert_flap_schema, struct alert_flap);

/* A notice that not all of its receivers have taken. */
struct alert_undelivered {
    const char *event_type; /* NULL = there is none */
    int64_t since;          /* when the first one that is still owed was due */
    const char *error;      /* of the last attempt, or NULL */
    int64_t taken;          /* bits by step: who has taken this one */
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
    size_t step_count; /* the first is level 1 at once */
    struct alert_step steps[ALERT_STEPS_MAX];
    struct alert_flap flap;
    bool active;
    int64_t created_at;
    int64_t updated_at;

    enum alert_state state;
    int64_t fired_at;          /* 0 = does not fire, as with the next two */
    int64_t resolved_at;       /* 0 = never */
    int64_t last_triggered_at; /* 0 = never */
    int64_t last_escalation_level;
    struct optional_boolean last_condition_triggered; /* null before the first evaluation */
    size_t change_count; /* times when the condition changed, oldest first */
    int64_t changes[ALERT_CHANGES_MAX];
    const char *pending_event; /* a notice that is on its way, or NULL */
    struct alert_undelivered undelivered;

    /* The same as lists and objects of an answer; alert_show() fills them. */
    OBJECT_LIST(struct alert_step, escalation);
    struct integer_list changed_at;
    struct string_list state_changes;
    const struct alert_flap *flap_detection;
    const struct alert_undelivered *undelivered_notice;
};
/* One alert: its row in SQL and its answer, without and with its secret. */
SCHEMA_OF(alert_schema, struct alert_rule);
SCHEMA_OF(new_alert_schema, struct alert_rule);

/* Fills the members that only answers and SQL have. They point into the rule. */
void alert_show(struct alert_rule *rule, struct arena *arena);

/* The level-1 step of `webhook_url` first, then the others by time and level. A level-1 step at
 * once among them is the first one said again. ERROR_INVALID: too many. */
MUST_CHECK enum error alert_order_steps(struct alert_rule *rule, const struct alert_step *steps,
                                        size_t count);

/* What an evaluation of the metric says. */
struct alert_reading {
    double value;
    struct optional_number previous;   /* of a change */
    struct optional_number change_pct; /* absent where there is nothing to divide by */
    bool triggered;
    bool no_data; /* there is no value, or none to compare with: the rest is not to be used */
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

/* What follows. `state` holds at once; `delivered` and `level` hold once the notice was taken by
 * all its receivers: the steps of `level`, or of all up to it when it triggers or resolves. */
struct alert_decision {
    enum alert_notice notice;
    enum alert_state state;
    enum alert_state delivered;
    int64_t level;
    bool nothing_owed; /* what was not delivered is not true any more, or has become another notice
                        */
};

/* Whether the step is one of those that the notice goes to and that have not taken it yet. */
bool alert_is_receiver(const struct alert_rule *rule, size_t step,
                       const struct alert_decision *decision);

/* Notes a change of the condition in the rule, and decides. A single step is repeated after its
 * pause, yet not more often than every `interval` microseconds. A notice that was not delivered is
 * decided again: while the condition holds it goes to all levels whose time has come, afterwards it
 * goes out as resolved. */
void alert_decide(struct alert_rule *rule, bool triggered, int64_t now, int64_t interval,
                  struct alert_decision *decision);
/* Without a value nothing begins, goes on or ends. */
void alert_decide_without_data(const struct alert_rule *rule, struct alert_decision *decision);

#endif
