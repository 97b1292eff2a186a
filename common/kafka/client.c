/* Configuration of clients of Kafka. */
#include "kafka/client.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { PROPERTY_MAX = 8192, REASON_MAX = 512, NAME_SHOWN = 40 };

const char *const kafka_reset_names[] = {"earliest", "latest", NULL};
const char *const kafka_intake_names[] = {"database", "kafka", NULL};

/* A broker that is away is told of at every attempt to reach it. */
static const int64_t quiet_us = 10000000;

static void log_line(const rd_kafka_t *client, int level, const char *facility, const char *text)
{
    static _Atomic int64_t last;
    int64_t now = clock_monotonic_microseconds();
    struct log_line line;

    (void)client;
    if (atomic_load(&last) && now - atomic_load(&last) < quiet_us)
        return;
    atomic_store(&last, now);
    log_begin(&line, level <= 4 ? LOG_WARNING : LOG_INFO, "kafka");
    log_text(&line, "detail", text);
    log_text(&line, "facility", facility);
    log_write(&line);
}

static enum error set(rd_kafka_conf_t *configuration, const char *name, const char *value,
                      struct problem *problem)
{
    char reason[REASON_MAX];

    if (!value ||
        rdkafka.conf_set(configuration, name, value, reason, sizeof reason) == RD_KAFKA_CONF_OK)
        return ERROR_NONE;
    return problem_set(problem, ERROR_INVALID, "kafka_property", "Kafka: %s", reason);
}

static enum error set_sign_in(rd_kafka_conf_t *configuration, const struct kafka_settings *settings,
                              struct problem *problem)
{
    const struct kafka_option options[] = {{"security.protocol", settings->protocol},
                                           {"sasl.mechanism", settings->mechanism},
                                           {"sasl.username", settings->username},
                                           {"sasl.password", settings->password},
                                           {"ssl.ca.location", settings->ca_path}};
    bool with_sasl = strncmp(settings->protocol, "SASL", 4) == 0;
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < sizeof options / sizeof *options; i++)
        if (with_sasl || strncmp(options[i].name, "sasl", 4) != 0)
            error = set(configuration, options[i].name, options[i].value, problem);
    return error;
}

/* One line of the file: blank, a comment with # or name=value. */
static enum error set_line(rd_kafka_conf_t *configuration, char *line, struct problem *problem)
{
    char *value;

    line[strcspn(line, "\r\n")] = '\0';
    line += strspn(line, " \t");
    if (!*line || *line == '#')
        return ERROR_NONE;
    value = strchr(line, '=');
    if (!value)
        return problem_set(problem, ERROR_INVALID, "kafka_property",
                           "Kafka: a line of the properties file is not name=value");
    *value++ = '\0';
    return set(configuration, line, value, problem);
}

/* Of what stands before =, as far as it is shown: the rest may be secret. */
static int name_length(const char *line)
{
    size_t length = strcspn(line, "=");

    return length < NAME_SHOWN ? (int)length : NAME_SHOWN;
}

static enum error set_file(rd_kafka_conf_t *configuration, const char *path,
                           struct problem *problem)
{
    char line[PROPERTY_MAX];
    enum error error = ERROR_NONE;
    FILE *file;

    if (!path)
        return ERROR_NONE;
    file = fopen(path, "re");
    if (!file)
        return problem_set(problem, ERROR_INVALID, "kafka_property", "Kafka: %s: %s", path,
                           strerror(errno));
    while (!error && fgets(line, sizeof line, file))
        error = strlen(line) == sizeof line - 1
                    ? problem_set(problem, ERROR_INVALID, "kafka_property",
                                  "Kafka: %.*s: its line in %s has more than %d bytes",
                                  name_length(line), line, path, PROPERTY_MAX - 2)
                    : set_line(configuration, line, problem);
    fclose(file);
    return error;
}

static enum error set_options(rd_kafka_conf_t *configuration, const struct kafka_option *options,
                              size_t count, bool fixed, struct problem *problem)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < count; i++)
        if (options[i].fixed == fixed)
            error = set(configuration, options[i].name, options[i].value, problem);
    return error;
}

enum error kafka_configure(const struct kafka_settings *settings,
                           const struct kafka_option *options, size_t count,
                           rd_kafka_conf_t **configuration, struct problem *problem)
{
    enum error error;

    *configuration = NULL;
    if (!librdkafka_load())
        return problem_set(problem, ERROR_UNAVAILABLE, "library_missing",
                           "librdkafka.so.1 cannot be loaded; Debian's package is librdkafka1");
    *configuration = rdkafka.conf_new();
    rdkafka.conf_set_log_cb(*configuration, log_line);
    error = set(*configuration, "bootstrap.servers", settings->brokers, problem);
    if (!error)
        error = set(*configuration, "log.connection.close", "false", problem);
    if (!error && settings->signs_in)
        error = set_sign_in(*configuration, settings, problem);
    if (!error)
        error = set_options(*configuration, options, count, false, problem);
    if (!error)
        error = set_file(*configuration, settings->properties_file, problem);
    if (!error)
        error = set_options(*configuration, options, count, true, problem);
    if (!error) /* by the thread that polls: our log is not for several */
        error = set(*configuration, "log.queue", "true", problem);
    if (error) {
        rdkafka.conf_destroy(*configuration);
        *configuration = NULL;
    }
    return error;
}

enum error kafka_open(rd_kafka_type_t type, rd_kafka_conf_t *configuration, rd_kafka_t **client,
                      struct problem *problem)
{
    char reason[REASON_MAX];

    *client = rdkafka.new(type, configuration, reason, sizeof reason);
    if (*client) {
        rdkafka.set_log_queue(*client, NULL);
        return ERROR_NONE;
    }
    rdkafka.conf_destroy(configuration);
    return problem_set(problem, ERROR_INVALID, "kafka_property", "Kafka: %s", reason);
}
