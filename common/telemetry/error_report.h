/*
 * Reports errors of a service to an endpoint that speaks the protocol of Sentry (envelopes). A
 * worker describes its error and goes on; the program error-report of the stack sends it. Reports
 * hold no bodies, no headers and no addresses of clients.
 */
#ifndef ASSAY_TELEMETRY_ERROR_REPORT_H
#define ASSAY_TELEMETRY_ERROR_REPORT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"
#include "base/schema.h"

/* The socket of the run directory that workers send errors to. */
#define ERROR_SOCKET_NAME(service) service "-errors.sock"

struct error_event {
    const char *code;    /* error code of the answer */
    const char *message; /* NULL = the code */
    const char *service, *family;
    const char *method, *route; /* of the route's row, without values; NULL = none */
    int64_t status;
    const char *request_id, *trace_id; /* NULL = none */
    double timestamp;                  /* Unix seconds */
};

/* The message that the program takes: JSON, from the arena. */
const char *error_event_write(struct arena *arena, const struct error_event *event);

struct error_report_settings {
    const char *dsn; /* https://KEY@HOST/PROJECT */
    const char *environment, *release;
    double timeout_seconds;
};

struct error_reporter;

/* ERROR_INVALID (`error_tracking_dsn`) for a DSN that is none; ERROR_SYSTEM. */
MUST_CHECK enum error error_reporter_open(const struct error_report_settings *settings,
                                          const char *run_directory, const char *socket_name,
                                          struct error_reporter **reporter,
                                          struct problem *problem);
void error_reporter_close(struct error_reporter *reporter);

/* Receives for at most half a second and sends what came. At most one event of the same code and
 * route each second; after 429 none until the endpoint takes events again. */
void error_reporter_run(struct error_reporter *reporter);

#endif
