/* Private to common/limits: the server, asked under a breaker. */
#ifndef ASSAY_LIMITS_LIMITS_INTERNAL_H
#define ASSAY_LIMITS_LIMITS_INTERNAL_H

#include "limits/limits.h"
#include "net/redis.h"
#include "shm/breaker.h"

enum { LIMITS_KEY_MAX = 96, MICROSECONDS_PER_SECOND = 1000000 };

/* The numbers of the region that belong to this module. */
enum limits_number {
    LIMITS_HOST = SHM_NUMBERS_OF_LIMITS, /* identifies the host; 0 = not drawn yet */
    LIMITS_HOSTS,                        /* that lived when the server answered last */
    LIMITS_BEAT_AT,                      /* CLOCK_BOOTTIME, microseconds */
    LIMITS_ALONE,                        /* decisions without the server */
    LIMITS_EPOCH,                        /* of what the server remembers; 0 = not known yet */
    LIMITS_BACK_AT, /* when the server came back: CLOCK_BOOTTIME, microseconds; 0 = never */
};

struct limits {
    struct redis *redis;
    struct shm_region *region;
    const char *service;
    struct breaker_rule rule; /* of the breaker on the server */
    int64_t host_us, lease_us;
    char host[24];
    struct redis_script rates, places, beat, breakers;
};

/* NULL = the limits are those of this host. */
struct limits *limits_of(const struct shm_region *region);

/* Text of a whole number, for the arguments of a script. */
struct limits_text {
    char text[24];
};
const char *limits_number(struct limits_text *text, int64_t number);

/* The key of a text in the server; `kind` says what it is. */
void limits_key(const struct limits *limits, const char *kind, const char *name,
                char key[LIMITS_KEY_MAX]);

/* Runs a script, unless the server failed a moment ago. False without a reply of `count` numbers.
 * Only a beat tries a server that failed. */
bool limits_run(struct limits *limits, const struct redis_script *script, const char *key,
                const struct redis_arguments *arguments, int64_t *numbers, size_t count);
bool limits_probe(struct limits *limits, const struct redis_script *script, const char *key,
                  const struct redis_arguments *arguments, int64_t *numbers, size_t count);

/* Tells the state of this host's breakers, and hears that of others. */
void limits_exchange_breakers(struct limits *limits);

/* Microseconds since the boot, time asleep included. */
int64_t limits_now(void);

/* A part of a limit: at least 1, and 0 of 0. */
uint32_t limits_part(uint32_t most, int64_t hosts);

extern const char limits_rates_script[], limits_places_script[], limits_breakers_script[];
/* The script of the rates without its first line, which sets `now`: for tests with a clock of their
 * own. */
extern const char limits_rates_arithmetic[];

#endif
