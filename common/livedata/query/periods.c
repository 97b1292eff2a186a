/* Periods of questions. mktime() computes dates with the zone's changes of clock; the process's
 * zone is restored after the question was read. */
#include "livedata/query/periods.h"

#include "base/text.h"
#include "base/zone.h"
#include "livedata/timestamp.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

enum { DAYS_MOST = 3650 };

static const char *const weekdays[] = {"sunday",   "monday", "tuesday",  "wednesday",
                                       "thursday", "friday", "saturday", NULL};
static const char *const months[] = {"january",  "february", "march",  "april",     "may",
                                     "june",     "july",     "august", "september", "october",
                                     "november", "december", NULL};
static const char *const ordinals[] = {"st", "nd", "rd", "th", NULL};

struct reader {
    struct question_words *words;
    int64_t now;
    struct tm today; /* what the clock of the zone shows now */
};

/* A time of the calendar; months and days may overflow. */
static int64_t moment_of(int year, int month, int day, int hour)
{
    struct tm tm = {
        .tm_year = year, .tm_mon = month, .tm_mday = day, .tm_hour = hour, .tm_isdst = -1};

    return (int64_t)mktime(&tm) * us_per_second;
}

static void set_days(const struct reader *reader, int first, int count, struct period *period)
{
    const struct tm *today = &reader->today;

    *period = (struct period){
        .kind = PERIOD_CALENDAR,
        .from = moment_of(today->tm_year, today->tm_mon, today->tm_mday + first, 0),
        .to = moment_of(today->tm_year, today->tm_mon, today->tm_mday + first + count, 0),
        .today = !first && count == 1};
}

static void set_months(int year, int month, int count, struct period *period)
{
    *period = (struct period){.kind = PERIOD_CALENDAR,
                              .from = moment_of(year, month, 1, 0),
                              .to = moment_of(year, month + count, 1, 0)};
}

static int position_in(const struct reader *reader, size_t at, const char *const *list,
                       size_t least)
{
    const char *text = at < reader->words->count ? reader->words->items[at].text : "";

    for (int i = 0; list[i]; i++)
        if (strcmp(list[i], text) == 0 ||
            (strlen(text) == least && strncmp(list[i], text, least) == 0))
            return i;
    return -1;
}

/* A day, week, month or year, that many before the current one. */
static bool read_unit(const struct reader *reader, size_t at, int before, struct period *period)
{
    const struct question_words *words = reader->words;
    const struct tm *today = &reader->today;
    int since_monday = (today->tm_wday + 6) % 7;

    if (word_is(words, at, "day") && !before)
        set_days(reader, 0, 1, period);
    else if (word_is(words, at, "week"))
        set_days(reader, -since_monday - 7 * before, 7, period);
    else if (word_is(words, at, "month"))
        set_months(today->tm_year, today->tm_mon - before, 1, period);
    else if (word_is(words, at, "year"))
        set_months(today->tm_year - before, 0, 12, period);
    else if (word_is(words, at, "hour") && !before)
        *period = (struct period){
            .kind = PERIOD_CALENDAR,
            .from = moment_of(today->tm_year, today->tm_mon, today->tm_mday, today->tm_hour),
            .to = moment_of(today->tm_year, today->tm_mon, today->tm_mday, today->tm_hour + 1)};
    else
        return false;
    return true;
}

/* The latest one, today included; with `last` the one before today. */
static bool read_weekday(const struct reader *reader, size_t at, bool last, struct period *period)
{
    int day = position_in(reader, at, weekdays, 3), ago;

    if (day < 0)
        return false;
    ago = (reader->today.tm_wday - day + 7) % 7;
    set_days(reader, last && !ago ? -7 : -ago, 1, period);
    return true;
}

static bool whole_number(const struct reader *reader, size_t at, int least, int most, int *number)
{
    const struct question_word *word = &reader->words->items[at];

    if (at >= reader->words->count || !word->number || word->value < least || word->value > most ||
        word->value != (int)word->value)
        return false;
    *number = (int)word->value;
    return true;
}

