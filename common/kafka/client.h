/* Private to common/kafka: what consumers and producers have in common. */
#ifndef ASSAY_KAFKA_CLIENT_H
#define ASSAY_KAFKA_CLIENT_H

#include "kafka/kafka_settings.h"
#include "kafka/librdkafka.h"

struct kafka_option {
    const char *name, *value;
    bool fixed; /* the file of properties cannot change it: exactly once depends on it */
};

/* A configuration with the broker, how to sign in, `options` and the properties of the file:
 * rows with a name; a value of NULL leaves the default. It logs through our log, from its poll().
 * ERROR_UNAVAILABLE library_missing; ERROR_INVALID kafka_property. The caller owns it until a
 * client is made of it. */
MUST_CHECK enum error kafka_configure(const struct kafka_settings *settings,
                                      const struct kafka_option *options, size_t count,
                                      rd_kafka_conf_t **configuration, struct problem *problem);

/* A client of that type; the configuration belongs to it, or is gone after an error. */
MUST_CHECK enum error kafka_open(rd_kafka_type_t type, rd_kafka_conf_t *configuration,
                                 rd_kafka_t **client, struct problem *problem);

#endif
