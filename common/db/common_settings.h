/*
 * Settings that every service has: rows for its table of settings. AT() of the including file gives
 * the place in its struct, whose members have the names below.
 */
#ifndef ASSAY_DB_COMMON_SETTINGS_H
#define ASSAY_DB_COMMON_SETTINGS_H

#include "base/confine.h"
#include "base/log.h"
#include "base/settings.h"
#include "db/db.h"

/* Of services with a port. `service` begins the names that nginx/stack reads ("AB_", "SUPPORT_").
 * Members: host, port. */
#define ADDRESS_SETTINGS(service, port_default)                                                    \
    {service "HOST", SETTING_TEXT,     AT(host),                                                   \
     "127.0.0.1",    .required = true, .help = "Address that nginx listens on."},                  \
    {                                                                                              \
        service "PORT", SETTING_INTEGER, AT(port), port_default, 1, 65535,                         \
            .help = "Port that nginx listens on for this service."                                 \
    }

/* `prefix` begins the other names ("AB_", ""); the defaults are texts. Members: log_level,
 * log_format, confine, sql_directory, state_directory, sqlite_busy_timeout_ms,
 * max_request_memory_bytes. */
#define COMMON_SETTINGS(service, prefix, port_default, memory_default)                             \
    ADDRESS_SETTINGS(service, port_default), WORKER_SETTINGS(service, prefix, memory_default)

#define WORKER_SETTINGS(service, prefix, memory_default)                                           \
    {prefix "LOG_LEVEL",                                                                           \
     SETTING_CHOICE,                                                                               \
     AT(log_level),                                                                                \
     "INFO",                                                                                       \
     .choices = log_level_names,                                                                   \
     .help = "Least level that is logged."},                                                       \
        {prefix "LOG_FORMAT",                                                                      \
         SETTING_CHOICE,                                                                           \
         AT(log_format),                                                                           \
         "json",                                                                                   \
         .choices = log_format_names,                                                              \
         .help = "One JSON object a line, or plain text."},                                        \
        {service "CONFINE",                                                                        \
         SETTING_CHOICE,                                                                           \
         AT(confine),                                                                              \
         "auto",                                                                                   \
         .choices = confine_mode_names,                                                            \
         .help = "Let the kernel keep workers from running programs and from changing files "      \
                 "outside the run directory and the folder of the data: `auto` where it can, "     \
                 "`on` or do not start, `off`."},                                                  \
        {"ASSAY_SQL_DIR", SETTING_TEXT, AT(sql_directory), "sql",                                  \
         .help = "Folder of the migrations; `nginx/stack` fills it in."},                          \
        {"ASSAY_STATE_DIR",                                                                        \
         SETTING_TEXT,                                                                             \
         AT(state_directory),                                                                      \
         "state",                                                                                  \
         .may_be_blank = true,                                                                     \
         .help = "Folder of the record that says which database is the right one; `nginx/stack` "  \
                 "fills it in. Given but blank: none is kept, and any database will do (for "      \
                 "tests)."},                                                                       \
        {prefix "SQLITE_BUSY_TIMEOUT_MS",                                                          \
         SETTING_INTEGER,                                                                          \
         AT(sqlite_busy_timeout_ms),                                                               \
         "5000",                                                                                   \
         1,                                                                                        \
         600000,                                                                                   \
         .help = "How long a write waits for another worker's."},                                  \
    {                                                                                              \
        prefix "MAX_REQUEST_MEMORY_BYTES", SETTING_INTEGER, AT(max_request_memory_bytes),          \
            memory_default, 1048576, 68719476736.0,                                                \
            .help = "Memory that one request may use in a worker."                                 \
    }

/* Of services that count the proxies before them and limit the depth of JSON. Members:
 * trusted_proxy_hops, trusted_proxies, max_json_depth. */
#define REQUEST_SETTINGS(prefix)                                                                   \
    {prefix "TRUSTED_PROXY_HOPS",                                                                  \
     SETTING_INTEGER,                                                                              \
     AT(trusted_proxy_hops),                                                                       \
     "0",                                                                                          \
     0,                                                                                            \
     32,                                                                                           \
     .help = "Proxies in front of nginx whose X-Forwarded-For entries are believed."},             \
        {prefix "TRUSTED_PROXIES", SETTING_LIST, AT(trusted_proxies), NULL,                        \
         .help = "Addresses or networks those proxies come from; empty believes any peer."},       \
    {                                                                                              \
        prefix "MAX_JSON_DEPTH", SETTING_INTEGER, AT(max_json_depth), "32", 8, 1000,               \
            .help = "Deepest nesting of a JSON body."                                              \
    }

/* Of services that delete by age (jobs/clock_watch.h). Member: clock. */
#define CLOCK_SETTINGS                                                                             \
    {"ASSAY_CLOCK_TOLERANCE_SECONDS",                                                              \
     SETTING_INTEGER,                                                                              \
     AT(clock.tolerance_seconds),                                                                  \
     "600",                                                                                        \
     1,                                                                                            \
     86400,                                                                                        \
     .help = "By so much the wall clock may be set while the system runs; once it was set by "     \
             "more, nothing is deleted by its age."},                                              \
    {                                                                                              \
        "ASSAY_CLOCK_SETTLE_SECONDS", SETTING_INTEGER, AT(clock.settle_seconds), "86400", 0,       \
            31536000,                                                                              \
            .help =                                                                                \
                "A wall clock that was set is trusted again after it has run on evenly for so "    \
                "long."                                                                            \
    }

/* The demonstration of the suite (base/demo_files.h). Member: demo_language. */
#define DEMO_SETTING(prefix)                                                                       \
    {                                                                                              \
        prefix "DEMO_LANGUAGE", SETTING_TEXT, AT(demo_language), NULL,                             \
            .help = "Create demonstration data in this language at the start: a folder of "        \
                    "config/demo, such as `en` or `de`; unset: none."                              \
    }

/* Of services whose data must survive a power cut if so set. Member: sqlite_synchronous. */
#define SYNCHRONOUS_SETTING(prefix)                                                                \
    {                                                                                              \
        prefix "SQLITE_SYNCHRONOUS", SETTING_CHOICE, AT(sqlite_synchronous), "NORMAL",             \
            .choices = db_synchronous_names,                                                       \
            .help = "How hard SQLite pushes to the disk: FULL survives a power cut to the last "   \
                    "write, NORMAL survives any crash of programs."                                \
    }

#endif
