/* Buckets of durations: how far their middle is from what they hold. */
#include "shm/histogram.h"
#include "test.h"

#include <math.h>

TEST(every_value_falls_within_its_bucket)
{
    const uint64_t last_bucket = UINT64_C(31) << 27;
    double worst = 0;

    for (uint64_t value = 1; value < last_bucket; value += 1 + value / 1000) {
        unsigned bucket = histogram_bucket(value);

        worst = fmax(worst, fabs(histogram_middle(bucket) / (double)value - 1));
        CHECK(histogram_bucket(value - value / 16 - 1) < bucket);
        CHECK(bucket < HISTOGRAM_BUCKETS);
    }
    CHECK(worst > 0.02);
    CHECK(worst <= 0.032);
}

TEST(small_values_have_a_bucket_each_and_large_ones_the_last)
{
    for (unsigned value = 0; value < 16; value++) {
        CHECK_INT(histogram_bucket(value), value);
        CHECK_NEAR(histogram_middle(value), value, 0);
    }
    CHECK_INT(histogram_bucket(HISTOGRAM_VALUE_MAX), HISTOGRAM_BUCKETS - 1);
    CHECK_INT(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

TEST_MAIN(CASE(every_value_falls_within_its_bucket),
          CASE(small_values_have_a_bucket_each_and_large_ones_the_last))
