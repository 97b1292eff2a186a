/* Private to common/support/upkeep: the alert rules, their inputs, and their texts. */
#ifndef ASSAY_SUPPORT_UPKEEP_ALERT_RULES_H
#define ASSAY_SUPPORT_UPKEEP_ALERT_RULES_H

#include "base/schema.h"
#include "db/db.h"
#include "shm/region.h"
#include "support/settings.h"

#include <stdbool.h>

enum { ALERT_READINGS_MAX = 16 };
enum alert_news { ALERT_NOTHING, ALERT_FIRING, ALERT_RESOLVED };

struct alert_rule {
    const char *name, *group, *severity;
    const char *what, *unit, *window;
    bool below; /* violated below the threshold, not above */
};

/* The value of a rule. An unknown value violates nothing. */
struct alert_reading {
    const struct alert_rule *rule;
    struct optional_number value;
    double threshold;
    bool violated;
    const char *message;
};

struct alert_readings {
    size_t count;
    struct alert_reading items[ALERT_READINGS_MAX];
};

/* An alert in a notification. */
struct alert_entry {
    const char *rule, *group, *severity, *state; /* firing or resolved */
    struct optional_number value;
    double threshold;
    const char *window, *message;
};
struct alert_notice {
    const char *text;
    OBJECT_LIST(struct alert_entry, alerts);
    const char *generated_at;
};
SCHEMA_OF(alert_notice_schema, struct alert_notice);

/* Over all tenants; breakers from the shared memory region, NULL = unknown. */
MUST_CHECK enum error alert_take_readings(struct db *db, struct arena *arena,
                                          const struct support_settings *settings,
                                          struct shm_region *region,
                                          struct alert_readings *readings, struct problem *problem);

/* The body of a notification; NULL when no alert has changed. */
const char *alert_notice_json(struct arena *arena, const struct alert_readings *readings,
                              const enum alert_news *news, const char *now);

/* The same as text, always. */
const char *alert_report_text(struct arena *arena, const struct alert_readings *readings,
                              const enum alert_news *news, const char *now, bool is_sent);

#endif
