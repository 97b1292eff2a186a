/*
 * Records of experiments in Kafka's messages, without a broker: what is wrong is refused and the
 * rest applied, and the offsets move with the data or not at all.
 */
#include "base/clock.h"
#include "experiments/intake/kafka_intake.h"
#include "experiments/live/view.h"
#include "experiments/projects/project_store.h"
#include "storage_fixture.h"

enum { MESSAGES_MAX = 8 };

/* A batch of messages of two topics, as a bridge has it in hand. */
struct hand {
    struct bench *bench;
    struct experiments_settings settings;
    struct kafka_intake_context intake;
    struct kafka_position positions[2];
    struct kafka_record records[MESSAGES_MAX];
    struct kafka_batch batch;
    const char *experiment;
};

static const char *nothing_set(const char *name)
{
    (void)name;
    return NULL;
}

static void hand_make(struct bench *bench, struct hand *hand)
{
    const struct project_call make = {bench->db, bench->arena, &bench->actor, &bench->problem};
    struct project project = {0};

    *hand = (struct hand){.bench = bench};
    CHECK_OK(project_create(&make, bench_payload(bench->arena, "A", 0), &project));
    CHECK_OK(
        experiments_settings_load(&hand->settings, bench->arena, nothing_set, &bench->problem));
    hand->experiment = project.id;
    hand->intake.settings = &hand->settings;
    hand->intake.topics = kafka_intake_topics(bench->arena, &hand->settings);
    hand->positions[0] = (struct kafka_position){.topic = "experiments.exposures", .partition = 3};
    hand->positions[1] =
        (struct kafka_position){.topic = "experiments.conversions", .partition = 0};
    for (size_t i = 0; i < 2; i++)
        CHECK_OK(kafka_offset_load(bench->db, &hand->positions[i], &bench->problem));
    hand->batch = (struct kafka_batch){hand->records, 0, hand->positions, 2, bench->arena};
}

static void hand_add(struct hand *hand, size_t position, const char *value)
{
    struct kafka_position *at = &hand->positions[position];

    hand->records[hand->batch.count++] = (struct kafka_record){
        .position = at, .offset = at->batch_next++, .value = value, .length = strlen(value)};
}

static const char *exposure(struct hand *hand, const char *user, const char *experiment)
{
    return arena_print(hand->bench->arena,
                       "{\"experiment_id\":\"%s\",\"user_id\":\"%s\",\"variation_index\":1}",
                       experiment, user);
}

static void hand_fill(struct hand *hand)
{
    hand_add(hand, 0, exposure(hand, "u1", hand->experiment));
    hand_add(hand, 0, exposure(hand, "u\xd0\xb6", hand->experiment));
    hand_add(hand, 1,
             arena_print(hand->bench->arena,
                         "{\"experiment_id\":\"%s\",\"user_id\":\"u1\",\"metric\":\"purchase\"}",
                         hand->experiment));
}

static enum error hand_apply(struct hand *hand)
{
    struct bench *bench = hand->bench;
    enum error error = kafka_intake_decode(&hand->intake, &hand->batch, &bench->problem);

    return error ? error
                 : kafka_intake_apply(&hand->intake, bench->db, &hand->batch, &bench->problem);
}

/* How much was recorded: exposures and conversions. */
static void check_counts(struct hand *hand, int64_t exposures, int64_t conversions)
{
    struct bench *bench = hand->bench;
    const struct live_call call = {
        .db = bench->db, .arena = bench->arena, .problem = &bench->problem};
    struct live_ingestion ingestion;

    CHECK_OK(live_read_ingestion(&call, hand->experiment, &ingestion));
    CHECK_INT(ingestion.exposures_total, exposures);
    CHECK_INT(ingestion.conversions_total, conversions);
}

static int64_t stored_offset(struct hand *hand, size_t position)
{
    struct bench *bench = hand->bench;
    struct kafka_position stored = hand->positions[position];

    CHECK_OK(kafka_offset_load(bench->db, &stored, &bench->problem));
    return stored.next;
}

ON_BOTH(a_batch_that_is_delivered_again_changes_nothing)
{
    struct hand hand;

    hand_make(bench, &hand);
    hand_fill(&hand);
    CHECK_OK(hand_apply(&hand));
    check_counts(&hand, 2, 1);
    CHECK_INT(stored_offset(&hand, 0), 2);
    CHECK_INT(stored_offset(&hand, 1), 1);
    CHECK_INT(hand_apply(&hand), ERROR_CONFLICT); /* its conversion has no key */
    CHECK_TEXT(bench->problem.reason, "offset_moved");
    check_counts(&hand, 2, 1);
}