/* So many digits and no more. */
static bool read_digits(const char *text, size_t count, int *number)
{
    *number = 0;
    for (size_t i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *number = *number * 10 + (text[i] - '0');
    }
    return text[count] == '\0' || text[count] == '-';
}

/* 2026-11-01, 2026-11 */
static bool read_iso(const struct reader *reader, size_t at, struct period *period)
{
    const char *text = reader->words->items[at].text;
    size_t length = strlen(text);
    int year, month, day;
    struct tm check;

    if ((length != 7 && length != 10) || !read_digits(text, 4, &year) ||
        !read_digits(text + 5, 2, &month) || month < 1 || month > 12)
        return false;
    if (length == 7) {
        set_months(year - 1900, month - 1, 1, period);
        return true;
    }
    if (!read_digits(text + 8, 2, &day))
        return false;
    check =
        (struct tm){.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_isdst = -1};
    if (mktime(&check) == -1 || check.tm_mday != day || check.tm_mon != month - 1)
        return false;
    *period = (struct period){.kind = PERIOD_CALENDAR,
                              .from = moment_of(year - 1900, month - 1, day, 0),
                              .to = moment_of(year - 1900, month - 1, day + 1, 0)};
    return true;
}

/* November, November 3, November 3rd 2026, 3 November 2026. Without a year, the latest year in
 * which the date has begun. */
static size_t read_month(const struct reader *reader, size_t at, struct period *period)
{
    size_t start = at;
    int day = 0, year = 0, month;
    bool named;

    if (whole_number(reader, at, 1, 31, &day)) {
        at++;
        at += word_is_one_of(reader->words, at, ordinals);
        at += word_is(reader->words, at, "of");
    }
    month = position_in(reader, at, months, 3);
    if (month < 0)
        return 0;
    at++;
    if (!day && whole_number(reader, at, 1, 31, &day)) {
        at++;
        at += word_is_one_of(reader->words, at, ordinals);
    }
    named = whole_number(reader, at, 1970, 2199, &year);
    at += named;
    year = named ? year - 1900 : reader->today.tm_year;
    if (!named && moment_of(year, month, day ? day : 1, 0) > reader->now)
        year--;
    set_months(year, month, 1, period);
    if (day)
        *period = (struct period){.kind = PERIOD_CALENDAR,
                                  .from = moment_of(year, month, day, 0),
                                  .to = moment_of(year, month, day + 1, 0)};
    return at - start;
}

/* "May" and "march" are months only beside a number or after a preposition. */
static bool is_plain_word(const struct reader *reader, size_t at)
{
    static const char *const before[] = {"in",     "since", "from", "until",  "till",    "to", "of",
                                         "before", "after", "and",  "during", "between", NULL};
    int number;

    if (!word_is(reader->words, at, "may") && !word_is(reader->words, at, "march"))
        return false;
    return !(at && word_is_one_of(reader->words, at - 1, before)) &&
           !whole_number(reader, at + 1, 1, 2199, &number);
}

/* A calendar period that begins at the word; how many words it has, 0 = none. */
static size_t read_point(const struct reader *reader, size_t at, struct period *period)
{
    static const char *const present[] = {"this", "current", NULL};
    static const char *const before[] = {"last", "previous", NULL};
    static const char *const years[] = {"in", "since",  "from", "until",
                                        "of", "during", "year", NULL};
    const struct question_words *words = reader->words;
    int year;
    size_t length;

    if (!word_is_free(words, at))
        return 0;
    if (word_is(words, at, "the"))
        return (length = read_point(reader, at + 1, period)) ? length + 1 : 0;
    if (word_is(words, at, "today") || word_is(words, at, "yesterday")) {
        set_days(reader, word_is(words, at, "today") ? 0 : -1, 1, period);
        return 1;
    }
    if (word_is_one_of(words, at, present))
        return read_unit(reader, at + 1, 0, period) ? 2 : 0;
    if (word_is_one_of(words, at, before))
        return read_unit(reader, at + 1, 1, period) || read_weekday(reader, at + 1, true, period)
                   ? 2
                   : 0;
    if (read_weekday(reader, at, false, period) || read_iso(reader, at, period))
        return 1;
    length = is_plain_word(reader, at) ? 0 : read_month(reader, at, period);
    if (length)
        return length;
    if (at && word_is_one_of(words, at - 1, years) && whole_number(reader, at, 1970, 2199, &year)) {
        set_months(year - 1900, 0, 12, period);
        return 1;
    }
    return 0;
}

