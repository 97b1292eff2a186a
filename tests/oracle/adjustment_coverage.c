/*
 * How often the intervals of effects adjusted by covariates contain the true effect, by simulation.
 * Prints the table of docs/use/error-rates-adjustment.md.
 *
 *   adjustment_coverage [RUNS]     10 000 by default
 *
 * The exit code is 1 when a row that claims to hold covers significantly less than 95 %: when the
 * upper 99 % bound of its coverage is below that.
 */
#include "base/number.h"
#include "math/beta.h"
#include "math/draws.h"
#include "stats/regression_adjustment.h"

#include <math.h>
#include <stdio.h>

enum { RUNS = 10000, USERS_MAX = 4000 };

static const double alpha = 0.05;
static struct ziggurat ziggurat;

static double normal(struct draws *draws)
{
    uint64_t word;

    return draws_normal(draws, &word);
}

enum kind { KIND_NORMAL, KIND_LOG_NORMAL, KIND_RATE, KIND_COUNT, KIND_RATIO };

struct row {
    const char *name;
    enum kind kind;
    int users[2]; /* control, treatment */
    int covariates;
    double missing;   /* share of the users without each covariate; larger values lack it twice as
                         often */
    double gap;       /* of the slopes of both arms */
    bool claims_less; /* known to cover less: nothing is claimed */
};

static const struct row rows[] = {
    {"means, normal", KIND_NORMAL, {500, 500}, 1, 0, 0, false},
    {"means, normal", KIND_NORMAL, {50, 50}, 1, 0, 0, false},
    {"means, normal", KIND_NORMAL, {20, 20}, 5, 0, 0, true},
    {"means, normal", KIND_NORMAL, {500, 500}, 5, .3, 0, false},
    {"means, normal", KIND_NORMAL, {800, 200}, 2, .3, 0, false},
    {"means, normal, other slopes in the treatment", KIND_NORMAL, {800, 200}, 1, 0, 1, true},
    {"rates of 20 %", KIND_RATE, {500, 500}, 1, 0, 0, false},
    {"rates of 20 %", KIND_RATE, {800, 200}, 2, .3, 0, false},
    {"counts of 2", KIND_COUNT, {500, 500}, 2, .3, 0, false},
    {"ratios, log-normal amounts", KIND_RATIO, {500, 500}, 1, 0, 0, false},
    {"ratios, log-normal amounts", KIND_RATIO, {1500, 1500}, 2, .3, 0, false},
    {"means, log-normal 1.5", KIND_LOG_NORMAL, {500, 500}, 1, 0, 0, true},
    {"means, log-normal 1.5", KIND_LOG_NORMAL, {800, 200}, 1, 0, 0, true},
};

/* Users of one experiment, read by the regression in their order. */
struct users {
    struct regression_user at[USERS_MAX];
    int count, next;
};

static void rewind_users(void *state)
{
    ((struct users *)state)->next = 0;
}

static bool next_user(void *state, struct regression_user *user)
{
    struct users *users = state;

    if (users->next == users->count)
        return false;
    *user = users->at[users->next++];
    return true;
}

static int poisson(struct draws *draws, double mean)
{
    double left = exp(-mean), product = draws_uniform(draws);
    int count = 0;

    for (; product > left; count++)
        product *= draws_uniform(draws);
    return count;
}

/* The true effect; of ratios there is none, of rates it is a difference of shares. */
static double effect_of(enum kind kind)
{
    static const double effects[] = {.3, .5, .05, .25, 0};

    return effects[kind];
}

/* `level` is what the covariates explain, with the variance 1. */
static void draw_value(const struct row *row, struct draws *draws, double level,
                       struct regression_user *user)
{
    double effect = user->arm ? effect_of(row->kind) : 0;

    user->denominator = 1;
    switch (row->kind) {
    case KIND_NORMAL:
        user->value = level * (1 + user->arm * row->gap) + normal(draws) + effect;
        break;
    case KIND_LOG_NORMAL:
        user->value = exp(1.06 * (level + normal(draws))) + effect;
        break;
    case KIND_RATE:
        user->value = draws_uniform(draws) < (level > 0 ? .3 : .1) + effect;
        break;
    case KIND_COUNT:
        user->value = poisson(draws, 2 * exp(.5 * level - .125)) + poisson(draws, effect + 1e-9);
        break;
    case KIND_RATIO:
        user->denominator = 1 + poisson(draws, 2);
        user->value = user->denominator * exp(.5 * level + .5 * normal(draws));
        break;
    }
}

