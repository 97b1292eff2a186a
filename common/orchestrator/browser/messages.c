/* The schemas of messages. */
#include "orchestrator/browser/messages.h"

#include "orchestrator/browser/wire.h"
#include "orchestrator/names.h"

#define OWNER struct job_message
static const struct field message_fields[] = {
    STRING(OWNER, act, .required = true, .max_length = 20),
    STRING(OWNER, prompt, .nullable = true, .max_length = 8 << 20),
    STRING(OWNER, label, .nullable = true, .max_length = DRIVER_LABEL_MAX - 1),
    BOOLEAN(OWNER, reasoning, .default_value = 0),
    BOOLEAN(OWNER, strict, .default_value = 0),
    NUMBER(OWNER, seconds, .default_value = 0),
    STRINGS(OWNER, files, .max_length = WIRE_FILES_MAX),
};
#undef OWNER
SCHEMA(job_message_schema, struct job_message, "BrowserRequest", message_fields);

#define OWNER struct browser_end
static const struct field end_fields[] = {
    CHOICE(OWNER, status, run_status_names, .choice_count = RUN_STATUS__MAX, .required = true),
    CHOICE(OWNER, failure_code, failure_code_names, .choice_count = FAILURE_CODE__MAX,
           .nullable = true),
    STRING(OWNER, failure_message, .nullable = true),
    STRING(OWNER, text, .nullable = true),
    WRITTEN_JSON(OWNER, details),
};
#undef OWNER
SCHEMA(job_end_schema, struct browser_end, "BrowserEnd", end_fields);
