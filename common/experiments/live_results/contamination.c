/* Adds up the days in their order; the alarm is the first end of a day with enough evidence. */
#include "experiments/live_results/contamination.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/timestamp.h"

#include <math.h>

enum { DATE_LENGTH = 10 };

static const double share_allowed = 0.001, alpha = 0.001, log_value_max = 690;
/* Times the allowed share. */
static const double larger[] = {1.5, 2, 3, 5, 10, 30, 100, 300};

/* Of `crossed` among `users`: the logarithm. */
static double log_e_value(int64_t crossed, int64_t users)
{
    const size_t count = COUNT_OF(larger);
    double logs[COUNT_OF(larger)], most = -INFINITY, sum = 0;

    for (size_t i = 0; i < count; i++) {
        logs[i] =
            (double)crossed * log(larger[i]) +
            (double)(users - crossed) * (log1p(-share_allowed * larger[i]) - log1p(-share_allowed));
        most = fmax(most, logs[i]);
    }
    for (size_t i = 0; i < count; i++)
        sum += exp(logs[i] - most);
    return most + log(sum / (double)count);
}

static const char *date_of(struct arena *arena, int64_t day)
{
    char text[CLOCK_TEXT_MAX];

    timestamp_to_z(day * INT64_C(86400) * 1000000, false, text);
    return arena_copy(arena, text, DATE_LENGTH);
}

/* The rows of one day together; returns their number. */
static size_t take_day(const struct live_results *results, const struct live_day *rows,
                       size_t count, struct quality_contamination_day *day)
{
    size_t taken = 0;

    *day = (struct quality_contamination_day){0};
    for (; taken < count && rows[taken].day == rows->day; taken++) {
        if (rows[taken].arm < 0 || (size_t)rows[taken].arm >= results->arms)
            continue;
        day->users += rows[taken].people;
        day->in_several_arms += rows[taken].crossed;
    }
    return taken;
}

bool live_results_contamination(const struct live_results *results,
                                const struct live_series *series, struct live_quality *quality)
{
    const struct live_day *rows = series->days.items;
    struct arena *arena = results->call->arena;
    struct quality_contamination_course *shown =
        ARENA_NEW(arena, struct quality_contamination_course);
    struct quality_contamination_day *days = NULL, day;
    int64_t users = 0, crossed = 0;
    double most = 0;

    *shown = (struct quality_contamination_course){.status = "insufficient_data"};
    quality->contamination_course = shown;
    for (size_t i = 0; i < series->days.count;) {
        int64_t number = rows[i].day;

        i += take_day(results, &rows[i], series->days.count - i, &day);
        users += day.users;
        crossed += day.in_several_arms;
        most = fmax(most, log_e_value(crossed, users));
        if (!shown->since && most >= -log(alpha))
            shown->since = date_of(arena, number);
        day.date = date_of(arena, number);
        if (day.in_several_arms)
            *ARRAY_ADD(arena, days, shown->days.count) = day;
    }
    shown->days.items = days;
    if (users == 0)
        return false;
    shown->e_value = GIVEN_NUMBER(exp(fmin(most, log_value_max)));
    shown->p_value = GIVEN_NUMBER(exp(-most));
    shown->is_contaminated = most >= -log(alpha);
    shown->status = shown->is_contaminated ? "contaminated" : "ok";
    return shown->is_contaminated;
}
