/*
 * Settings of reading goals from live data. AT() of the including file gives the place in its
 * struct, whose member `sources` is a struct source_settings.
 */
#ifndef ASSAY_EXPERIMENTS_SOURCES_SOURCE_SETTINGS_H
#define ASSAY_EXPERIMENTS_SOURCES_SOURCE_SETTINGS_H

#include "base/settings.h"

struct source_settings {
    const char *url; /* NULL = no live data */
    const char *key; /* NULL = none is sent */
    int64_t page_rows;
    int64_t pages;
    int64_t page_bytes;
    double timeout_seconds;
    double stale_seconds;
    double event_age_seconds; /* 0 = not judged */
    double wait_hours;
    int64_t alarms;
};

#define SOURCE_SETTINGS                                                                            \
    {"AB_LIVEDATA_URL", SETTING_TEXT, AT(sources.url), NULL,                                       \
     .help = "Live-data service whose rows are goals of experiments, `http://host:8010`; unset: "  \
             "there is none."},                                                                    \
        {"AB_LIVEDATA_API_KEY",                                                                    \
         SETTING_TEXT,                                                                             \
         AT(sources.key),                                                                          \
         NULL,                                                                                     \
         .secret = true,                                                                           \
         .help =                                                                                   \
             "Key that it is shown as `X-API-Key`; it must read the entities of the metrics."},    \
        {"AB_LIVEDATA_PAGE_ROWS",                                                                  \
         SETTING_INTEGER,                                                                          \
         AT(sources.page_rows),                                                                    \
         "1000",                                                                                   \
         1,                                                                                        \
         1000,                                                                                     \
         .help = "Changed rows of live data that are read, and recorded in one transaction, at a " \
                 "time."},                                                                         \
        {"AB_LIVEDATA_PAGES",                                                                      \
         SETTING_INTEGER,                                                                          \
         AT(sources.pages),                                                                        \
         "20",                                                                                     \
         1,                                                                                        \
         10000,                                                                                    \
         .help = "Pages that are read for one experiment before the next one's turn."},            \
        {"AB_LIVEDATA_PAGE_BYTES",                                                                 \
         SETTING_INTEGER,                                                                          \
         AT(sources.page_bytes),                                                                   \
         "16777216",                                                                               \
         65536,                                                                                    \
         67108864,                                                                                 \
         .help = "Largest answer of live data."},                                                  \
        {"AB_LIVEDATA_TIMEOUT_SECONDS",                                                            \
         SETTING_NUMBER,                                                                           \
         AT(sources.timeout_seconds),                                                              \
         "15",                                                                                     \
         0.1,                                                                                      \
         110,                                                                                      \
         .help = "Longest call of live data."},                                                    \
        {"AB_LIVEDATA_STALE_SECONDS",                                                              \
         SETTING_NUMBER,                                                                           \
         AT(sources.stale_seconds),                                                                \
         "3600",                                                                                   \
         1,                                                                                        \
         31536000,                                                                                 \
         .help = "When all changes of live data were last read longer ago than this, no verdict "  \
                 "is given on the experiment."},                                                   \
        {"AB_LIVEDATA_EVENT_AGE_SECONDS",                                                          \
         SETTING_NUMBER,                                                                           \
         AT(sources.event_age_seconds),                                                            \
         "0",                                                                                      \
         0,                                                                                        \
         31536000,                                                                                 \
         .help = "The same when the newest event, or the slowest heartbeat, of the rows is older " \
                 "than this; 0: quiet rows are not stale."},                                       \
        {"AB_LIVEDATA_WAIT_HOURS",                                                                 \
         SETTING_NUMBER,                                                                           \
         AT(sources.wait_hours),                                                                   \
         "24",                                                                                     \
         0,                                                                                        \
         8760,                                                                                     \
         .help = "How long after the time of a row the exposure of its user may still arrive; "    \
                 "until then the row waits."},                                                     \
    {                                                                                              \
        "AB_LIVEDATA_ALARMS", SETTING_INTEGER, AT(sources.alarms), "20", 0, 100,                   \
            .help = "Alarms on figures of live data that one experiment may have."                 \
    }

#endif
