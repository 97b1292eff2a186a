/* Distributions and moments of simulated users. */
#include "streams.h"

#include "math/beta.h"
#include "stats/covariate_adjustment.h"

#include <math.h>

static double normal(struct draws *draws)
{
    uint64_t word;

    return draws_normal(draws, &word);
}

static double log_normal(struct draws *draws, double sigma)
{
    return exp(sigma * normal(draws));
}

static double pareto(struct draws *draws, double shape)
{
    return pow(draws_uniform(draws), -1 / shape);
}

void stream_normal(struct draws *draws, double sigma, struct stream_user *user)
{
    user->covariate = normal(draws);
    user->value = sigma * (0.7 * user->covariate + 0.714 * normal(draws));
}

/* Half of the variance of the logarithm was there before. */
void stream_log_normal(struct draws *draws, double sigma, struct stream_user *user)
{
    user->covariate = log_normal(draws, sigma / M_SQRT2);
    user->value = user->covariate * log_normal(draws, sigma / M_SQRT2);
}

void stream_pareto(struct draws *draws, double shape, struct stream_user *user)
{
    user->value = pareto(draws, shape);
    user->covariate = user->value * 0.5 + pareto(draws, shape);
}

void stream_rate(struct draws *draws, double rate, struct stream_user *user)
{
    user->covariate = draws_uniform(draws) < 0.3;
    user->value = draws_uniform(draws) < rate * (user->covariate > 0 ? 2 : 4.0 / 7);
}

/* Orders of a user, 1 or more, each with a log-normal amount. */
void stream_ratio(struct draws *draws, double sigma, struct stream_user *user)
{
    double level = log_normal(draws, sigma / 2);

    user->denominator = 1 + floor(-log(draws_uniform(draws)) * 2);
    user->covariate = level;
    user->value = 0;
    for (int i = 0; i < (int)user->denominator; i++)
        user->value += level * log_normal(draws, sigma / 2);
}

void stream_add(struct stream_sums *sums, const struct stream_user *user)
{
    double x[3] = {user->value, user->covariate, user->denominator};

    sums->n++;
    for (int i = 0; i < 3; i++) {
        sums->one[i] += x[i];
        for (int j = i; j < 3; j++)
            sums->two[i][j] += x[i] * x[j];
    }
}

static double about_means(const struct stream_sums *sums, int i, int j)
{
    return sums->two[i < j ? i : j][i < j ? j : i] - sums->one[i] * sums->one[j] / sums->n;
}

/* The arm as the adjustment sees it; the value of a ratio is linear about it. */
static struct adjustment_arm arm_of(const struct stream_sums *sums, enum stream_metric metric)
{
    struct adjustment_arm arm = {.n = (int64_t)sums->n};
    double ratio = sums->one[0] / sums->one[2], scale = sums->n / sums->one[2];

    arm.mean[0] = sums->one[0] / sums->n;
    arm.mean[1] = sums->one[1] / sums->n;
    arm.products[0][0] = about_means(sums, 0, 0);
    arm.products[1][1] = about_means(sums, 1, 1);
    arm.products[0][1] = about_means(sums, 0, 1);
    if (metric == METRIC_RATIO_OF_TOTALS) {
        arm.mean[0] = ratio;
        arm.products[0][0] = scale * scale *
                             (about_means(sums, 0, 0) - 2 * ratio * about_means(sums, 0, 2) +
                              ratio * ratio * about_means(sums, 2, 2));
        arm.products[0][1] = scale * (about_means(sums, 0, 1) - ratio * about_means(sums, 1, 2));
    }
    arm.products[1][0] = arm.products[0][1];
    return arm;
}

void stream_estimate(const struct stream_sums arms[2], enum stream_metric metric, bool adjusted,
                     double *difference, double *variance)
{
    struct adjustment_arm arm[2] = {arm_of(&arms[0], metric), arm_of(&arms[1], metric)};
    struct adjustment fit;

    if (!adjusted) {
        *difference = arm[1].mean[0] - arm[0].mean[0];
        *variance = 0;
        for (int i = 0; i < 2; i++)
            *variance += arm[i].products[0][0] / (arms[i].n - 1) / arms[i].n;
        return;
    }
    adjustment_fit(arm, 2, 1, &fit);
    adjustment_difference(&fit, 0, 1, difference, variance);
}

double stream_lower_bound(int64_t count, int64_t runs)
{
    return count == 0 ? 0 : beta_quantile(0.01, (double)count, (double)(runs - count + 1));
}
