/* Writes one day of a simulated experiment as NDJSON for events-load. The same options give the
 * same bytes; exposures and conversions are consistent. `--help` lists the options and exit
 * codes. */
#include "base/clock.h"
#include "base/help.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "math/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: events-generate exposures|conversions [--people N] [--arms N] [--rate R]\n"
    "                       [--uplift PERCENT] [--seed N] [--day YYYY-MM-DD]\n"
    "\n"
    "Writes one day of a simulated experiment as NDJSON for events-load. The same\n"
    "options give the same bytes; exposures and conversions fit each other.\n"
    "\n"
    "  --people N        Users, each exposed once (20000).\n"
    "  --arms N          Variants, the control included (2).\n"
    "  --rate R          Conversion rate of the control (0.1).\n"
    "  --uplift PERCENT  Relative lift of each further variant over the one before (0).\n"
    "  --seed N          Seed of the random numbers (1).\n"
    "  --day YYYY-MM-DD  The day (2026-05-01).\n"
    "\n"
    "Exit codes: 0 done; 2 the command line is wrong; 3 the output cannot be written.\n";

enum { EXIT_DONE, EXIT_USAGE = 2, EXIT_WRITE = 3, DAY_SECONDS = 86400, ARMS_MOST = 10 };

struct day {
    bool conversions;
    int64_t people, arms, seed;
    double rate, uplift;
    int64_t start; /* microseconds since 1970 */
};

/* Each user has a separate stream of random numbers. */
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
    return strcmp(name, "--day") == 0 && timestamp_from_text(value, &day->start);
}

int main(int argc, char **argv)
{
    struct day day = {.people = 20000,
                      .arms = 2,
                      .seed = 1,
                      .rate = 0.1,
                      .start = INT64_C(1777593600000000)}; /* 2026-05-01 */
    bool good = argc >= 2 && argc % 2 == 0;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    day.conversions = good && strcmp(argv[1], "conversions") == 0;
    good = good && (day.conversions || strcmp(argv[1], "exposures") == 0);
    for (int i = 2; good && i < argc; i += 2)
        good = read_option(&day, argv[i], argv[i + 1]);
    if (!good) {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    for (int64_t person = 0; person < day.people && !ferror(stdout); person++)
        write_person(&day, person);
    return fflush(stdout) == 0 ? EXIT_DONE : EXIT_WRITE;
}
