/* Applies the records of running experiments that lie in Kafka. `--help` lists the options and exit
 * codes. */
#include "base/log.h"
#include "crypto/crypto.h"
#include "experiments/intake/kafka_intake.h"
#include "experiments/storage/store.h"

#include <stdio.h>

static const char help[] =
    "usage: experiments-bridge\n"
    "       experiments-bridge --forget TOPIC\n"
    "\n"
    "Applies the records of running experiments that lie in Kafka: exposures,\n"
    "conversions, identities, exclusions, holdout, pre-period and strata. Each one\n"
    "counts exactly once. Runs until it gets a signal, and waits while Kafka or the\n"
    "database is away. The settings are AB_KAFKA_*, AB_BRIDGE_* and\n"
    "KAFKA_BOOTSTRAP_SERVERS.\n"
    "\n"
    "  --forget TOPIC  Forget how far the topic was applied, when a topic of that name\n"
    "                  was made anew, and end.\n"
    "\n"
    "Exit codes: 0 stopped by a signal, or forgotten; 1 the settings are wrong, or\n"
    "librdkafka is missing; 2 the command line is wrong; 3 the database failed.\n";

enum { EXIT_SETTINGS = 1, MEMORY_MAX = 16 * 1024 * 1024 };

static int run(struct arena *arena, const char *forgotten)
{
    struct experiments_settings settings = {0};
    struct kafka_intake_context intake = {.settings = &settings};
    struct problem problem = {0};
    struct kafka_bridge bridge = {.settings = &settings.kafka,
                                  .topics = &intake.topics,
                                  .context = &intake,
                                  .decode = kafka_intake_decode,
                                  .apply = kafka_intake_apply};
    int status;

    if (crypto_start(&problem) || experiments_settings_load(&settings, arena, NULL, &problem) ||
        experiments_store_open(arena, &settings, NULL, &bridge.store, &problem)) {
        fprintf(stderr, "experiments-bridge: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.experiments-bridge", (enum log_level)settings.log_level,
             (enum log_format)settings.log_format);
    intake.topics = kafka_intake_topics(arena, &settings);
    status = kafka_bridge_program(&bridge, "experiments-bridge", forgotten);
    store_close(bridge.store);
    return status;
}

int main(int argc, char **argv)
{
    return kafka_bridge_main(argc, argv, help, MEMORY_MAX, run);
}
