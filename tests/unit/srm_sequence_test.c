/* The sample ratio at every look: figures of an independent computation, and how often it is wrong.
 */
#include "experiments/design/srm_sequence.h"
#include "math/random.h"
#include "test.h"

#include <math.h>

enum { EXPERIMENTS = 2000, LOOKS = 100, USERS_PER_LOOK = 50 };

/* scipy.special.gammaln of the definition. */
TEST(figures)
{
    static const double halves[] = {0.5, 0.5}, thirds[] = {0.5, 0.3, 0.2};

    CHECK_NEAR(srm_log_e_value((int64_t[]){0, 0}, halves, 2), 0, 1e-12);
    CHECK_NEAR(srm_log_e_value((int64_t[]){5000, 3000}, halves, 2), 223.0148153382, 1e-7);
    CHECK_NEAR(srm_log_e_value((int64_t[]){5000, 4800}, halves, 2), 0.6621292995, 1e-7);
    CHECK_NEAR(srm_log_e_value((int64_t[]){510, 290, 200}, thirds, 3), -0.5564717913, 1e-7);
}

/* Somebody looks after every fifty users, and would stop at the first mismatch. */
TEST(it_is_seldom_wrong_at_any_look)
{
    static const double shares[] = {0.5, 0.3, 0.2};
    int wrong = 0;

    for (int i = 0; i < EXPERIMENTS; i++) {
        struct random random = random_start(77, (uint64_t)i);
        int64_t counts[3] = {0};
        double most = 0;

        for (int look = 0; look < LOOKS; look++) {
            for (int k = 0; k < USERS_PER_LOOK; k++) {
                double u = random_uniform(&random);

                counts[u < 0.5 ? 0 : u < 0.8 ? 1 : 2]++;
            }
            most = fmax(most, srm_log_e_value(counts, shares, 3));
        }
        wrong += most >= -log(0.05);
    }
    printf("wrong at any of %d looks: %.4f\n", LOOKS, (double)wrong / EXPERIMENTS);
    CHECK((double)wrong / EXPERIMENTS <= 0.05);
}

TEST_MAIN(CASE(figures), CASE(it_is_seldom_wrong_at_any_look))
