/*
 * Where telemetry of the suite goes: one collector of OpenTelemetry for all services. OTLP_SETTINGS
 * are rows for a table of settings; AT() of the including file gives the place in its struct, whose
 * member `otlp` is a struct otlp_settings.
 */
#ifndef ASSAY_TELEMETRY_OTLP_SETTINGS_H
#define ASSAY_TELEMETRY_OTLP_SETTINGS_H

#include "base/settings.h"

#include <stddef.h>

struct otlp_settings {
    const char *endpoint;             /* without the path of a signal; NULL = nothing is sent */
    struct string_list headers;       /* "name=value", for collectors that need a key */
    double trace_share;               /* of the requests whose caller does not decide */
    struct string_list trace_callers; /* networks whose traceparent decides */
    double timeout_seconds;           /* for one batch, with repetitions */
    double metrics_seconds;           /* between two readings; 0 = no metrics */
    int log_level;                    /* position in otlp_log_levels */
};

/* "off", then the levels of base/log.h. */
extern const char *const otlp_log_levels[];

#define OTLP_SETTINGS                                                                              \
    {"ASSAY_OTLP_ENDPOINT", SETTING_TEXT, AT(otlp.endpoint), NULL,                                 \
     .help = "The URL of an OpenTelemetry collector that takes OTLP over HTTP, such as "           \
             "http://127.0.0.1:4318, for all services; traces go to /v1/traces below it. Without " \
             "it no spans are made."},                                                             \
        {"ASSAY_OTLP_HEADERS",                                                                     \
         SETTING_LIST,                                                                             \
         AT(otlp.headers),                                                                         \
         NULL,                                                                                     \
         .secret = true,                                                                           \
         .help = "Headers of a collector that needs a key, each as name=value."},                  \
        {"ASSAY_OTLP_TRACE_SAMPLE",                                                                \
         SETTING_NUMBER,                                                                           \
         AT(otlp.trace_share),                                                                     \
         "1",                                                                                      \
         0,                                                                                        \
         1,                                                                                        \
         .help = "Share of the requests that are traced, by their trace id. A traceparent of a "   \
                 "caller within ASSAY_OTLP_TRACE_CALLERS decides for its requests."},              \
        {"ASSAY_OTLP_TRACE_CALLERS", SETTING_LIST, AT(otlp.trace_callers), "127.0.0.0/8,::1",      \
         .help = "Networks of callers whose traceparent decides whether their requests are "       \
                 "traced. The trace of others is continued, too, but ASSAY_OTLP_TRACE_SAMPLE "     \
                 "decides."},                                                                      \
        {"ASSAY_OTLP_METRICS_SECONDS",                                                             \
         SETTING_NUMBER,                                                                           \
         AT(otlp.metrics_seconds),                                                                 \
         "30",                                                                                     \
         0,                                                                                        \
         3600,                                                                                     \
         .help = "Between two readings of the metrics of all services, which go to /v1/metrics "   \
                 "of the collector; 0 = none."},                                                   \
        {"ASSAY_OTLP_LOG_LEVEL",                                                                   \
         SETTING_CHOICE,                                                                           \
         AT(otlp.log_level),                                                                       \
         "INFO",                                                                                   \
         .choices = otlp_log_levels,                                                               \
         .help = "Least level of the lines of the log that go to /v1/logs of the collector; "      \
                 "`off`: none."},                                                                  \
    {                                                                                              \
        "ASSAY_OTLP_TIMEOUT_SECONDS", SETTING_NUMBER, AT(otlp.timeout_seconds), "5", 0.1, 60,      \
            .help = "For the collector to take a batch. What does not fit into that time is "      \
                    "dropped; requests never wait."                                                \
    }

/* For programs that read no other table with these rows. */
MUST_CHECK enum error otlp_settings_load(struct otlp_settings *settings, struct arena *arena,
                                         struct problem *problem);

/* ERROR_INVALID for an endpoint that is no URL of HTTP, and for a header that is not name=value. */
MUST_CHECK enum error otlp_settings_check(const struct otlp_settings *settings,
                                          struct problem *problem);

/* The URL of a signal, "traces". */
const char *otlp_url(struct arena *arena, const struct otlp_settings *settings, const char *signal);

#endif
