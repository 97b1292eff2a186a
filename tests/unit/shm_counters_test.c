/* Counters, stamps, notes and histograms: exact under eight processes, whole after a kill. */
#include "shm/counters.h"

#include "shm/histogram.h"
#include "shm_children.h"

#include <math.h>

enum { PROCESSES = 8, ROUNDS = 20000 };

static int hammer(int child, void *context)
{
    struct shm_family *family = join(context, child % 2 ? "core" : "compute");

    for (int i = 0; i < ROUNDS; i++) {
        counters_add(family, 0, 1);
        counters_add(family, COUNTERS_MAX - 1, 3);
        stamps_set(family, 0, INT64_C(1000) * (i + 1) + child);
        histogram_record(family, 0, (uint64_t)i);
    }
    return 0;
}

TEST(totals_of_eight_processes_are_exact)
{
    struct shm_region *region = open_anonymous();
    struct histogram_view view = {0}, core = {0};

    CHECK_INT(run_children(PROCESSES, hammer, region), 0);
    CHECK_INT(counters_total(region, 0), PROCESSES * ROUNDS);
    CHECK_INT(counters_read(join(region, "core"), 0), PROCESSES * ROUNDS / 2);
    CHECK_INT(counters_total(region, COUNTERS_MAX - 1), 3 * PROCESSES * ROUNDS);
    CHECK_INT(counters_total(region, 1), 0);
    CHECK_INT(stamps_latest(region, 0), INT64_C(1000) * ROUNDS + PROCESSES - 1);
    CHECK_INT(stamps_read(join(region, "compute"), 0), INT64_C(1000) * ROUNDS + PROCESSES - 2);
    histogram_add_all(&view, region, 0);
    CHECK_INT(view.count, PROCESSES * ROUNDS);
    CHECK_INT(view.sum, (uint64_t)PROCESSES * ROUNDS * (ROUNDS - 1) / 2);
    CHECK_INT(view.max, ROUNDS - 1);
    histogram_add_family(&core, join(region, "core"), 0);
    CHECK_INT(core.count, PROCESSES * ROUNDS / 2);
    shm_region_close(region);
}

TEST(a_stamp_never_goes_back)
{
    struct shm_region *region = open_anonymous();
    struct shm_family *family = join(region, "core");

    CHECK_INT(stamps_latest(region, 2), 0);
    stamps_set(family, 2, 500);
    stamps_set(family, 2, 400);
    CHECK_INT(stamps_latest(region, 2), 500);
    shm_region_close(region);
}

TEST(the_last_note_wins_over_families)
{
    struct shm_region *region = open_anonymous();
    struct note note;

    CHECK(!notes_latest(region, 0, &note));
    join(region, "core");
    CHECK(!notes_latest(region, 0, &note));
    CHECK_TEXT(note.text, "");
    notes_set(join(region, "core"), 0, 100, "not_found");
    notes_set(join(region, "compute"), 0, 200, "validation_error");
    notes_set(join(region, "core"), 0, 150, "rate_limited");
    CHECK(notes_latest(region, 0, &note));
    CHECK_TEXT(note.text, "validation_error");
    CHECK_INT(note.at, 200);
    CHECK(notes_read(join(region, "core"), 0, &note));
    CHECK_TEXT(note.text, "rate_limited");
    CHECK(!notes_read(join(region, "core"), 1, &note));
    shm_region_close(region);
}

TEST(a_long_note_is_cut_between_characters)
{
    struct shm_region *region = open_anonymous();
    struct shm_family *family = join(region, "core");
    struct note note;
    char text[200];

    memset(text, 'a', sizeof text);
    text[150] = '\0';
    notes_set(family, 0, 1, text);
    CHECK(notes_read(family, 0, &note));
    CHECK_INT(strlen(note.text), NOTE_TEXT_MAX - 1);
    memcpy(text + NOTE_TEXT_MAX - 2, "\xe2\x82\xac", 3); /* the euro sign across the end */
    notes_set(family, 0, 2, text);
    CHECK(notes_read(family, 0, &note));
    CHECK_INT(strlen(note.text), NOTE_TEXT_MAX - 2);
    shm_region_close(region);
}

static void write_second_note(void *context)
{
    notes_set(context, 0, 222, "second_error_code");
}

TEST(a_writer_killed_in_the_middle_leaves_the_note_before)
{
    int n = 1;

    for (bool killed = true; killed; n++) {
        struct shm_region *region = open_anonymous();
        struct shm_family *family = join(region, "core");
        struct note note;

        notes_set(family, 0, 111, "first_error_code");
        killed = child_killed_at(n, write_second_note, family);
        CHECK(notes_read(family, 0, &note));
        CHECK_TEXT(note.text, killed ? "first_error_code" : "second_error_code");
        CHECK_INT(note.at, killed ? 111 : 222);
        notes_set(family, 0, 333, "third_error_code");
        CHECK(notes_read(family, 0, &note));
        CHECK_TEXT(note.text, "third_error_code");
        shm_region_close(region);
    }
    CHECK_INT(n - 2, 2); /* cleared, filled */
}