static void draw_user(const struct row *row, struct draws *draws, int arm,
                      struct regression_user *user)
{
    double level = 0, root = sqrt(row->covariates);

    user->arm = arm;
    for (int i = 0; i < row->covariates; i++) {
        user->covariates[i] = normal(draws);
        level += user->covariates[i] / root;
    }
    draw_value(row, draws, level, user);
    for (int i = 0; i < row->covariates; i++)
        if (draws_uniform(draws) < row->missing * (user->covariates[i] > 0 ? 4 : 2) / 3)
            user->covariates[i] = NAN;
}

static const enum regression_variance shown[] = {VARIANCE_HC2, VARIANCE_HC3, VARIANCE_ARM};
enum { SHOWN = 3 };

struct counts {
    int64_t covered[SHOWN], plain;
    double reduction;
};

static bool covers(const struct test_result *test, double effect)
{
    return test->ci_lower <= effect && effect <= test->ci_upper;
}

static void run(const struct row *row, struct users *users, uint64_t number, struct arena *arena,
                struct counts *counts)
{
    const struct regression_source source = {2,     row->covariates, row->kind == KIND_RATIO,
                                             users, rewind_users,    next_user};
    struct regression *fit = ARENA_NEW(arena, struct regression);
    struct draws draws;

    draws_start(&draws, &ziggurat, 38, number);
    users->count = 0;
    for (int arm = 0; arm < 2; arm++)
        for (int i = 0; i < row->users[arm]; i++)
            draw_user(row, &draws, arm, &users->at[users->count++]);
    regression_from_source(&source, arena, fit);
    for (int i = 0; i < SHOWN; i++) {
        struct regression_comparison found;

        regression_compare(fit, shown[i], false, 0, 1, alpha, &found);
        counts->covered[i] += found.defined && covers(&found.adjusted, effect_of(row->kind));
        if (shown[i] != VARIANCE_HC2)
            continue;
        counts->plain += found.defined && covers(&found.plain, effect_of(row->kind));
        counts->reduction += found.variance_reduction_pct.value;
    }
}

/* The upper end of the one-sided 99 % interval (Clopper and Pearson 1934). */
static double upper_bound(int64_t count, int64_t runs)
{
    return count == runs ? 1 : beta_upper_quantile(0.01, (double)count + 1, (double)(runs - count));
}

static bool run_row(const struct row *row, struct users *users, int64_t runs)
{
    struct arena *arena = arena_create((size_t)1 << 26);
    struct counts counts = {0};
    bool holds = true;

    for (int64_t i = 0; i < runs; i++) {
        run(row, users, (uint64_t)i, arena, &counts);
        arena_reset(arena);
    }
    arena_destroy(arena);
    printf("| %s | %d, %d | %d | %g %% | %.0f %% | %.2f %% |", row->name, row->users[0],
           row->users[1], row->covariates, 100 * row->missing, counts.reduction / (double)runs,
           100 * (double)counts.plain / (double)runs);
    for (int i = 0; i < SHOWN; i++) {
        printf(" %.2f %% |", 100 * (double)counts.covered[i] / (double)runs);
        holds = holds && upper_bound(counts.covered[i], runs) >= 1 - alpha;
    }
    printf(" %s |\n", holds ? "holds" : row->claims_less ? "below" : "**fails**");
    fflush(stdout);
    return holds || row->claims_less;
}

int main(int count, char **words)
{
    static struct users users;
    int64_t runs = RUNS;
    bool holds = true;

    if (count > 2 || (count == 2 && !integer_parse(words[1], &runs)))
        return 2;
    ziggurat_build(&ziggurat);
    printf(
        "| metric | users | covariates | missing | variance removed | unadjusted | HC2 | HC3 | one "
        "per arm | |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        holds = run_row(&rows[i], &users, runs) && holds;
    return holds ? 0 : 1;
}
