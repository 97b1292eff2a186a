/*
 * Settings of services that read from Kafka: the broker, how to sign in there, and how the bridge
 * reads. AT() of the including file gives the place in its struct, whose member `kafka` is a struct
 * kafka_settings.
 */
#ifndef ASSAY_KAFKA_KAFKA_SETTINGS_H
#define ASSAY_KAFKA_KAFKA_SETTINGS_H

#include "base/settings.h"

/* Where a partition begins of which nothing was applied yet. */
enum kafka_reset { KAFKA_EARLIEST, KAFKA_LATEST, KAFKA_RESET__MAX };
extern const char *const kafka_reset_names[KAFKA_RESET__MAX + 1];

/* How HTTP intake keeps what it has accepted. */
enum kafka_intake { KAFKA_INTAKE_DATABASE, KAFKA_INTAKE_KAFKA, KAFKA_INTAKE__MAX };
extern const char *const kafka_intake_names[KAFKA_INTAKE__MAX + 1];

struct kafka_settings {
    const char *brokers; /* NULL = there is no Kafka */
    bool signs_in;       /* the next five are used */
    const char *protocol, *mechanism;
    const char *username, *password;
    const char *ca_path;         /* NULL = the system's */
    const char *properties_file; /* or NULL */
    const char *group;
    int64_t batch_max;
    int reset; /* enum kafka_reset */
    double publish_seconds;
};

#define KAFKA_SETTINGS(prefix, group_default, batch_default)                                       \
    {"KAFKA_BOOTSTRAP_SERVERS", SETTING_TEXT, AT(kafka.brokers), NULL,                             \
     .help = "Brokers of Kafka, `host:port,host:port`. The bridges of the services read there; "   \
             "unset: there is no Kafka."},                                                         \
        {prefix "KAFKA_AUTH_ENABLED", SETTING_BOOLEAN, AT(kafka.signs_in), "false",                \
         .help = "Sign in to Kafka as the next five settings say."},                               \
        {prefix "KAFKA_SECURITY_PROTOCOL",                                                         \
         SETTING_TEXT,                                                                             \
         AT(kafka.protocol),                                                                       \
         "SASL_SSL",                                                                               \
         .required = true,                                                                         \
         .help = "PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL."},                                   \
        {prefix "KAFKA_SASL_MECHANISM",                                                            \
         SETTING_TEXT,                                                                             \
         AT(kafka.mechanism),                                                                      \
         "SCRAM-SHA-512",                                                                          \
         .required = true,                                                                         \
         .help = "How the user proves the password."},                                             \
        {prefix "KAFKA_USERNAME", SETTING_TEXT, AT(kafka.username), NULL,                          \
         .help = "User at Kafka."},                                                                \
        {prefix "KAFKA_PASSWORD",       SETTING_TEXT, AT(kafka.password), NULL, .secret = true,    \
         .help = "The user's password."},                                                          \
        {prefix "KAFKA_CA_PATH", SETTING_TEXT, AT(kafka.ca_path), NULL,                            \
         .help = "File of the certificate authority of the brokers; unset: those of the system."}, \
        {prefix "KAFKA_PROPERTIES_FILE", SETTING_TEXT, AT(kafka.properties_file), NULL,            \
         .help = "File of lines `name=value` that librdkafka gets as they are, by its own names; " \
                 "it knows client certificates, Kerberos and OAuth."},                             \
        {prefix "KAFKA_PUBLISH_SECONDS",                                                           \
         SETTING_NUMBER,                                                                           \
         AT(kafka.publish_seconds),                                                                \
         "5",                                                                                      \
         0.1,                                                                                      \
         60,                                                                                       \
         .help = "How long a record may wait for all replicas of Kafka to have it."},              \
        {prefix "BRIDGE_GROUP_ID",                                                                 \
         SETTING_TEXT,                                                                             \
         AT(kafka.group),                                                                          \
         group_default,                                                                            \
         .required = true,                                                                         \
         .help = "Group in which the bridges of all hosts share the partitions."},                 \
        {prefix "BRIDGE_BATCH_MAX",                                                                \
         SETTING_INTEGER,                                                                          \
         AT(kafka.batch_max),                                                                      \
         batch_default,                                                                            \
         1,                                                                                        \
         10000,                                                                                    \
         .help = "Records that a bridge applies in one transaction."},                             \
    {                                                                                              \
        prefix "BRIDGE_OFFSET_RESET", SETTING_CHOICE, AT(kafka.reset), "earliest",                 \
            .choices = kafka_reset_names,                                                          \
            .help = "Where a bridge begins with a partition of which nothing was applied yet: "    \
                    "`earliest` or `latest`."                                                      \
    }

#endif
