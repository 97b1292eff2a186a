/*
 * Alerts: rules over metrics of all tenants, checked again and again. A rule that is violated in
 * two checks in a row fires: a notice is sent, repeated at intervals while the alert lasts, and one
 * is sent when it is over. The result of a check and its notice are one transaction; one runner on
 * all hosts checks at a time. Notices are webhooks: they are sent again until they arrive.
 */
#ifndef ASSAY_SUPPORT_UPKEEP_ALERTS_H
#define ASSAY_SUPPORT_UPKEEP_ALERTS_H

#include "db/db.h"
#include "shm/region.h"
#include "support/settings.h"

#include <stdbool.h>

struct alert_call {
    struct db *db;
    struct arena *arena; /* reset after each job */
    struct arena *kept;  /* of the report */
    const struct support_settings *settings;
    struct shm_region *region; /* shared memory of the responders; NULL = breakers are unknown */
    struct problem *problem;
};

/* The result of a check. */
struct alert_report {
    const char *text; /* for people; NULL when nothing was checked */
    bool busy;        /* another process is checking */
    bool undelivered; /* a notice could not be delivered */
};

/* Checks, if it is time by the settings (or `now`), and sends the notices that are due. */
MUST_CHECK enum error alerts_check(const struct alert_call *call, bool now,
                                   struct alert_report *report);

/* The result that a check would have; changes and sends nothing. */
MUST_CHECK enum error alerts_rehearse(const struct alert_call *call, struct alert_report *report);

#endif
