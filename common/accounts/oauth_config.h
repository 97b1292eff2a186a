/* The limits of sign-in by OAuth, as the settings have them. */
#ifndef ASSAY_ACCOUNTS_OAUTH_CONFIG_H
#define ASSAY_ACCOUNTS_OAUTH_CONFIG_H

#include "base/settings.h"

struct oauth_config {
    int64_t code_seconds;
    int64_t access_seconds;
    int64_t refresh_seconds;
    int64_t grant_days;
    int64_t grants_per_person;
    int64_t clients_max;
    int64_t clients_per_network;
    int64_t unused_hours;
    int64_t unused_days;
    int64_t rate_per_minute;
};

/* Rows of a table of settings. AT() of the including file gives the place in its struct, whose
 * member `oauth` is a struct oauth_config. */
#define OAUTH_SETTINGS                                                                             \
    {"ASSAY_OAUTH_CODE_SECONDS",                                                                   \
     SETTING_INTEGER,                                                                              \
     AT(oauth.code_seconds),                                                                       \
     "60",                                                                                         \
     5,                                                                                            \
     600,                                                                                          \
     .help = "How long a program may take from a person's consent to its first token."},           \
        {"ASSAY_OAUTH_ACCESS_SECONDS",                                                             \
         SETTING_INTEGER,                                                                          \
         AT(oauth.access_seconds),                                                                 \
         "3600",                                                                                   \
         5,                                                                                        \
         86400,                                                                                    \
         .help = "How long an access token of a program counts; then it is refreshed."},           \
        {"ASSAY_OAUTH_REFRESH_SECONDS",                                                            \
         SETTING_INTEGER,                                                                          \
         AT(oauth.refresh_seconds),                                                                \
         "2592000",                                                                                \
         60,                                                                                       \
         31536000,                                                                                 \
         .help = "A program that has not refreshed its token for so long asks the person again."}, \
        {"ASSAY_OAUTH_GRANT_DAYS",                                                                 \
         SETTING_INTEGER,                                                                          \
         AT(oauth.grant_days),                                                                     \
         "365",                                                                                    \
         1,                                                                                        \
         3650,                                                                                     \
         .help = "So long after the consent a program asks the person again, whatever its use."},  \
        {"ASSAY_OAUTH_GRANTS_PER_PERSON",                                                          \
         SETTING_INTEGER,                                                                          \
         AT(oauth.grants_per_person),                                                              \
         "50",                                                                                     \
         1,                                                                                        \
         10000,                                                                                    \
         .help = "Programs that one person may have let in at a time."},                           \
        {"ASSAY_OAUTH_CLIENTS_MAX",                                                                \
         SETTING_INTEGER,                                                                          \
         AT(oauth.clients_max),                                                                    \
         "10000",                                                                                  \
         0,                                                                                        \
         1000000,                                                                                  \
         .help = "Programs that may be registered; one more takes the place of the oldest that "   \
                 "nobody has let in. 0 = none may register."},                                     \
        {"ASSAY_OAUTH_CLIENTS_PER_NETWORK",                                                        \
         SETTING_INTEGER,                                                                          \
         AT(oauth.clients_per_network),                                                            \
         "100",                                                                                    \
         1,                                                                                        \
         1000000,                                                                                  \
         .help = "Of them, from one address without a person having let them in (429)."},          \
        {"ASSAY_OAUTH_UNUSED_HOURS",                                                               \
         SETTING_INTEGER,                                                                          \
         AT(oauth.unused_hours),                                                                   \
         "24",                                                                                     \
         1,                                                                                        \
         8760,                                                                                     \
         .help = "A registration is deleted when nobody has let the program in for so long."},     \
        {"ASSAY_OAUTH_UNUSED_DAYS",                                                                \
         SETTING_INTEGER,                                                                          \
         AT(oauth.unused_days),                                                                    \
         "90",                                                                                     \
         1,                                                                                        \
         3650,                                                                                     \
         .help = "A registration that was used is deleted so long after the last consent, when "   \
                 "none holds any more."},                                                          \
    {                                                                                              \
        "ASSAY_OAUTH_RATE_PER_MINUTE", SETTING_INTEGER, AT(oauth.rate_per_minute), "120", 1,       \
            1000000, .help = "Registrations and calls for tokens from one address a minute."       \
    }

#endif
