/* Makes up a day of an experiment, the same for the same numbers, as NDJSON for events-load.
 *
 *   events-generate exposures|conversions [--people N] [--arms N] [--rate R] [--uplift PERCENT]
 *                   [--seed N] [--day YYYY-MM-DD]
 *
 * Of N people (default 20000) every one is exposed at some time of the day, in one of the arms
 * (default 2); of the control a share R (default 0.1) buys within hours, of each further arm that
 * share and PERCENT (default 0) more of it per arm. Arms follow the seed and the person alone, so
 * that both files fit each other.
 *
 * Exit codes: 0 done, 2 the command line is wrong, 3 nobody reads what it writes. */
#include "base/clock.h"
#include "base/instant.h"
#include "base/number.h"
#include "math/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_DONE, EXIT_USAGE = 2, EXIT_WRITE = 3, DAY_SECONDS = 86400, ARMS_MOST = 10 };

struct day {
    bool conversions;
    int64_t people, arms, seed;
    double rate, uplift;
    int64_t start; /* microseconds since 1970 */
};

static const char usage[] = "usage: events-generate exposures|conversions [--people N] [--arms N]"
                            " [--rate R] [--uplift PERCENT] [--seed N] [--day YYYY-MM-DD]\n";

/* One person is a stream of random numbers of their own. */
static void write_person(const struct day *day, int64_t person)
{
    struct random random = random_start((uint64_t)day->seed, (uint64_t)person);
    int64_t arm = (int64_t)random_below(&random, (uint64_t)day->arms);
    int64_t seen = day->start + (int64_t)(random_uniform(&random) * DAY_SECONDS) * INT64_C(1000000);
    double rate = day->rate * (1 + (double)arm * day->uplift / 100);
    bool buys = random_uniform(&random) < rate;
    double hours = -log(random_uniform(&random)) * 2;
    double value = exp(3.5 + 0.6 * random_normal(&random));
    char text[CLOCK_TEXT_MAX];

    if (!day->conversions) {
        clock_format(seen, text);
        printf("{\"user_id\":\"visitor-%lld\",\"variation_index\":%lld,\"occurred_at\":\"%s\"}\n",
               (long long)person, (long long)arm, text);
    } else if (buys) {
        clock_format(seen + (int64_t)(hours * 3600e6), text);
        printf("{\"user_id\":\"visitor-%lld\",\"metric\":\"purchase\",\"value\":%.2f,"
               "\"idempotency_key\":\"order-%lld\",\"occurred_at\":\"%s\"}\n",
               (long long)person, value, (long long)person, text);
    }
}

static bool read_option(struct day *day, const char *name, const char *value)
{
    if (strcmp(name, "--people") == 0)
        return integer_parse(value, &day->people) && day->people > 0;
    if (strcmp(name, "--arms") == 0)
        return integer_parse(value, &day->arms) && day->arms > 1 && day->arms <= ARMS_MOST;
    if (strcmp(name, "--seed") == 0)
        return integer_parse(value, &day->seed);
    if (strcmp(name, "--rate") == 0)
        return number_parse(value, &day->rate) && day->rate >= 0 && day->rate <= 1;
    if (strcmp(name, "--uplift") == 0)
        return number_parse(value, &day->uplift);
    return strcmp(name, "--day") == 0 && instant_parse(value, &day->start);
}

int main(int argc, char **argv)
{
    struct day day = {.people = 20000,
                      .arms = 2,
                      .seed = 1,
                      .rate = 0.1,
                      .start = INT64_C(1777593600000000)}; /* 2026-05-01 */
    bool good = argc >= 2 && argc % 2 == 0;

    day.conversions = good && strcmp(argv[1], "conversions") == 0;
    good = good && (day.conversions || strcmp(argv[1], "exposures") == 0);
    for (int i = 2; good && i < argc; i += 2)
        good = read_option(&day, argv[i], argv[i + 1]);
    if (!good) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    for (int64_t person = 0; person < day.people && !ferror(stdout); person++)
        write_person(&day, person);
    return fflush(stdout) == 0 ? EXIT_DONE : EXIT_WRITE;
}