/* A time of a day; the day may be missing. */
struct day_time {
    int64_t day; /* its beginning; 0 = none */
    int seconds; /* since then, by the clock */
};

enum { NOON = 12 * 3600, MIDNIGHT = 24 * 3600 };

/* Of "9 am" and "12:30 pm"; past the end of the day for other hours. */
static int half_seconds(int seconds, bool pm)
{
    if (seconds < 3600 || seconds >= NOON + 3600)
        return MIDNIGHT + 1;
    return seconds % NOON + (pm ? NOON : 0);
}

/* "9:00", "14:30:15", "9am"; past the end of the day where it is no time. */
static int clock_seconds(const char *text)
{
    int parts[3] = {0}, seconds;

    for (int part = 0; part < 3 && isdigit((unsigned char)*text); part++) {
        for (; isdigit((unsigned char)*text); text++)
            parts[part] = parts[part] * 10 + (*text - '0');
        text += *text == ':';
    }
    if (parts[1] >= 60 || parts[2] >= 60)
        return MIDNIGHT + 1;
    seconds = parts[0] * 3600 + parts[1] * 60 + parts[2];
    return *text ? half_seconds(seconds, *text == 'p') : seconds;
}

/* "o'clock", "am" and "pm" as words of their own; how many words. */
static size_t read_half(const struct reader *reader, size_t at, int *seconds)
{
    const struct question_words *words = reader->words;
    bool pm = word_is(words, at, "pm");

    if (word_is(words, at, "oclock"))
        return 1;
    if (word_is(words, at, "o") && word_is(words, at + 1, "clock"))
        return 2;
    if (!pm && !word_is(words, at, "am"))
        return 0;
    *seconds = half_seconds(*seconds, pm);
    return 1;
}

/* "9:00", "9 am", "9 o'clock", "noon"; a plain number is none. */
static size_t read_clock(const struct reader *reader, size_t at, int *seconds)
{
    const char *text = at < reader->words->count ? reader->words->items[at].text : "";
    bool clock = *text && clock_length(text) == strlen(text);
    size_t half;
    int hours;

    if (!word_is_free(reader->words, at))
        return 0;
    *seconds = NOON;
    if (word_is(reader->words, at, "noon"))
        return 1;
    if (!clock && !whole_number(reader, at, 0, 24, &hours))
        return 0;
    *seconds = clock ? clock_seconds(text) : hours * 3600;
    half = read_half(reader, at + 1, seconds);
    return (clock || half) && *seconds <= MIDNIGHT ? 1 + half : 0;
}

static bool is_one_day(const struct period *period)
{
    enum { SHORTEST = 22, LONGEST = 26 }; /* hours, where the clock is changed */
    int64_t length = period->to - period->from;

    return period->from && length >= SHORTEST * us_per_hour && length <= LONGEST * us_per_hour;
}

/* The beginning of a day: "today", "on Monday", "November 3". */
static size_t read_day(const struct reader *reader, size_t at, int64_t *day)
{
    size_t on = word_is(reader->words, at, "on") || word_is(reader->words, at, "of");
    struct period period = {0};
    size_t length = read_point(reader, at + on, &period);

    if (!length || !is_one_day(&period))
        return 0;
    *day = period.from;
    return on + length;
}

