/* Verdicts and interpretations: the wording that clients match, and the figures in every language.
 */
#include "experiments/analyses/report_print.h"
#include "experiments/analyses/report_text.h"
#include "test.h"

static struct arena *arena;

static const struct locale *english(void)
{
    return locale_get(LANGUAGE_EN);
}

/* 100 of 1000 against 130 of 1000 users. */
static const struct test_result binary = {
    .effect = 3,
    .effect_relative_pct = 30,
    .control_rate_pct = {true, 10},
    .treatment_rate_pct = {true, 13},
    .ci_lower = 0.20677,
    .ci_upper = 5.79323,
    .ci_level = 0.95,
    .p_value = 0.0354881,
    .statistic = 2.1027,
    .is_significant = true,
    .power = 0.557,
    .alpha = 0.05,
};

/* Mean 10, sd 2, n 10 against mean 11.5, sd 2, n 10. */
static const struct continuous_observation observed = {10, 2, 10, 11.5, 2, 10, 0.05};
static const struct test_result continuous = {
    .effect = 1.5,
    .effect_relative_pct = 15,
    .ci_lower = -0.37912,
    .ci_upper = 3.37912,
    .ci_level = 0.95,
    .p_value = 0.1108118,
    .statistic = 1.6771,
    .degrees_of_freedom = 18,
    .power = 0.339,
    .alpha = 0.05,
};

static const struct test_result degenerate = {
    .degenerate = true, .ci_level = 0.95, .p_value = 1, .alpha = 0.05};

TEST(english_verdicts_are_fixed)
{
    static const struct {
        bool significant;
        double effect;
        double alpha;
        const char *verdict;
    } cases[] = {
        {true, 3, 0.05, "Statistically significant uplift at alpha=0.050"},
        {true, -3, 0.05, "Statistically significant decline at alpha=0.050"},
        {true, 0, 0.01, "Statistically significant difference at alpha=0.010"},
        {false, 3, 0.1, "No statistically significant difference at alpha=0.100"},
        {false, 0, 0.001, "No statistically significant difference at alpha=0.001"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct test_result result = {.is_significant = cases[i].significant,
                                     .effect = cases[i].effect,
                                     .alpha = cases[i].alpha};

        CHECK_TEXT(report_verdict(english(), arena, &result), cases[i].verdict);
    }
    CHECK_TEXT(report_verdict(english(), arena, &degenerate),
               "Cannot compute: zero standard error");
}

TEST(verdicts_in_every_language)
{
    static const struct {
        const char *tag;
        const char *uplift;
        const char *none;
    } cases[] = {
        {"en", "significant uplift", "No statistically"},
        {"ru", "значимый рост", "различия нет"},
        {"de", "signifikanter Anstieg", "Kein statistisch"},
        {"es", "Aumento estadísticamente significativo", "Sin diferencia"},
        {"fr", "Hausse statistiquement significative", "Pas de différence"},
        {"zh", "统计显著的提升", "无统计显著差异"},
        {"ar", "ارتفاع ذو دلالة إحصائية", "لا يوجد فرق"},
    };
    struct test_result unclear = binary;

    unclear.is_significant = false;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct locale *locale = locale_get(language_find(cases[i].tag));
        const char *uplift = report_verdict(locale, arena, &binary);
        const char *none = report_verdict(locale, arena, &unclear);

        CHECK(strstr(uplift, cases[i].uplift) != NULL);
        CHECK(strstr(uplift, "alpha=0.050") != NULL);
        CHECK(strstr(none, cases[i].none) != NULL);
        CHECK(strstr(none, "alpha=0.050") != NULL);
    }
}

TEST(binary_interpretation_in_english)
{
    CHECK_TEXT(report_binary_interpretation(english(), arena, &binary),
               "The conversion rate was 13.0000% in treatment and 10.0000% in control, a "
               "difference of +3.0000 pp (95.0% CI [0.2068, 5.7932] pp, p = 0.035488). The "
               "difference is statistically significant.");
}

TEST(continuous_interpretation_in_english)
{
    CHECK_TEXT(report_continuous_interpretation(english(), arena, &observed, &continuous),
               "The mean was 11.5000 in treatment and 10.0000 in control, a difference of +1.5000 "
               "(95.0% CI [-0.3791, 3.3791], p = 0.110812; Welch's t-test).");
}

TEST(figures_are_the_same_in_every_language)
{
    static const char *const binary_figures[] = {"13.0000", "10.0000",          "+3.0000",
                                                 "95.0",    "[0.2068, 5.7932]", "0.035488"};
    static const char *const continuous_figures[] = {"11.5000", "10.0000",           "+1.5000",
                                                     "95.0",    "[-0.3791, 3.3791]", "0.110812"};

    for (int language = 0; language < language_count(); language++) {
        const struct locale *locale = locale_get((enum language)language);
        const char *of_binary = report_binary_interpretation(locale, arena, &binary);
        const char *of_continuous =
            report_continuous_interpretation(locale, arena, &observed, &continuous);

        for (size_t i = 0; i < sizeof binary_figures / sizeof binary_figures[0]; i++) {
            CHECK(strstr(of_binary, binary_figures[i]) != NULL);
            CHECK(strstr(of_continuous, continuous_figures[i]) != NULL);
        }
        CHECK(strstr(of_binary, "{{") == NULL);
        CHECK(strstr(of_continuous, "{{") == NULL);
    }
}

