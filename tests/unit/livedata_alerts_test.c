/* What an alert concludes from a look at its metric, without a clock or a receiver. */
#include "livedata/alerts/alert.h"
#include "livedata/timestamp.h"
#include "test.h"

static const int64_t begin = 1000000 * us_per_second, interval = 60 * us_per_second;

/* The last four are case G43 of the contract: a share of nothing is not defined, the sign decides.
 */
static const struct {
    enum alert_condition condition;
    double threshold, value;
    struct optional_number previous;
    bool triggered;
    struct optional_number change;
} readings[] = {
    {ALERT_ABOVE, 5, 5, {0}, false, {0}},
    {ALERT_ABOVE, 5, 5.0001, {0}, true, {0}},
    {ALERT_BELOW, 5, 5, {0}, false, {0}},
    {ALERT_BELOW, 5, 4.9999, {0}, true, {0}},
    {ALERT_CHANGE, 10, 110, {true, 100}, true, {true, 10}},
    {ALERT_CHANGE, 10, 109, {true, 100}, false, {true, 9}},
    {ALERT_CHANGE, 10, -90, {true, -100}, true, {true, 10}},
    {ALERT_CHANGE, 10, 100, {true, 300}, false, {true, -66.6667}},
    {ALERT_CHANGE, 200, 500, {true, 0}, true, {0}},
    {ALERT_CHANGE, 10, 0, {true, 0}, false, {true, 0}},
    {ALERT_CHANGE, -10, -5, {true, 0}, true, {0}},
    {ALERT_CHANGE, -10, 80, {true, 100}, true, {true, -20}},
};

TEST(conditions_hold_or_do_not)
{
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
        struct alert_reading reading;

        alert_read(readings[i].condition, readings[i].threshold, readings[i].value,
                   readings[i].previous, &reading);
        CHECK(!reading.no_data);
        CHECK_INT(reading.triggered, readings[i].triggered);
        CHECK_INT(reading.change_pct.given, readings[i].change.given);
        CHECK_NEAR(reading.change_pct.value, readings[i].change.value, 1e-9);
    }
}

TEST(without_a_value_nothing_begins_or_ends)
{
    struct alert_rule rule = {
        .state = ALERT_SUSTAINED, .fired_at = begin, .last_escalation_level = 2};
    struct alert_decision decision;
    struct alert_reading reading;

    alert_read(ALERT_CHANGE, 10, 110, (struct optional_number){0}, &reading);
    CHECK(reading.no_data);
    alert_decide_without_data(&rule, &decision);
    CHECK_INT(decision.notice, ALERT_SILENT);
    CHECK_INT(decision.state, ALERT_NO_DATA);
    CHECK(!decision.nothing_owed);
    rule.state = ALERT_NO_DATA;
    alert_decide(&rule, false, begin + 1, interval, &decision);
    CHECK_INT(decision.notice, ALERT_RESOLVES);
    CHECK_INT(decision.level, 2);
}

static struct alert_rule rule_of(const struct alert_step *steps, size_t count)
{
    struct alert_rule rule = {.webhook_url = "first", .cooldown_minutes = 30};

    CHECK_INT(alert_order_steps(&rule, steps, count), ERROR_NONE);
    return rule;
}

/* As storage does when all receivers have taken the notice. */
static void deliver(struct alert_rule *rule, const struct alert_decision *decision, int64_t now)
{
    rule->state = decision->delivered;
    rule->last_escalation_level = decision->delivered == ALERT_RESOLVED ? 0 : decision->level;
    rule->fired_at = decision->delivered == ALERT_RESOLVED ? 0
                     : rule->fired_at                      ? rule->fired_at
                                                           : now;
    if (decision->delivered != ALERT_RESOLVED)
        rule->last_triggered_at = now;
}

static struct alert_decision look(struct alert_rule *rule, bool triggered, double minutes)
{
    struct alert_decision decision;

    alert_decide(rule, triggered, begin + (int64_t)(minutes * 60e6), interval, &decision);
    rule->state = decision.state;
    return decision;
}

