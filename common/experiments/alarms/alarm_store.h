/* Guardrail alarms in the database. Contains all SQL about them. */
#ifndef ASSAY_EXPERIMENTS_ALARMS_ALARM_STORE_H
#define ASSAY_EXPERIMENTS_ALARMS_ALARM_STORE_H

#include "experiments/alarms/alarm.h"
#include "experiments/audit/audit_store.h"

struct alarm_call {
    struct db *db;
    struct arena *arena;
    struct problem *problem;
};

/* Those of an experiment, oldest first; their status is that of `now`. */
MUST_CHECK enum error alarm_read_all(const struct alarm_call *call, const char *project_id,
                                     int64_t now, struct alarm_list *alarms);

/* Of all projects that are not archived, after the id `after`, at most `most`. */
MUST_CHECK enum error alarm_list_running(const struct alarm_call *call, const char *after, int most,
                                         struct alarm_list *alarms);

/* Adds an alarm, at most `limit` to an experiment, and fills it in. ERROR_NOT_FOUND `not_found`;
 * ERROR_INVALID `project_archived`; ERROR_CONFLICT `alarm_limit_reached`. Noted in the audit log.
 */
MUST_CHECK enum error alarm_create(const struct alarm_call *call, const struct actor *actor,
                                   const char *project_id, const struct alarm_rule *rule,
                                   int64_t limit, struct alarm *alarm);

/* ERROR_NOT_FOUND `not_found` where the experiment has no such alarm. */
MUST_CHECK enum error alarm_delete(const struct alarm_call *call, const struct actor *actor,
                                   const char *project_id, const char *id);

/* Stores what was read. Whether it is raised is noted in the audit log when that has changed since
 * `was_raised`. Does nothing to an alarm that has gone, or that was read later by another host. */
MUST_CHECK enum error alarm_save(const struct alarm_call *call, const struct alarm *alarm,
                                 bool was_raised);

/* Stores that reading failed; what was read stays. */
MUST_CHECK enum error alarm_fail(const struct alarm_call *call, const struct alarm *alarm,
                                 int64_t now, const char *failure);

#endif
