/* The schemas of the browser's health. */
#include "orchestrator/browser/health.h"

#define OWNER struct browser_session
static const struct field session_fields[] = {
    STRING(OWNER, status),
    STRING(OWNER, provider),
    BOOLEAN(OWNER, configured),
    BOOLEAN(OWNER, active),
    STRING(OWNER, base_url, .nullable = true),
    STRING(OWNER, last_error, .nullable = true),
};
#undef OWNER
SCHEMA(browser_session_schema, struct browser_session, "BrowserSession", session_fields);

#define OWNER struct browser_automation
static const struct field automation_fields[] = {
    STRING(OWNER, status),
    BOOLEAN(OWNER, implemented),
    STRING(OWNER, driver),
    STRING(OWNER, channel),
    BOOLEAN(OWNER, headless),
    BOOLEAN(OWNER, launched),
    JSON_VALUE(OWNER, observed_model_menu),
    MOMENT(OWNER, observed_model_menu_at, .time = TIME_Z),
    MOMENT(OWNER, last_model_picker_unavailable_at, .time = TIME_Z),
    NUMBER(OWNER, human_action_delay_seconds),
};
#undef OWNER
SCHEMA(browser_automation_schema, struct browser_automation, "BrowserAutomation",
       automation_fields);

#define OWNER struct browser_health
static const struct field health_fields[] = {
    BOOLEAN(OWNER, signed_out),
    OBJECT(OWNER, session, browser_session_schema, .required = true),
    OBJECT(OWNER, automation, browser_automation_schema, .required = true),
};
#undef OWNER
SCHEMA(browser_health_schema, struct browser_health, "BrowserHealth", health_fields);