ON_BOTH(wrong_records_are_refused_and_the_others_applied)
{
    struct hand hand;

    hand_make(bench, &hand);
    hand_fill(&hand);
    hand_add(&hand, 0, "{\"user_id\":");
    hand_add(&hand, 0, "{\"user_id\":\"u\",\"variation_index\":1}");
    hand_add(&hand, 0, exposure(&hand, "", hand.experiment));
    hand_add(&hand, 0, exposure(&hand, "u2", "nowhere"));
    CHECK_INT(hand_apply(&hand), ERROR_NOT_FOUND); /* it learns of the last one while it applies */
    check_counts(&hand, 0, 0);
    CHECK_OK(hand_apply(&hand));
    check_counts(&hand, 2, 1);
    CHECK_INT(stored_offset(&hand, 0), 6);
    for (size_t i = 0; i < hand.batch.count; i++)
        CHECK_INT(hand.records[i].refused != NULL, i >= 3);
    CHECK_TEXT(hand.records[4].refused, "experiment_id: a text is needed");
    CHECK(strstr(hand.records[5].refused, "user_id"));
    CHECK(strstr(hand.records[6].refused, "Project"));
}

/* Each attempt costs a transaction: all of them are found in the first. */
ON_BOTH(all_experiments_that_do_not_exist_are_refused_at_once)
{
    struct hand hand;

    hand_make(bench, &hand);
    hand_fill(&hand);
    hand_add(&hand, 0, exposure(&hand, "u2", "!before"));
    hand_add(&hand, 0, exposure(&hand, "u3", "!before"));
    hand_add(&hand, 0, exposure(&hand, "u4", "~behind"));
    hand_add(&hand, 1,
             "{\"experiment_id\":\"~behind\",\"user_id\":\"u4\",\"metric\":\"purchase\"}");
    hand_add(&hand, 0, exposure(&hand, "u5", "~later"));
    CHECK_INT(hand_apply(&hand), ERROR_NOT_FOUND);
    for (size_t i = 0; i < hand.batch.count; i++)
        CHECK_INT(hand.records[i].refused != NULL, i >= 3);
    CHECK_OK(hand_apply(&hand));
    check_counts(&hand, 2, 1);
}

ON_BOTH(whatever_statement_fails_nothing_is_half_applied)
{
    struct hand hand;
    enum error error = ERROR_UNAVAILABLE;
    int steps = 0;

    hand_make(bench, &hand);
    hand_fill(&hand);
    while (error && steps < 1000) {
        db_fail_after(bench->db, ++steps);
        error = hand_apply(&hand);
        db_fail_after(bench->db, 0);
        db_end_of_request(bench->db);
        check_counts(&hand, error ? 0 : 2, error ? 0 : 1);
        CHECK_INT(stored_offset(&hand, 0), error ? 0 : 2);
    }
    CHECK(!error && steps > 5);
}

ON_BOTH(the_lag_is_what_was_written_and_not_applied)
{
    struct hand hand;
    struct kafka_lag *lags;
    size_t count;
    int64_t partitions;

    hand_make(bench, &hand);
    hand.positions[0].end = 10;
    CHECK_OK(kafka_offsets_note(bench->db, hand.positions, 2, 77, &bench->problem));
    hand_fill(&hand);
    CHECK_OK(hand_apply(&hand));
    CHECK_OK(kafka_lags_read(bench->db, bench->arena, &lags, &count, &bench->problem));
    CHECK_INT(count, 2);
    CHECK_TEXT(lags[1].topic, "experiments.exposures");
    CHECK_INT(lags[1].records, 8);
    CHECK_INT(lags[0].records, 0);
    CHECK_INT(kafka_lag_of_all(lags, count).silent, 0);
    CHECK_TEXT(kafka_lag_text(bench->arena, &lags[0]), "");
    hand.positions[0].next = hand.positions[0].batch_next;
    CHECK_OK(kafka_offsets_note(bench->db, hand.positions, 1,
                                clock_unix_microseconds() + 40 * INT64_C(1000000),
                                &bench->problem)); /* the other is not heard of */
    CHECK_OK(kafka_lags_read(bench->db, bench->arena, &lags, &count, &bench->problem));
    CHECK_INT(lags[0].silent, 1);
    CHECK_INT(lags[1].silent, 0);
    CHECK(strstr(kafka_lag_text(bench->arena, &lags[0]), "nothing was heard of 1 partition"));
    hand.positions[0].next = 0;
    CHECK_OK(
        kafka_offsets_forget(bench->db, "experiments.exposures", &partitions, &bench->problem));
    CHECK_INT(partitions, 1);
    CHECK_INT(stored_offset(&hand, 0), 0);
}

TEST_MAIN(CASE(a_batch_that_is_delivered_again_changes_nothing),
          CASE(wrong_records_are_refused_and_the_others_applied),
          CASE(all_experiments_that_do_not_exist_are_refused_at_once),
          CASE(whatever_statement_fails_nothing_is_half_applied),
          CASE(the_lag_is_what_was_written_and_not_applied))