TEST(steps_stand_in_their_order)
{
    const struct alert_step steps[] = {
        {3, 20, "third"}, {1, 0, "ignored"}, {4, 5, "fourth"}, {2, 5, "second"}};
    static const char *const expected[] = {"first", "second", "fourth", "third"};
    struct alert_rule rule = rule_of(steps, 4);
    struct alert_step many[ALERT_STEPS_MAX];

    CHECK_INT(rule.step_count, 4);
    for (size_t i = 0; i < 4; i++)
        CHECK_TEXT(rule.steps[i].webhook_url, expected[i]);
    for (size_t i = 0; i < ALERT_STEPS_MAX; i++)
        many[i] = (struct alert_step){2, 5, "more"};
    CHECK_INT(alert_order_steps(&rule, many, ALERT_STEPS_MAX), ERROR_INVALID);
}

TEST(one_step_is_repeated_after_its_pause)
{
    struct alert_rule rule = rule_of(NULL, 0);
    struct alert_decision decision = look(&rule, false, 0);

    CHECK_INT(decision.notice, ALERT_SILENT);
    decision = look(&rule, true, 1);
    CHECK_INT(decision.notice, ALERT_TRIGGERS);
    CHECK_INT(rule.state, ALERT_OK); /* until somebody has heard of it */
    decision = look(&rule, true, 2);
    CHECK_INT(decision.notice, ALERT_TRIGGERS);
    deliver(&rule, &decision, begin + 2 * us_per_minute);
    CHECK_INT(rule.state, ALERT_FIRING);
    CHECK_INT(look(&rule, true, 31.9).notice, ALERT_SILENT);
    decision = look(&rule, true, 32);
    CHECK_INT(decision.notice, ALERT_SUSTAINS);
    deliver(&rule, &decision, begin + 32 * us_per_minute);
    CHECK_INT(look(&rule, true, 61).notice, ALERT_SILENT);
    decision = look(&rule, false, 62);
    CHECK_INT(decision.notice, ALERT_RESOLVES);
    CHECK_INT(decision.level, 1);
    CHECK_INT(rule.state, ALERT_SUSTAINED);
    deliver(&rule, &decision, begin + 62 * us_per_minute);
    CHECK_INT(rule.state, ALERT_RESOLVED);
    CHECK_INT(look(&rule, false, 63).notice, ALERT_SILENT);
    CHECK_INT(rule.state, ALERT_OK);
}

TEST(without_a_pause_the_interval_is_one)
{
    struct alert_rule rule = rule_of(NULL, 0);
    struct alert_decision decision = look(&rule, true, 0);

    rule.cooldown_minutes = 0;
    deliver(&rule, &decision, begin);
    CHECK_INT(look(&rule, true, 0.9).notice, ALERT_SILENT);
    CHECK_INT(look(&rule, true, 1).notice, ALERT_SUSTAINS);
}

TEST(levels_are_told_one_after_the_other)
{
    const struct alert_step steps[] = {{2, 5, "second"}, {3, 5, "third"}, {4, 60, "fourth"}};
    struct alert_rule rule = rule_of(steps, 3);
    struct alert_decision decision = look(&rule, true, 0);

    deliver(&rule, &decision, begin);
    CHECK_INT(look(&rule, true, 4.9).notice, ALERT_SILENT);
    for (int64_t level = 2; level <= 3; level++) {
        decision = look(&rule, true, 10);
        CHECK_INT(decision.notice, ALERT_ESCALATES);
        CHECK_INT(decision.level, level);
        deliver(&rule, &decision, begin + 10 * us_per_minute);
    }
    CHECK_INT(look(&rule, true, 59).notice, ALERT_SILENT); /* several steps: nothing is repeated */
    decision = look(&rule, false, 59);
    CHECK_INT(decision.notice, ALERT_RESOLVES);
    CHECK_INT(decision.level, 3); /* the fourth was never told */
}

/* As storage does when receivers have not taken the notice. */
static void fail(struct alert_rule *rule, const struct alert_decision *decision, int64_t since,
                 int64_t taken)
{
    rule->undelivered = (struct alert_undelivered){alert_notice_types[decision->notice], since,
                                                   "no connection", taken};
}

