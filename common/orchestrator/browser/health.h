/* The health of the browser's process: its answer to workers, and a part of readiness. */
#ifndef ASSAY_ORCHESTRATOR_BROWSER_HEALTH_H
#define ASSAY_ORCHESTRATOR_BROWSER_HEALTH_H

#include "base/schema.h"

struct browser_session {
    const char *status, *provider;
    bool configured, active;
    const char *base_url, *last_error; /* NULL = none */
};
SCHEMA_OF(browser_session_schema, struct browser_session);

/* Of the driver `cdp`. */
struct browser_automation {
    const char *status;
    bool implemented;
    const char *driver, *channel;
    bool headless, launched;
    json_t *observed_model_menu; /* an array */
    struct optional_integer observed_model_menu_at, last_model_picker_unavailable_at;
    double human_action_delay_seconds;
};
SCHEMA_OF(browser_automation_schema, struct browser_automation);

struct browser_health {
    bool signed_out; /* as shown by the page at the last read */
    const struct browser_session *session;
    const struct browser_automation *automation;
};
SCHEMA_OF(browser_health_schema, struct browser_health);

#endif