/* "9:00", "9:00 yesterday", "yesterday at 9:00". */
static size_t read_day_time(const struct reader *reader, size_t at, struct day_time *time)
{
    size_t before, clock;

    *time = (struct day_time){0};
    before = read_day(reader, at, &time->day);
    at += before;
    if (before && word_is(reader->words, at, "at")) {
        before++;
        at++;
    }
    if (word_is(reader->words, at, "the")) {
        before++;
        at++;
    }
    clock = read_clock(reader, at, &time->seconds);
    if (!clock)
        return 0;
    return before + clock + (time->day ? 0 : read_day(reader, at + clock, &time->day));
}

static int64_t day_moment(int64_t day, int seconds)
{
    time_t start = (time_t)(day / us_per_second);
    struct tm tm;

    localtime_r(&start, &tm);
    tm.tm_hour = seconds / 3600;
    tm.tm_min = seconds / 60 % 60;
    tm.tm_sec = seconds % 60;
    tm.tm_isdst = -1;
    return (int64_t)mktime(&tm) * us_per_second;
}

/* "between 9:00 and 12:00", "from 9 am to noon", of the day that one of the times has or that
 * stands before it. Without a day it could be those hours of every day. */
static size_t read_hours(const struct reader *reader, size_t at, int64_t day, struct period *period)
{
    static const char *const until[] = {"to", "until", "till", NULL};
    bool between = word_is(reader->words, at, "between");
    struct day_time from, to;
    size_t first, second, start = at + 1;

    if (!between && !word_is(reader->words, at, "from") && !word_is(reader->words, at, "since"))
        return 0;
    first = read_day_time(reader, start, &from);
    if (!first || !(between ? word_is(reader->words, start + first, "and")
                            : word_is_one_of(reader->words, start + first, until)))
        return 0;
    second = read_day_time(reader, start + first + 1, &to);
    if (!second)
        return 0;
    to.day = to.day ? to.day : day ? day : from.day;
    from.day = from.day ? from.day : day ? day : to.day;
    if (!from.day)
        return 0;
    *period = (struct period){.kind = PERIOD_CALENDAR,
                              .from = day_moment(from.day, from.seconds),
                              .to = day_moment(to.day, to.seconds)};
    return period->to > period->from ? start + first + 1 + second - at : 0;
}

/* "since 9:00" until now; "after 9:00" and "before 9:00" of the day that is named, or of today. */
static size_t read_bounded_hours(const struct reader *reader, size_t at, int64_t day,
                                 struct period *period)
{
    static const char *const ends[] = {"before", "until", "till", NULL};
    bool since = word_is(reader->words, at, "since"), after = word_is(reader->words, at, "after");
    struct day_time time;
    struct period all;
    size_t length;

    if (!since && !after && !word_is_one_of(reader->words, at, ends))
        return 0;
    length = read_day_time(reader, at + 1, &time);
    if (!length)
        return 0;
    set_days(reader, 0, 1, &all);
    time.day = time.day ? time.day : day ? day : all.from;
    *period =
        (struct period){.kind = PERIOD_CALENDAR,
                        .from = day_moment(time.day, since || after ? time.seconds : 0),
                        .to = since ? 0 : day_moment(time.day, after ? MIDNIGHT : time.seconds)};
    return since || period->to > period->from ? length + 1 : 0;
}

/* Times of a day, also behind it: "today between 9:00 and 12:00". */
static size_t read_times(const struct reader *reader, size_t at, struct period *period)
{
    int64_t day = 0;
    size_t before = read_day(reader, at, &day);
    size_t length = read_hours(reader, at + before, day, period);

    if (!length)
        length = read_bounded_hours(reader, at + before, day, period);
    return length ? before + length : 0;
}

