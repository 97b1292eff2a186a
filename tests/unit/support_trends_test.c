/* Thresholds, weeks, priorities and nightly measures. Numbers are those of the golden cases. */
#include "base/clock.h"
#include "base/timestamp.h"
#include "crypto/digest.h"
#include "support/trends/backlog.h"
#include "support/trends/gaps.h"
#include "support/trends/nightly.h"
#include "support/trends/threshold.h"
#include "support/trends/week.h"
#include "test.h"

static struct arena *arena;

static const struct threshold_kind *const quality = &threshold_kinds[THRESHOLD_QUALITY];

TEST(a_histogram_shows_where_values_lie)
{
    static const double values[] = {10, 20, 20, 90}, one[] = {50}, narrow[] = {1, 2},
                        close_by[] = {.701, .702}, small[] = {.003};
    const struct threshold_kind *relevance = &threshold_kinds[THRESHOLD_RELEVANCE];

    CHECK_TEXT(threshold_histogram(arena, quality, values, 4),
               "10-37 | #################### (3)\n37-63 |  (0)\n63-90 | ####### (1)");
    CHECK_TEXT(threshold_histogram(arena, quality, one, 1), "50 | #################### (1)");
    CHECK_TEXT(threshold_histogram(arena, quality, narrow, 2),
               "1.0-1.5 | #################### (1)\n1.5-2.0 | #################### (1)");
    CHECK_TEXT(
        threshold_histogram(arena, relevance, close_by, 2),
        "0.7010-0.7015 | #################### (1)\n0.7015-0.7020 | #################### (1)");
    CHECK_TEXT(threshold_histogram(arena, relevance, small, 1), "0.003 | #################### (1)");
    CHECK_TEXT(threshold_histogram(arena, quality, one, 0), "no data");
}

TEST(no_cutoff_is_suggested_that_the_setting_cannot_be)
{
    const struct {
        enum threshold_metric metric;
        double value, current, suggested;
    } rows[] = {{THRESHOLD_QUALITY, 100, 80, 100},
                {THRESHOLD_FACTS, 100, 70, 100},
                {THRESHOLD_RELEVANCE, 1, .7, 1},
                {THRESHOLD_SLOW, 1, 10000, 1},
                {THRESHOLD_QUALITY, 90, 80, 91}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct threshold_sample bad[] = {{rows[i].value, true}, {rows[i].value, true}};
        struct threshold_samples samples;

        threshold_sort(arena, bad, 2, &samples);
        CHECK(threshold_suggest(arena, &threshold_kinds[rows[i].metric], &samples, rows[i].current)
                  .cutoff <= threshold_kinds[rows[i].metric].most);
        if (rows[i].value == 90)
            CHECK_NEAR(threshold_suggest(arena, quality, &samples, rows[i].current).cutoff,
                       rows[i].suggested, 0);
    }
}

TEST(cutoffs_are_shown_as_people_write_them)
{
    const struct threshold_kind *relevance = &threshold_kinds[THRESHOLD_RELEVANCE];

    CHECK_TEXT(threshold_shown(arena, relevance, GIVEN_NUMBER(0.7)), "0.7");
    CHECK_TEXT(threshold_shown(arena, relevance, GIVEN_NUMBER(1)), "1");
    CHECK_TEXT(threshold_shown(arena, relevance, GIVEN_NUMBER(0.65)), "0.65");
    CHECK_TEXT(threshold_shown(arena, quality, GIVEN_NUMBER(80)), "80");
    CHECK_TEXT(threshold_shown(arena, quality, (struct optional_number){0}), "n/a");
    CHECK_TEXT(threshold_note(quality, 80, 80), "current value already optimal");
    CHECK_TEXT(threshold_note(quality, 80, 90), "higher cutoff catches more bad traces");
    CHECK_TEXT(threshold_note(&threshold_kinds[THRESHOLD_SLOW], 1, 2),
               "raise to flag fewer, lower to flag more");
}

TEST(priorities_fade)
{
    CHECK_NEAR(backlog_priority(3, 3, 2.0 / 24), 8.8935, 1e-4);
    CHECK_NEAR(backlog_priority(1.5, 4, 2.0 / 24), 5.929, 1e-4);
    CHECK_NEAR(backlog_priority(2, 2, 2.0 / 24), 3.9527, 1e-4);
    CHECK_NEAR(backlog_priority(2, 2, 0), 4, 0);
    CHECK_NEAR(backlog_priority(2, 2, 7), 1.4715, 0);
    CHECK_NEAR(backlog_priority(3, 0, 0.0001), 3, 1e-4);
    CHECK(backlog_priority(3, 1, 0.012) < 2.995);
}

static const char *week_at(const char *day)
{
    int64_t moment = 0;

    CHECK(timestamp_from_text(day, &moment));
    return week_of(arena, moment);
}