TEST(significance_reads_as_a_sentence)
{
    static const struct {
        const char *tag;
        const char *yes;
        const char *no;
    } cases[] = {
        {"en", "difference is statistically significant.",
         "difference is not statistically significant."},
        {"ru", "Различие статистически значимо.", "Различие статистически незначимо."},
        {"de", "Unterschied ist statistisch signifikant.",
         "Unterschied ist statistisch nicht signifikant."},
        {"es", "La diferencia es estadísticamente significativa.",
         "La diferencia no es estadísticamente significativa."},
        {"fr", "La différence est statistiquement significative.",
         "La différence n’est pas statistiquement significative."},
        {"zh", "该差异具有统计显著性。", "该差异不具有统计显著性。"},
        {"ar", "هذا الفرق ذو دلالة إحصائية.", "هذا الفرق ليس ذا دلالة إحصائية."},
    };
    struct test_result unclear = binary;

    unclear.is_significant = false;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct locale *locale = locale_get(language_find(cases[i].tag));

        CHECK(strstr(report_binary_interpretation(locale, arena, &binary), cases[i].yes));
        CHECK(strstr(report_binary_interpretation(locale, arena, &unclear), cases[i].no));
    }
}

TEST(only_zero_reads_as_zero)
{
    struct test_result result = binary;
    const char *text;

    result.effect = -0.0;
    result.ci_lower = -1e-9;
    result.ci_upper = 0;
    result.p_value = 3.16508e-5;
    text = report_binary_interpretation(english(), arena, &result);
    CHECK(strstr(text, "difference of +0.0000 pp") != NULL);
    CHECK(strstr(text, "[-1e-09, 0.0000]") != NULL);
    CHECK(strstr(text, "p = 3.2e-05)") != NULL);
    result.effect = -6.0049e-5;
    result.p_value = 0;
    text = report_binary_interpretation(english(), arena, &result);
    CHECK(strstr(text, "difference of -6e-05 pp") != NULL);
    CHECK(strstr(text, "p = <1e-307)") != NULL);
}

/* The text of `value` with four decimals. */
static const char *fixed(double value)
{
    return report_print_fixed(arena, 4, value);
}

TEST(texts_show_three_digits)
{
    CHECK_TEXT(fixed(0.0123), "0.0123");
    CHECK_TEXT(fixed(0.00994), "0.00994");
    CHECK_TEXT(fixed(0.005), "0.0050");
    CHECK_TEXT(fixed(0.000124), "0.000124");
    CHECK_TEXT(fixed(-0.0000317), "-3.17e-05");
    CHECK_TEXT(fixed(12), "12.0000");
    CHECK_TEXT(report_print_signed(arena, 2, 0.161), "+0.161");
    CHECK_TEXT(report_print_p_value(arena, 0.00005), "0.000050");
    CHECK_TEXT(report_print_p_value(arena, 0.035488), "0.035488");
}

TEST(degenerate_data_are_said_to_be_so)
{
    for (int language = 0; language < language_count(); language++) {
        const struct locale *locale = locale_get((enum language)language);
        const char *text = report_binary_interpretation(locale, arena, &degenerate);

        CHECK(strstr(text, "results.") == NULL);
        CHECK(strpbrk(text, "0123456789{") == NULL);
        CHECK_TEXT(report_continuous_interpretation(locale, arena, &observed, &degenerate), text);
        CHECK(strstr(report_verdict(locale, arena, &degenerate), "alpha") == NULL);
    }
}

TEST(srm_verdicts)
{
    const struct srm_result mismatch = {16, 6.3e-5, true}, fit = {3.6, 0.05778, false};

    CHECK_TEXT(report_srm_verdict(english(), arena, &fit), "No SRM detected");
    CHECK(strncmp(report_srm_verdict(english(), arena, &mismatch), "SRM detected", 12) == 0);
    for (int language = 0; language < language_count(); language++) {
        const struct locale *locale = locale_get((enum language)language);
        const char *yes = report_srm_verdict(locale, arena, &mismatch);
        const char *no = report_srm_verdict(locale, arena, &fit);

        CHECK(strstr(yes, "SRM") && strstr(no, "SRM"));
        CHECK(strcmp(yes, no) != 0);
        CHECK(language == LANGUAGE_EN ||
              strcmp(no, report_srm_verdict(english(), arena, &fit)) != 0);
    }
}

static const struct test_case cases[] = {
    CASE(english_verdicts_are_fixed),
    CASE(verdicts_in_every_language),
    CASE(binary_interpretation_in_english),
    CASE(continuous_interpretation_in_english),
    CASE(figures_are_the_same_in_every_language),
    CASE(significance_reads_as_a_sentence),
    CASE(only_zero_reads_as_zero),
    CASE(texts_show_three_digits),
    CASE(degenerate_data_are_said_to_be_so),
    CASE(srm_verdicts),
};

int main(void)
{
    struct problem problem;
    int status;

    if (locale_open_catalogues("locales", &problem))
        return puts(problem.text), 1;
    arena = arena_create(1 << 22);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    locale_close_catalogues();
    return status;
}