/* Hours, days, weeks... that end now; months are counted back in the calendar. */
static size_t read_duration(const struct reader *reader, size_t at, struct period *period)
{
    static const char *const heads[] = {"last", "past", "previous", NULL};
    static const struct {
        const char *unit, *words[7];
        int64_t times;
    } units[] = {{"minutes", {"minute", "minutes", "min", "mins", "m"}, 1},
                 {"hours", {"hour", "hours", "hr", "hrs", "h"}, 1},
                 {"days", {"day", "days", "d"}, 1},
                 {"days", {"week", "weeks", "w"}, 7}};
    static const char *const month_words[] = {"month", "months", NULL};
    const struct question_words *words = reader->words;
    const struct question_word *amount = &words->items[at + 1];
    bool past = word_is(words, at, "past"), counted;
    double number = 1;
    size_t unit;

    if (!word_is_free(words, at) || !word_is_one_of(words, at, heads) || at + 1 >= words->count)
        return 0;
    counted = amount->number && amount->value >= 1;
    number = counted ? amount->value : 1;
    unit = at + 1 + counted;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        int64_t most = DAYS_MOST * (i == 0 ? 1440 : i == 1 ? 24 : 1) / units[i].times;

        if (!word_is_one_of(words, unit, units[i].words) || (i == 3 && !counted && !past))
            continue;
        if (number != (double)(int64_t)number && number < 1e15)
            return 0;
        *period = (struct period){
            .kind = PERIOD_DURATION, .unit = units[i].unit, .clamped = number > (double)most};
        period->amount = (period->clamped ? most : (int64_t)number) * units[i].times;
        return unit + 1 - at;
    }
    if (!word_is_one_of(words, unit, month_words) || number > 120 || (!counted && !past))
        return 0;
    *period =
        (struct period){.kind = PERIOD_CALENDAR,
                        .from = moment_of(reader->today.tm_year, reader->today.tm_mon - (int)number,
                                          reader->today.tm_mday, 0)};
    return unit + 1 - at;
}

/* "between A and B", "from A to B", "since A until B", "A to B": from the beginning of A to the end
 * of B. */
static size_t read_range(const struct reader *reader, size_t at, struct period *period)
{
    static const char *const until[] = {"to", "until", "till", "through", NULL};
    bool between = word_is(reader->words, at, "between");
    size_t start =
        at + (between || word_is(reader->words, at, "from") || word_is(reader->words, at, "since"));
    size_t first = read_point(reader, start, period), second;
    struct period end;

    if (!first || (between ? !word_is(reader->words, start + first, "and")
                           : !word_is_one_of(reader->words, start + first, until)))
        return 0;
    second = read_point(reader, start + first + 1, &end);
    if (!second || end.to <= period->from)
        return 0;
    period->to = end.to;
    period->today = false;
    return start + first + 1 + second - at;
}

/* Whether the words join two days: "and" after "between", else "to". "by" is what other languages
 * have there. */
static bool joins_days(const struct reader *reader, size_t at, bool between)
{
    static const char *const until[] = {"to", "until", "till", "through", "by", NULL};

    return between ? word_is(reader->words, at, "and") : word_is_one_of(reader->words, at, until);
}

static void set_day(int64_t moment, int day, bool next, int64_t *bound)
{
    time_t seconds = (time_t)(moment / us_per_second);
    struct tm tm;

    localtime_r(&seconds, &tm);
    *bound = moment_of(tm.tm_year, tm.tm_mon, day + next, 0);
}

/* "from 3 to 10 November", "between November 3 and 10": days of one month. */
static size_t read_days(const struct reader *reader, size_t at, struct period *period)
{
    bool between = word_is(reader->words, at, "between");
    size_t start = at + 1, length;
    struct period other;
    int day;

    if (!between && !word_is(reader->words, at, "from") && !word_is(reader->words, at, "since"))
        return 0;
    length = read_month(reader, start, period);
    if (length && is_one_day(period) && joins_days(reader, start + length, between) &&
        whole_number(reader, start + length + 1, 1, 31, &day) &&
        !read_point(reader, start + length + 1, &other)) {
        set_day(period->from, day, true, &period->to);
        return period->to > period->from + 24 * us_per_hour ? start + length + 2 - at : 0;
    }
    if (!whole_number(reader, start, 1, 31, &day))
        return 0;
    start++;
    start += word_is_one_of(reader->words, start, ordinals);
    if (!joins_days(reader, start, between))
        return 0;
    length = read_month(reader, ++start, period);
    if (!length || !is_one_day(period))
        return 0;
    set_day(period->from, day, false, &period->from);
    return period->to > period->from + 24 * us_per_hour ? start + length - at : 0;
}

