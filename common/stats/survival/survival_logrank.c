/* The log-rank family: observed minus expected events per arm, and their covariance. */
#include "stats/survival/survival.h"

#include "math/chi_square.h"

#include <math.h>

/* A pivot of at most this share of the largest variance counts as 0. */
static const double SINGULAR = 1e-12;

/* Observed minus expected events of every arm, weighted, and the lower half of their covariance. */
struct scores {
    size_t count;
    double score[SURVIVAL_ARMS_MAX];
    double covariance[SURVIVAL_ARMS_MAX][SURVIVAL_ARMS_MAX];
};

/* The risk set of one time, over all arms. */
struct risk_set {
    const int64_t *at_risk, *events;
    int64_t n, d;
};

static struct risk_set risk_set_at(const struct survival_table *table, size_t row)
{
    struct risk_set set = {.at_risk = table->at_risk + row * table->arm_count,
                           .events = table->events + row * table->arm_count};

    for (size_t arm = 0; arm < table->arm_count; arm++) {
        set.n += set.at_risk[arm];
        set.d += set.events[arm];
    }
    return set;
}

void survival_expected(const struct survival_table *table, double expected[SURVIVAL_ARMS_MAX])
{
    for (size_t arm = 0; arm < table->arm_count; arm++)
        expected[arm] = 0;
    for (size_t row = 0; row < table->time_count; row++) {
        struct risk_set set = risk_set_at(table, row);

        for (size_t arm = 0; arm < table->arm_count; arm++)
            expected[arm] += (double)set.d * (double)set.at_risk[arm] / (double)set.n;
    }
}

static void add_risk_set(const struct risk_set *set, double weight, struct scores *scores)
{
    double n = (double)set->n, d = (double)set->d;
    double scale = set->n > 1 ? weight * weight * d * (n - d) / (n - 1) : 0;

    for (size_t i = 0; i < scores->count; i++) {
        double share = (double)set->at_risk[i] / n;

        /* the difference of two integers: exactly 0 when an arm has its expected events */
        scores->score[i] +=
            weight * (double)(set->events[i] * set->n - set->d * set->at_risk[i]) / n;
        scores->covariance[i][i] += scale * share * ((double)(set->n - set->at_risk[i]) / n);
        for (size_t j = 0; j < i; j++)
            scores->covariance[i][j] -= scale * share * ((double)set->at_risk[j] / n);
    }
}

static void swap(double *a, double *b)
{
    double other = *a;

    *a = *b;
    *b = other;
}

/* Exchanges rows and columns `a` < `b` of a symmetric matrix that is stored as its lower half. */
static void exchange(struct scores *s, size_t a, size_t b)
{
    swap(&s->score[a], &s->score[b]);
    swap(&s->covariance[a][a], &s->covariance[b][b]);
    for (size_t i = 0; i < a; i++)
        swap(&s->covariance[a][i], &s->covariance[b][i]);
    for (size_t i = a + 1; i < b; i++)
        swap(&s->covariance[i][a], &s->covariance[b][i]);
    for (size_t i = b + 1; i < s->count; i++)
        swap(&s->covariance[i][a], &s->covariance[i][b]);
}

/* Drops one score, because the scores sum to 0. The one with the largest variance is dropped, so
 * that the others are least correlated. */
static void leave_one_out(struct scores *s)
{
    size_t last = s->count - 1, widest = 0;

    for (size_t i = 1; i <= last; i++)
        if (s->covariance[i][i] > s->covariance[widest][widest])
            widest = i;
    if (widest < last)
        exchange(s, widest, last);
    s->count = last;
}

/* score' covariance^-1 score, by symmetric elimination with the largest remaining variance as the
 * pivot, so that all terms are squares; -1 when the covariance is singular. Overwrites `s`. */
static double quadratic_form(struct scores *s)
{
    double form = 0, largest = 0;

    for (size_t i = 0; i < s->count; i++)
        largest = fmax(largest, s->covariance[i][i]);
    for (size_t k = 0; k < s->count; k++) {
        size_t pivot = k;

        for (size_t i = k + 1; i < s->count; i++)
            if (s->covariance[i][i] > s->covariance[pivot][pivot])
                pivot = i;
        if (!(s->covariance[pivot][pivot] > SINGULAR * largest))
            return -1;
        if (pivot != k)
            exchange(s, k, pivot);
        form += s->score[k] * (s->score[k] / s->covariance[k][k]);
        for (size_t i = k + 1; i < s->count; i++) {
            double factor = s->covariance[i][k] / s->covariance[k][k];

            s->score[i] -= factor * s->score[k];
            for (size_t j = k + 1; j <= i; j++)
                s->covariance[i][j] -= factor * s->covariance[j][k];
        }
    }
    return form;
}

bool log_rank_test(const struct survival_table *table, double rho, double gamma,
                   struct log_rank_result *result)
{
    struct scores scores = {.count = table->arm_count};
    bool weighted = rho != 0 || gamma != 0;
    double survival = 1;

    *result =
        (struct log_rank_result){.degrees_of_freedom = (int64_t)table->arm_count - 1, .p_value = 1};
    for (size_t row = 0; row < table->time_count; row++) {
        struct risk_set set = risk_set_at(table, row);
        double weight = weighted ? pow(survival, rho) * pow(1 - survival, gamma) : 1;

        add_risk_set(&set, weight, &scores);
        survival *= (double)(set.n - set.d) / (double)set.n;
    }
    leave_one_out(&scores);
    result->statistic = quadratic_form(&scores);
    if (!(result->statistic >= 0 && result->statistic < INFINITY)) {
        result->statistic = 0;
        return false;
    }
    result->p_value = chi_square_survival(result->statistic, (double)scores.count);
    return true;
}
