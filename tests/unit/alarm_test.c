/* Guardrail alarms: when they are raised, what they compare with, and when they are stale. */
#include "experiments/alarms/alarm.h"
#include "test.h"

static const int64_t second = 1000000, start = 1700000000000000;

static struct alarm alarm_of(enum alarm_condition condition, double threshold)
{
    return (struct alarm){.metric = "revenue",
                          .window = "1h",
                          .condition = (int)condition,
                          .threshold = threshold,
                          .stale_seconds = GIVEN_NUMBER(60)};
}

/* What it is after a reading. */
static enum alarm_status take_value(struct alarm *alarm, double value, int64_t at)
{
    const struct alarm_reading reading = {
        .value = GIVEN_NUMBER(value), .unit = "EUR", .read_at = at};

    alarm_take(alarm, &reading, at);
    return alarm_status_at(alarm, at);
}

static void test_a_value_at_the_threshold_is_in_order(void)
{
    struct alarm above = alarm_of(ALARM_ABOVE, 5), below = alarm_of(ALARM_BELOW, 5);

    CHECK(alarm_status_at(&above, start) == ALARM_UNREAD);
    CHECK(take_value(&above, 5, start) == ALARM_QUIET);
    CHECK(take_value(&above, 5.001, start + second) == ALARM_RAISED);
    CHECK(above.raised_at == start + second);
    CHECK(take_value(&above, 6, start + 2 * second) == ALARM_RAISED);
    CHECK(above.raised_at == start + second);
    CHECK(take_value(&above, 4, start + 3 * second) == ALARM_QUIET);
    CHECK(above.raised_at == 0);
    CHECK(take_value(&below, 5, start) == ALARM_QUIET);
    CHECK(take_value(&below, 4.999, start) == ALARM_RAISED);
}

static void test_a_change_is_measured_from_the_reference(void)
{
    struct alarm first = alarm_of(ALARM_CHANGED, 10), negative = alarm_of(ALARM_CHANGED, 10);

    CHECK(take_value(&first, 100, start) == ALARM_QUIET);
    CHECK(first.reference.given && first.reference.value == 100 && first.reference_at == start);
    CHECK(take_value(&first, 110, start) == ALARM_QUIET);
    CHECK(take_value(&first, 111, start) == ALARM_RAISED);
    CHECK(take_value(&first, 89, start) == ALARM_RAISED);
    CHECK(first.reference.value == 100);
    negative.reference = GIVEN_NUMBER(-100);
    CHECK(take_value(&negative, -95, start) == ALARM_QUIET);
    CHECK(take_value(&negative, -80, start) == ALARM_RAISED);
    CHECK(negative.reference_at == 0);
}

static void test_nothing_is_compared_with_0(void)
{
    struct alarm first = alarm_of(ALARM_CHANGED, 10), stored = alarm_of(ALARM_CHANGED, 10);

    CHECK(take_value(&first, 0, start) == ALARM_QUIET);
    CHECK(!first.reference.given && first.reference_at == 0);
    CHECK(take_value(&first, 4, start + second) == ALARM_QUIET);
    CHECK(first.reference.value == 4 && first.reference_at == start + second);
    CHECK(take_value(&first, 0, start + 2 * second) == ALARM_RAISED);
    stored.reference = GIVEN_NUMBER(0);
    CHECK(take_value(&stored, 7, start) == ALARM_QUIET && stored.reference.value == 7);
}

static void test_a_stale_reading_begins_and_ends_nothing(void)
{
    struct alarm below = alarm_of(ALARM_BELOW, 5), above = alarm_of(ALARM_ABOVE, 5);
    struct alarm change = alarm_of(ALARM_CHANGED, 10);
    struct alarm_reading late = {.value = GIVEN_NUMBER(0),
                                 .unit = "EUR",
                                 .read_at = start + second,
                                 .event_age_seconds = GIVEN_NUMBER(31)};

    below.event_age_seconds_max = above.event_age_seconds_max = GIVEN_NUMBER(30);
    CHECK(take_value(&below, 6, start) == ALARM_QUIET);
    CHECK(take_value(&above, 6, start) == ALARM_RAISED);
    alarm_take(&below, &late, start + second);
    alarm_take(&above, &late, start + second);
    CHECK(below.raised_at == 0 && above.raised_at == start);
    CHECK(above.value.given && above.value.value == 0);
    CHECK(alarm_status_at(&above, start + second) == ALARM_STALE);
    late.value = GIVEN_NUMBER(9);
    late.event_age_seconds.given = false;
    alarm_take(&change, &late, start + 62 * second); /* live data computed it long ago */
    CHECK(!change.reference.given);
    CHECK(take_value(&above, 4, start + 2 * second) == ALARM_QUIET);
}

static void test_without_a_value_nothing_begins_or_ends(void)
{
    const struct alarm_reading nothing = {.unit = "EUR", .read_at = start + second};
    struct alarm alarm = alarm_of(ALARM_ABOVE, 5);

    CHECK(take_value(&alarm, 6, start) == ALARM_RAISED);
    alarm_take(&alarm, &nothing, start + second);
    CHECK(alarm_status_at(&alarm, start + second) == ALARM_NO_VALUE);
    CHECK(alarm.raised_at == start);
}

static void test_what_was_read_too_long_ago_is_stale(void)
{
    struct alarm alarm = alarm_of(ALARM_ABOVE, 5);

    CHECK(take_value(&alarm, 6, start) == ALARM_RAISED);
    CHECK(alarm_status_at(&alarm, start + 60 * second) == ALARM_RAISED);
    CHECK(alarm_status_at(&alarm, start + 61 * second) == ALARM_STALE);
    alarm.archived_at = start + 10 * second;
    CHECK(alarm_status_at(&alarm, start + 100 * second) == ALARM_RAISED);
    alarm.archived_at = 0;
    alarm.event_age_seconds = GIVEN_NUMBER(25);
    alarm.event_age_seconds_max = GIVEN_NUMBER(30);
    CHECK(alarm_status_at(&alarm, start + 5 * second) == ALARM_RAISED);
    CHECK(alarm_status_at(&alarm, start + 6 * second) == ALARM_STALE);
}

static void test_names_are_those_of_a_status(void)
{
    struct arena *arena = arena_create(1 << 20);
    struct alarm items[] = {alarm_of(ALARM_ABOVE, 1), alarm_of(ALARM_ABOVE, 1),
                            alarm_of(ALARM_ABOVE, 1)};
    const struct alarm_list alarms = {3, items};

    CHECK(alarm_names(&alarms, ALARM_RAISED, arena) == NULL);
    items[0].status = items[2].status = ALARM_RAISED;
    items[2].metric = "error_rate";
    CHECK_TEXT(alarm_names(&alarms, ALARM_RAISED, arena), "revenue (1h), error_rate (1h)");
    arena_destroy(arena);
}

TEST_MAIN(CASE(a_value_at_the_threshold_is_in_order), CASE(a_change_is_measured_from_the_reference),
          CASE(nothing_is_compared_with_0), CASE(a_stale_reading_begins_and_ends_nothing),
          CASE(without_a_value_nothing_begins_or_ends), CASE(what_was_read_too_long_ago_is_stale),
          CASE(names_are_those_of_a_status))