/* "from A on"; "from A" alone is of A. */
static size_t read_onward(const struct reader *reader, size_t at, struct period *period)
{
    static const char *const ends[] = {"on", "onwards", "onward", NULL};
    size_t length = word_is(reader->words, at, "from") ? read_point(reader, at + 1, period) : 0;

    if (!length || !word_is_one_of(reader->words, at + 1 + length, ends))
        return 0;
    period->to = 0;
    period->today = false;
    return length + 2;
}

/* "since A", "after A", "before A", "until A". */
static size_t read_bounded(const struct reader *reader, size_t at, struct period *period)
{
    static const struct {
        const char *word;
        bool begins; /* the period begins there; else it ends there */
        bool after;  /* the end of A counts, not its beginning */
    } bounds[] = {{"since", true, false},
                  {"after", true, true},
                  {"before", false, false},
                  {"until", false, true},
                  {"till", false, true}};
    size_t length;

    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        int64_t bound;

        if (!word_is(reader->words, at, bounds[i].word))
            continue;
        length = read_point(reader, at + 1, period);
        if (!length)
            return 0;
        bound = bounds[i].after ? period->to : period->from;
        *period = (struct period){.kind = PERIOD_CALENDAR,
                                  .from = bounds[i].begins ? bound : 0,
                                  .to = bounds[i].begins ? 0 : bound};
        return length + 1;
    }
    return 0;
}

static void find(const struct reader *reader, struct period *period)
{
    static size_t (*const forms[])(const struct reader *, size_t, struct period *) = {
        read_times, read_days, read_range, read_onward, read_bounded, read_duration, read_point};

    for (size_t at = 0; at < reader->words->count; at++)
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
            size_t length = forms[i](reader, at, period);

            if (length) {
                words_take(reader->words, at, length, SLOT_PERIOD);
                return;
            }
        }
    *period = (struct period){0};
}

void period_read(struct question_words *words, const char *zone, int64_t now, struct period *period)
{
    struct reader reader = {.words = words, .now = now};
    struct kept_zone kept = zone_enter(zone);
    time_t seconds = (time_t)(now / us_per_second);

    localtime_r(&seconds, &reader.today);
    find(&reader, period);
    zone_leave(&kept);
}

static void append_moment(struct text *text, const char *word, int64_t timestamp)
{
    time_t seconds = (time_t)(timestamp / us_per_second);
    char shown[32];
    struct tm tm;

    localtime_r(&seconds, &tm);
    (void)!strftime(shown, sizeof shown, "%Y-%m-%d %H:%M", &tm);
    text_append_format(text, "%s%s %s", text->length ? " " : "", word, shown);
}

const char *period_text(struct arena *arena, const struct period *period, const char *zone)
{
    struct kept_zone kept;
    struct text text;

    if (period->kind == PERIOD_DURATION)
        return period->amount == 1 ? arena_print(arena, "in the last %.*s",
                                                 (int)strlen(period->unit) - 1, period->unit)
                                   : arena_print(arena, "in the last %lld %s",
                                                 (long long)period->amount, period->unit);
    if (period->kind != PERIOD_CALENDAR)
        return "of all time";
    kept = zone_enter(zone);
    text_start(&text, arena, 200);
    if (period->from)
        append_moment(&text, "from", period->from);
    if (period->to)
        append_moment(&text, "until", period->to);
    zone_leave(&kept);
    text_append_format(&text, " (%s)", zone);
    return text.bytes;
}
