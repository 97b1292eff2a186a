/*
 * A guardrail alarm of an experiment: a figure of live data that has no users, and when it is
 * alarming. It warns beside the verdict and decides nothing, as it is about all users alike. Does
 * not depend on the database.
 */
#ifndef ASSAY_EXPERIMENTS_ALARMS_ALARM_H
#define ASSAY_EXPERIMENTS_ALARMS_ALARM_H

#include "base/optional.h"
#include "base/schema.h"

enum alarm_condition { ALARM_ABOVE, ALARM_BELOW, ALARM_CHANGED, ALARM_CONDITION__MAX };
extern const char *const alarm_condition_names[ALARM_CONDITION__MAX];

/* Not read yet; read, and in order; raised; read too long ago, by one of the two limits; read, but
 * the figure has no value (a mean of no rows). */
enum alarm_status {
    ALARM_UNREAD,
    ALARM_QUIET,
    ALARM_RAISED,
    ALARM_STALE,
    ALARM_NO_VALUE,
    ALARM_STATUS__MAX
};
extern const char *const alarm_status_names[ALARM_STATUS__MAX];

/* What people write. */
struct alarm_rule {
    const char *metric; /* of live data */
    const char *window; /* one of its own */
    int condition;      /* enum alarm_condition */
    double threshold;   /* ALARM_CHANGED: percent of the reference, in either direction */
    struct optional_number reference; /* of ALARM_CHANGED; absent = the first value but 0 */
};
SCHEMA_OF(alarm_rule_schema, struct alarm_rule);

/* Times are microseconds since 1970, 0 = never; texts are from the arena of the call. */
struct alarm {
    const char *id;
    const char *project_id;
    const char *metric, *window;
    int condition;
    double threshold;
    struct optional_number reference;
    int64_t reference_at; /* when it was read; 0 = it was given */
    int status;           /* enum alarm_status; set when it is shown */
    struct optional_number value;
    const char *unit;                         /* NULL = not read yet */
    int64_t read_at;                          /* as of when live data gave the value */
    struct optional_number event_age_seconds; /* how far live data itself lagged then */
    struct optional_number stale_seconds, event_age_seconds_max; /* limits; the latter 0 = none */
    int64_t raised_at;                                           /* 0 = it is not */
    int64_t failed_at; /* the newest read that failed, if none succeeded since */
    const char *failure;
    const char *actor;
    const char *created_at;
    int64_t archived_at; /* the project; 0 = it is not */
};
SCHEMA_OF(experiment_alarm_schema, struct alarm);

struct alarm_list {
    size_t count;
    struct alarm *items;
};

/* Metrics and windows of those with the status, for a sentence; NULL = there are none. */
const char *alarm_names(const struct alarm_list *alarms, enum alarm_status status,
                        struct arena *arena);

/* A value that was read. */
struct alarm_reading {
    struct optional_number value;
    const char *unit;
    int64_t read_at;
    struct optional_number event_age_seconds;
};

/* Takes the reading over: value, reference where there is none yet, and whether the alarm is
 * raised. With no value, or one that is stale at `now`, an alarm stays raised or quiet as it was.
 */
void alarm_take(struct alarm *alarm, const struct alarm_reading *reading, int64_t now);

/* Of an archived project as it was then. */
enum alarm_status alarm_status_at(const struct alarm *alarm, int64_t now);

#endif
