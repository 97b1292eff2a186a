/* ISO weeks by counting days from a Monday. */
#include "support/trends/week.h"
#include "base/clock.h"
#include "base/timestamp.h"

#include <stdlib.h>
#include <string.h>

static const int64_t day = INT64_C(86400000000);

/* Days since 1970-01-01, which was a Thursday; floored. */
static int64_t days_of(int64_t moment)
{
    return moment >= 0 ? moment / day : -((day - 1 - moment) / day);
}

/* 0 = Monday. */
static int64_t weekday(int64_t days)
{
    return ((days + 3) % 7 + 7) % 7;
}

static int64_t days_of_year(struct arena *arena, int64_t year)
{
    int64_t moment = 0;

    if (!timestamp_from_text(arena_print(arena, "%04lld-01-01", (long long)year), &moment))
        return 0;
    return days_of(moment);
}

/* The Monday of week 1: the week of the 4th of January. */
static int64_t first_monday(int64_t new_year)
{
    int64_t fourth = new_year + 3;

    return fourth - weekday(fourth);
}

const char *week_date(struct arena *arena, int64_t moment)
{
    char text[CLOCK_TEXT_MAX];

    clock_format(moment, text);
    return arena_copy(arena, text, 10);
}

const char *week_of(struct arena *arena, int64_t moment)
{
    int64_t days = days_of(moment), thursday = days - weekday(days) + 3;
    long year = strtol(week_date(arena, thursday * day), NULL, 10);
    int64_t monday = first_monday(days_of_year(arena, year));

    monday = (thursday - 3 - monday) / 7;
    return arena_print(arena, "%04ld-W%02lld", year, (long long)monday + 1);
}

bool week_parse(const char *text, int64_t *start)
{
    char year[] = "0000-01-04";
    long week;
    int64_t fourth, days;

    if (strlen(text) != 8 || strspn(text, "0123456789") != 4 || strncmp(text + 4, "-W", 2) != 0 ||
        strspn(text + 6, "0123456789") != 2)
        return false;
    memcpy(year, text, 4);
    week = strtol(text + 6, NULL, 10);
    if (week < 1 || week > 53 || !timestamp_from_text(year, &fourth))
        return false;
    days = days_of(fourth);
    days += (week - 1) * 7 - weekday(days);
    *start = days * day;
    /* Week 53 is of this year when its Thursday is. */
    memcpy(year + 4, "-12-31", 6);
    return week < 53 || (timestamp_from_text(year, &fourth) && days + 3 <= days_of(fourth));
}