TEST(weeks_are_those_of_iso_8601)
{
    static const struct {
        const char *week, *start;
    } cases[] = {{"2026-W17", "2026-04-20"}, {"2026-W53", "2026-12-28"}, {"2020-W53", "2020-12-28"},
                 {"2025-W01", "2024-12-30"}, {"2025-W53", NULL},         {"2026-W00", NULL},
                 {"2026-W54", NULL},         {"2026-W1", NULL},          {"26-W17", NULL},
                 {"2026W17", NULL},          {"2026-W1x", NULL},         {"", NULL}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t start = 0;

        CHECK(week_parse(cases[i].week, &start) == (cases[i].start != NULL));
        if (cases[i].start) {
            CHECK_TEXT(week_date(arena, start), cases[i].start);
            CHECK_TEXT(week_of(arena, start), cases[i].week);
            CHECK_TEXT(week_of(arena, start + WEEK_MICROSECONDS - 1), cases[i].week);
        }
    }
    CHECK_TEXT(week_at("2026-04-14"), "2026-W16");
    CHECK_TEXT(week_at("2025-12-25"), "2025-W52");
    CHECK_TEXT(week_at("2026-12-27"), "2026-W52");
    CHECK_TEXT(week_at("2027-01-03"), "2026-W53");
}

TEST(nightly_measures)
{
    static const char *const documents[] = {"Our warranty lasts for 24 months from purchase.",
                                            "Error E20 means the drain is blocked."};
    static const char *keywords[] = {"24 Months", "drain", "two years", "bananas"};
    struct measured what = {.question = "How long is the warranty?",
                            .answer = "The warranty lasts 24 months. Bananas grow quickly.",
                            .documents = documents,
                            .document_count = 2};
    double scores[MEASURE__MAX];

    measures_take(arena, &what, scores);
    CHECK_NEAR(scores[MEASURE_FAITHFULNESS], 0.5, 0);
    CHECK_NEAR(scores[MEASURE_PRECISION], 0.25, 1e-12);
    CHECK_NEAR(scores[MEASURE_RELEVANCY], 0.5, 0);
    CHECK_NEAR(scores[MEASURE_RECALL], 1, 0);
    what.keywords = (struct string_list){4, keywords};
    measures_take(arena, &what,
                  scores); /* keywords are asked for beside how, long, the, warranty */
    CHECK_NEAR(scores[MEASURE_PRECISION], (2 / 8.0 + 2 / 8.0 / 2) / 1.5, 1e-12);
    CHECK_NEAR(scores[MEASURE_RECALL], 0.5, 0);
    CHECK_NEAR(scores[MEASURE_RELEVANCY], 0.5, 0);
    measures_take(arena, &(struct measured){.question = "", .answer = ""}, scores);
    CHECK(scores[MEASURE_FAITHFULNESS] == 0 && scores[MEASURE_PRECISION] == 0);
    CHECK(scores[MEASURE_RELEVANCY] == 0);
}

TEST(drift_against_a_week)
{
    CHECK_NEAR(nightly_drift(.72, GIVEN_NUMBER(.9)), 0.2, 1e-12);
    CHECK_NEAR(nightly_drift(.81, GIVEN_NUMBER(.8)), 0.0125, 1e-12);
    CHECK(nightly_drift(.81, (struct optional_number){0}) == 0);
    CHECK(nightly_drift(.81, GIVEN_NUMBER(0)) == 0);
}

TEST(questions_alike_are_one_topic)
{
    static const char *const questions[] = {
        "How do I return an item?", "Is there a warranty on batteries?",
        "How to return an order item?", "Where do I return my item?"};
    const struct gap_cluster *cluster;
    struct object_list clusters;

    gaps_cluster(arena, questions, 4, 3, &clusters);
    CHECK_INT(clusters.count, 1);
    cluster = clusters.items;
    CHECK_INT(cluster->count, 3);
    CHECK_TEXT(cluster->cluster_id, "ba4e7595caf8");
    CHECK_TEXT(cluster->summary, "Missing topic: return, item, order");
    gaps_cluster(arena, questions, 4, 5, &clusters);
    CHECK_INT(clusters.count, 0);
}

TEST(sha1_is_that_of_fips_180_4)
{
    char text[DIGEST_SHA1_TEXT];

    digest_sha1_hex("abc", 3, text);
    CHECK_TEXT(text, "a9993e364706816aba3e25717850c26c9cd0d89d");
    digest_sha1_hex(NULL, 0, text);
    CHECK_TEXT(text, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    digest_sha1_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, text);
    CHECK_TEXT(text, "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(a_histogram_shows_where_values_lie),
        CASE(no_cutoff_is_suggested_that_the_setting_cannot_be),
        CASE(cutoffs_are_shown_as_people_write_them),
        CASE(priorities_fade),
        CASE(weeks_are_those_of_iso_8601),
        CASE(nightly_measures),
        CASE(drift_against_a_week),
        CASE(questions_alike_are_one_topic),
        CASE(sha1_is_that_of_fips_180_4),
    };
    int failed;

    arena = arena_create((size_t)1 << 26);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