TEST(what_nobody_took_goes_to_those_who_are_left_and_then_to_the_next_level)
{
    const struct alert_step steps[] = {{1, 1, "also"}, {2, 5, "second"}};
    struct alert_rule rule = rule_of(steps, 2);
    struct alert_decision decision = look(&rule, true, 0);

    CHECK(alert_is_receiver(&rule, 0, &decision) && alert_is_receiver(&rule, 1, &decision));
    CHECK(!alert_is_receiver(&rule, 2, &decision));
    fail(&rule, &decision, begin, 2);
    decision = look(&rule, true, 1);
    CHECK_INT(decision.notice, ALERT_TRIGGERS);
    CHECK(alert_is_receiver(&rule, 0, &decision) && !alert_is_receiver(&rule, 1, &decision));
    CHECK(!alert_is_receiver(&rule, 2, &decision));
    decision = look(&rule, true, 5);
    CHECK_INT(decision.level, 2);
    CHECK(alert_is_receiver(&rule, 0, &decision) && alert_is_receiver(&rule, 2, &decision));
}

TEST(what_nobody_took_goes_out_as_resolved_when_it_is_over)
{
    struct alert_rule rule = rule_of(NULL, 0);
    struct alert_decision decision = look(&rule, true, 0);

    fail(&rule, &decision, begin, 0);
    for (int attempt = 1; attempt < 4; attempt++) {
        decision = look(&rule, false, attempt);
        CHECK_INT(decision.notice, ALERT_RESOLVES);
        CHECK(!decision.nothing_owed);
        CHECK(alert_is_receiver(&rule, 0, &decision));
        fail(&rule, &decision, begin, 0);
    }
    decision = look(&rule, true, 5);
    CHECK_INT(decision.notice, ALERT_TRIGGERS);
    fail(&rule, &decision, begin, 0);
    decision = look(&rule, false, 6);
    deliver(&rule, &decision, begin + 6 * us_per_minute);
    rule.undelivered.event_type = NULL;
    decision = look(&rule, false, 7);
    CHECK_INT(decision.notice, ALERT_SILENT);
    CHECK_INT(decision.state, ALERT_OK);
}

TEST(too_many_changes_silence_it_for_a_while)
{
    struct alert_rule rule = rule_of(NULL, 0);
    struct alert_decision decision;

    rule.flap.enabled = true;
    rule.flap.window_minutes = 5;
    rule.flap.max_changes = 3;
    for (int i = 0; i < 3; i++)
        CHECK_INT(look(&rule, i % 2 == 0, i).state == ALERT_SUPPRESSED, false);
    decision = look(&rule, false, 3);
    CHECK_INT(decision.state, ALERT_SUPPRESSED);
    CHECK_INT(decision.notice, ALERT_SILENT);
    CHECK_INT(look(&rule, true, 3.5).notice, ALERT_SILENT);
    CHECK_INT(rule.state, ALERT_SUPPRESSED);
    decision = look(&rule, true, 7.1); /* the changes of 0, 1 and 2 minutes are past */
    CHECK_INT(decision.notice, ALERT_TRIGGERS);
    CHECK_INT(rule.state, ALERT_OK);
    rule.flap.enabled = false;
    for (int i = 0; i < 400; i++)
        look(&rule, i % 2 == 0, 8 + i * 0.001);
    CHECK_INT(rule.change_count, ALERT_CHANGES_MAX);
}

TEST_MAIN(CASE(conditions_hold_or_do_not), CASE(steps_stand_in_their_order),
          CASE(one_step_is_repeated_after_its_pause), CASE(without_a_pause_the_interval_is_one),
          CASE(without_a_value_nothing_begins_or_ends),
          CASE(what_nobody_took_goes_to_those_who_are_left_and_then_to_the_next_level),
          CASE(what_nobody_took_goes_out_as_resolved_when_it_is_over),
          CASE(levels_are_told_one_after_the_other), CASE(too_many_changes_silence_it_for_a_while))