/* Each writer repeats one letter, so that a torn note shows. */
static int write_notes(int child, void *context)
{
    char text[NOTE_TEXT_MAX];
    struct note note;

    memset(text, 'a' + child, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (int i = 0; i < 5000; i++) {
        notes_set(context, 0, i, text);
        if (!notes_read(context, 0, &note) || strspn(note.text, (char[]){note.text[0], 0}) != 95)
            return 1;
    }
    return 0;
}

TEST(notes_are_never_torn)
{
    struct shm_region *region = open_anonymous();

    CHECK_INT(run_children(PROCESSES, write_notes, join(region, "core")), 0);
    shm_region_close(region);
}

TEST(every_value_falls_within_its_bucket)
{
    struct shm_region *region = open_anonymous();
    const uint64_t last_bucket = UINT64_C(31) << 27;
    double worst = 0;

    for (uint64_t value = 1; value < last_bucket; value += 1 + value / 1000) {
        static struct histogram_view view;
        double found;

        memset(&view, 0, sizeof view);
        memset(region->layout->families, 0, sizeof(struct shm_family));
        region->layout->header.family_count = 1;
        histogram_record(&region->layout->families[0], 0, value);
        histogram_record(&region->layout->families[0], 0, UINT32_MAX);
        histogram_add_all(&view, region, 0);
        found = histogram_quantile(&view, 0.5);
        worst = fmax(worst, fabs(found / (double)value - 1));
        CHECK_INT(histogram_count_at_most(&view, value), 1);
        CHECK_INT(histogram_count_at_most(&view, value - value / 16 - 1), 0);
    }
    CHECK(worst > 0.02);
    CHECK(worst <= 0.032);
    shm_region_close(region);
}

/* For 1, 2, ... 100000 the q-quantile is 100000 q. */
TEST(quantiles_are_as_close_as_promised)
{
    static const double shares[] = {0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999};
    struct shm_region *region = open_anonymous();
    struct shm_family *family = join(region, "core");
    struct histogram_view view = {0};

    CHECK_NEAR(histogram_quantile(&view, 0.5), -1, 0);
    CHECK_NEAR(histogram_mean(&view), -1, 0);
    for (uint64_t value = 1; value <= 100000; value++)
        histogram_record(family, 1, value);
    histogram_add_all(&view, region, 1);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        CHECK_RELATIVE(histogram_quantile(&view, shares[i]), 100000 * shares[i], 0.032);
    CHECK_NEAR(histogram_quantile(&view, 1), 100000, 0);
    CHECK_NEAR(histogram_quantile(&view, 0), 1, 0);
    CHECK_NEAR(histogram_mean(&view), 50000.5, 0);
    CHECK_INT(histogram_count_at_most(&view, 0), 0);
    CHECK_INT(histogram_count_at_most(&view, UINT64_MAX), 100000);
    CHECK_RELATIVE((double)histogram_count_at_most(&view, 50000), 50000, 0.0625);
    shm_region_close(region);
}

TEST(values_beyond_the_largest_bucket_count_in_it)
{
    struct shm_region *region = open_anonymous();
    struct shm_family *family = join(region, "core");
    struct histogram_view view = {0};

    histogram_record(family, 0, 0);
    histogram_record(family, 0, UINT64_C(1) << 40);
    histogram_add_all(&view, region, 0);
    CHECK_INT(view.count, 2);
    CHECK_INT(view.max, INT64_C(1) << 40);
    CHECK_INT(view.buckets[HISTOGRAM_BUCKETS - 1], 1);
    CHECK_NEAR(histogram_quantile(&view, 0.5), 0, 0);
    CHECK_NEAR(histogram_quantile(&view, 1), 1099511627776.0, 0);
    shm_region_close(region);
}

static int count_out_of_range(int child, void *context)
{
    fclose(stderr);
    counters_add(context, COUNTERS_MAX + (unsigned)child, 1);
    return 0;
}

TEST(an_index_out_of_range_aborts)
{
    struct shm_region *region = open_anonymous();

    CHECK_INT(run_children(1, count_out_of_range, join(region, "core")), 1);
    shm_region_close(region);
}

TEST_MAIN(CASE(totals_of_eight_processes_are_exact), CASE(a_stamp_never_goes_back),
          CASE(the_last_note_wins_over_families), CASE(a_long_note_is_cut_between_characters),
          CASE(a_writer_killed_in_the_middle_leaves_the_note_before), CASE(notes_are_never_torn),
          CASE(every_value_falls_within_its_bucket), CASE(quantiles_are_as_close_as_promised),
          CASE(values_beyond_the_largest_bucket_count_in_it), CASE(an_index_out_of_range_aborts))
