/*
 * The verifier of certificates, included as a whole: whichever single bit of a signed certificate
 * changes, it is found. ASSAY_TEST_SOAK tries a million, else ten thousand. Figures that do not
 * belong together are found although the signature is right.
 */
#include "crypto/base64url.h"
#include "crypto/crypto.h"
#include "crypto/ed25519.h"
#include "crypto/token.h"
#include "stats/bayes/superiority.h"
#include "stats/sequential/hybrid.h"
#include "test.h"

int verifier_main(int argc, char **argv);
#define main verifier_main
#include "../../clients/certificates/verify_certificate.c"
#undef main

enum {
    ARENA_BYTES = 1 << 24,
    SOLVING_BYTES = 1 << 25,
    FLIPS = 10000,
    FLIPS_SOAK = 1000000,
    CERTIFICATES = 40
};

static unsigned char seed[ED25519_KEY_BYTES], public_key[ED25519_KEY_BYTES];

/* A certificate of two rates; the figures are those of `verify_certificate.py`. */
static const char document[] =
    "{\"format\":\"assay-certificate-1\",\"experiment_id\":\"%s\",\"issued_at\":"
    "\"2026-07-30T12:00:00.000000+00:00\",\"data_version\":\"1.2.100.x\",\"key\":\"\",\"formulas\":"
    "{"
    "\"test\":\"two_proportions_pooled_z\",\"probability\":\"beta_1_1_exact\",\"sample_ratio\":"
    "\"pearson_chi_square\",\"always_valid\":\"normal_mixture_sprt\",\"boundary\":\"none\","
    "\"guardrails\":\"one_sided_normal\",\"strata\":\"post_stratified_z\",\"policy\":\"practical_"
    "v1\"},"
    "\"design\":{\"metric\":\"purchase\",\"metric_type\":\"binary\",\"direction\":\"increase\","
    "\"alpha\":0.05,\"power\":0.8,\"baseline_value\":0.1,\"mde_pct\":20.0,\"traffic_split\":[50.0,"
    "50.0],"
    "\"n_looks\":1,\"planned_users_per_arm\":3841,\"final_boundary\":null,\"mixture_variance\":0."
    "0004},"
    "\"population\":{\"policy\":\"analytical_population_v1\",\"counts\":\"\",\"exposures\":10000,"
    "\"exposures_sha256\":\"\",\"events\":0,\"events_before_exposure\":0,\"multiple_exposure_"
    "share\":0.0},"
    "\"arms\":[{\"variation_index\":0,\"users\":5000,\"converted\":%d,\"mean\":0.1,\"squares\":450."
    "0,"
    "\"denominator_mean\":null,\"denominator_squares\":null,\"products\":null},{\"variation_"
    "index\":1,"
    "\"users\":5000,\"converted\":700,\"mean\":0.14,\"squares\":602.0,\"denominator_mean\":null,"
    "\"denominator_squares\":null,\"products\":null}],\"strata\":[],\"guardrails\":[],"
    "\"comparisons\":[{"
    "\"treatment_index\":1,\"status\":\"ok\",\"effect\":4.0,\"ci_lower\":2.728589023270569,\"ci_"
    "upper\":"
    "5.271410976729432,\"p_value\":7.527930751217343e-10,\"statistic\":6.154574548966638,"
    "\"probability_better\":1.0,"
    "\"always_valid_p_value\":%s,\"ci_sequence_lower\":%s,\"ci_sequence_upper\":%s,\"is_"
    "significant\":true,"
    "\"sequential_significant\":null}],\"sample_ratio\":{\"status\":\"ok\",\"chi_square\":0.0,\"p_"
    "value\":"
    "1.0,\"is_srm\":false},\"sequential\":{\"status\":\"fixed_horizon\",\"information_fraction\":1."
    "0,"
    "\"boundary\":null},\"decision\":{\"verdict\":\"%s\",\"confidence\":\"high\",\"reasons\":[{"
    "\"code\":"
    "\"significant_win\",\"arm\":1,\"part\":null},{\"code\":\"practical_threshold_met\",\"arm\":1,"
    "\"part\":"
    "null},{\"code\":\"bayesian_win\",\"arm\":1,\"part\":null}],\"blockers\":[]}}";

/* Signs a text as the service does; its length. */
static size_t sign_text(struct arena *arena, const char *text, char **file)
{
    unsigned char signature[ED25519_SIGNATURE_BYTES];

    CHECK_INT(ed25519_sign(seed, text, strlen(text), signature, NULL), ERROR_NONE);
    *file = (char *)arena_print(arena, "{\"certificate\":%s,\"signature\":\"%s\"}", text,
                                base64url_write(arena, signature, sizeof signature));
    return strlen(*file);
}

static const char *verdict_of(char *file, size_t length)
{
    json_t *root = NULL;
    const char *problem = check(file, length, public_key, &root);

    json_decref(root);
    return problem;
}

/* The always-valid figures of the sums, by the formula of docs/use/certificates.md. */
static const char *make(struct arena *arena, const char *experiment, int converted,
                        const char *verdict)
{
    double v = 0.1 * 0.9 / 5000 + 0.14 * 0.86 / 5000, tau = 0.0004, d = 0.04;
    double spread = log1p(tau / v) / 2, p = exp(-(tau / (v + tau) * d * d / v / 2 - spread));
    double radius = sqrt(2 * v * ((v + tau) / tau) * (spread - log(0.05)));

    return arena_print(arena, document, experiment, converted, arena_print(arena, "%.17g", p),
                       arena_print(arena, "%.17g", d - radius),
                       arena_print(arena, "%.17g", d + radius), verdict);
}

/* The same as of a goal from live data. */
static const char *with_source(struct arena *arena, const char *text, const char *source)
{
    const char *behind = strstr(text, "\"arms\":"), *format = strstr(text, "certificate-1");
    size_t number = (size_t)(format - text) + strlen("certificate-");

    return arena_print(arena, "%.*s2%.*s\"source\":%s,%s", (int)number, text,
                       (int)((size_t)(behind - text) - number - 1), text + number + 1, source,
                       behind);
}

static const char fresh_source[] =
    "{\"status\":\"fresh\",\"metric\":\"purchase\",\"entity_type\":\"sale\",\"position\":\"0/1\","
    "\"complete_at\":\"2026-07-30T11:59:58Z\"}";

/* `text` with `with` instead of `what`, which is there once. */
static const char *put(struct arena *arena, const char *text, const char *what, const char *with)
{
    const char *at = strstr(text, what);

    CHECK(at && !strstr(at + 1, what));
    return at ? arena_print(arena, "%.*s%s%s", (int)(at - text), text, with, at + strlen(what))
              : text;
}

struct end_of_test {
    double p, end_z, early_error;
};

/* A plan with the defaults, which ended with those users; always with the same z. */
static struct end_of_test solve_end(double z)
{
    static struct end_of_test solved;
    struct arena *arena = arena_create(SOLVING_BYTES);
    struct hybrid_design *design = ARENA_NEW(arena, struct hybrid_design);
    struct hybrid_plan plan = {0.05, 0.5, hybrid_mixture(0.5, 0.05, 0.5), 10000.0 / 2 / 3841};

    if (solved.p == 0) {
        CHECK(hybrid_solve(&plan, arena, design));
        solved =
            (struct end_of_test){hybrid_end_p(&plan, z, arena), design->end_z, design->early_error};
    }
    arena_destroy(arena);
    return solved;
}

/* The same with hybrid readings whose test at the end was taken with the users of now; the
 * constants times factors. */
static const char *with_hybrid(struct arena *arena, const char *text, double more_z, double more_p)
{
    double error = sqrt(0.1 * 0.9 / 5000 + 0.14 * 0.86 / 5000), z = 0.04 / error;
    struct end_of_test solved = solve_end(z);
    double end_z = solved.end_z * more_z;
    const char *arms = strstr(text, "\"arms\":"), *behind = strstr(arms, ",\"strata\"");
    const char *block = arena_print(
        arena,
        "\"hybrid\":{\"status\":\"ended\",\"alpha\":0.05,\"early_share\":0.5,\"tuned_fraction\":0."
        "5,"
        "\"early_error\":%.17g,\"end_z\":%.17g,\"end\":{\"information_fraction\":%.17g,\"users\":"
        "10000,\"taken_at\":\"2026-07-30T11:59:00Z\",\"sums\":{%.*s}},\"readings\":[{\"treatment_"
        "index"
        "\":1,\"status\":\"efficacy\",\"boundary_z\":%.17g,\"z\":%.17g,\"p_value\":%.17g,"
        "\"effect\":"
        "0.04,\"ci_lower\":%.17g,\"ci_upper\":%.17g,\"is_significant\":true}]},\"decision\":{",
        solved.early_error, end_z, 10000.0 / 2 / 3841, (int)(behind - arms), arms, end_z, z,
        solved.p * more_p, 0.04 - end_z * error, 0.04 + end_z * error);

    text = put(arena, text, "\"decision\":{", block);
    text = put(arena, text, "\"sequential_significant\":null", "\"sequential_significant\":true");
    text = put(arena, text, "fixed_horizon", "active");
    text = put(
        arena, text, "\"part\":null}],\"blockers\"",
        "\"part\":null},{\"code\":\"sequential_crossed\",\"arm\":1,\"part\":null}],\"blockers\"");
    *(strstr((char *)text, "certificate-") + strlen("certificate-")) = '3';
    return text;
}

TEST(every_changed_bit_is_found)
{
    struct arena *arena = arena_create(ARENA_BYTES);
    long flips = getenv("ASSAY_TEST_SOAK") ? FLIPS_SOAK : FLIPS, found = 0;
    char id[TOKEN_UUID_TEXT];
    const char *text;
    char *file = NULL;
    size_t length = 0;

    for (long i = 0; i < flips; i++) {
        size_t bit;

        if (i % (flips / CERTIFICATES) == 0) {
            token_random_bytes(seed, sizeof seed);
            CHECK_INT(ed25519_public_key(seed, public_key, NULL), ERROR_NONE);
            token_uuid(id);
            text = make(arena, id, 500, "ship");
            if (i / (flips / CERTIFICATES) % 2)
                text = with_source(arena, text, fresh_source);
            if (i / (flips / CERTIFICATES) % 4 > 1)
                text = with_hybrid(arena, text, 1, 1);
            length = sign_text(arena, text, &file);
            CHECK(!verdict_of(file, length));
        }
        token_random_bytes(&bit, sizeof bit);
        bit %= 8 * length;
        file[bit / 8] ^= (char)(1 << bit % 8);
        found += verdict_of(file, length) != NULL;
        file[bit / 8] ^= (char)(1 << bit % 8);
    }
    CHECK_INT(found, flips);
    arena_destroy(arena);
}

TEST(each_bit_of_the_frame_and_the_signature_counts)
{
    struct arena *arena = arena_create(ARENA_BYTES);
    char *file;
    size_t length, missed = 0;

    length = sign_text(arena, make(arena, "id", 500, "ship"), &file);
    for (size_t i = 0; i < length; i++) {
        if (i == sizeof head - 1)
            i = length - SIGNATURE_TEXT - sizeof middle - sizeof end + 2;
        for (int bit = 0; bit < 8; bit++) {
            file[i] ^= (char)(1 << bit);
            missed += !verdict_of(file, length);
            file[i] ^= (char)(1 << bit);
        }
    }
    CHECK_INT((long)missed, 0);
    CHECK(!verdict_of(file, length));
    CHECK(verdict_of(file, length - 1) != NULL);
    arena_destroy(arena);
}

TEST(signed_figures_that_do_not_belong_together)
{
    struct arena *arena = arena_create(ARENA_BYTES);
    char *file;
    size_t length = sign_text(arena, make(arena, "id", 501, "ship"), &file);

    CHECK(strstr(verdict_of(file, length), "computed from the sums") != NULL);
    length = sign_text(arena, make(arena, "id", 500, "no_ship"), &file);
    CHECK_TEXT(verdict_of(file, length), "verdict is no_ship, and computed from the sums ship");
    length = sign_text(arena, "{\"format\":\"assay-certificate-1\"}", &file);
    CHECK(strstr(verdict_of(file, length), "is missing") != NULL);
    length = sign_text(arena, "[1]", &file);
    CHECK(verdict_of(file, length) != NULL);
    arena_destroy(arena);
}

TEST(a_source_that_was_not_fresh)
{
    static const struct {
        const char *source, *says;
    } cases[] = {
        {"{\"status\":\"stale\",\"metric\":\"purchase\",\"complete_at\":\"2026-07-30T11:00:00Z\"}",
         "status is stale"},
        {"{\"status\":\"fresh\",\"metric\":\"other\",\"complete_at\":\"2026-07-30T11:00:00Z\"}",
         "metric is other"},
        {"{\"status\":\"fresh\",\"metric\":\"purchase\",\"complete_at\":\"2026-07-30T12:00:01Z\"}",
         "after the certificate"},
        {"{\"status\":\"fresh\",\"metric\":\"purchase\"}", "is missing"},
    };
    struct arena *arena = arena_create(ARENA_BYTES);
    const char *plain = make(arena, "id", 500, "ship"), *marked;
    char *file;
    size_t length;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        length = sign_text(arena, with_source(arena, plain, cases[i].source), &file);
        CHECK(strstr(verdict_of(file, length), cases[i].says) != NULL);
    }
    marked = with_source(arena, plain, fresh_source);
    length = sign_text(arena, marked, &file);
    CHECK(!verdict_of(file, length));
    *strstr(file, "certificate-2") = 'C';
    CHECK(verdict_of(file, length) != NULL);
    arena_destroy(arena);
}

/* Arms a thousand times as large as the other, and rates of 0 and 1: what the service answers. */
TEST(probabilities_of_unequal_arms)
{
    static const struct arm arms[] = {
        {.users = 2, .converted = 0},        {.users = 20, .converted = 20},
        {.users = 50, .converted = 0},       {.users = 100, .converted = 10},
        {.users = 1000, .converted = 100},   {.users = 2000, .converted = 2000},
        {.users = 20000, .converted = 1},    {.users = 20000, .converted = 20000},
        {.users = 50000, .converted = 5100}, {.users = 1000000, .converted = 100500}};
    size_t count = sizeof arms / sizeof arms[0], off = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            off += fabs(beats(&arms[i], &arms[k]) -
                        superiority_of_rates((int64_t)arms[i].converted, (int64_t)arms[i].users,
                                             (int64_t)arms[k].converted, (int64_t)arms[k].users)) >
                   figures / 2;
    CHECK_INT((long)off, 0);
}

/* Each is signed: the constants do not fit what they spend. A larger one spends less than it may.
 */
TEST(hybrid_constants_that_spend_another_alpha)
{
    static const struct {
        double z, p;
        const char *says;
    } cases[] = {
        {0.999, 1, "spend"}, {1.01, 1, "spend"}, {1, 1.02, "p_value"}, {1, 0.98, "p_value"}};
    struct arena *arena = arena_create(ARENA_BYTES);
    const char *plain = make(arena, "id", 500, "ship"), *right = with_hybrid(arena, plain, 1, 1);
    char *file;
    size_t length = sign_text(arena, right, &file);

    CHECK(!verdict_of(file, length));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        length = sign_text(arena, with_hybrid(arena, plain, cases[i].z, cases[i].p), &file);
        CHECK(verdict_of(file, length) && strstr(verdict_of(file, length), cases[i].says));
    }
    length = sign_text(arena, put(arena, right, "certificate-3", "certificate-1"), &file);
    CHECK(strstr(verdict_of(file, length), "format") != NULL);
    length = sign_text(arena, put(arena, right, "\"users\":10000,", "\"users\":9999,"), &file);
    CHECK(strstr(verdict_of(file, length), "users is 9999") != NULL);
    length = sign_text(arena, put(arena, right, "\"ended\"", "\"running\""), &file);
    CHECK(strstr(verdict_of(file, length), "status is running") != NULL);
    arena_destroy(arena);
}

/* The integral equation of the verifier against the chords of the service. */
static void check_plan(const struct hybrid_plan *plan, struct arena *arena)
{
    struct hybrid_design *design = ARENA_NEW(arena, struct hybrid_design);
    struct hybrid own = {plan->alpha, plan->early_share, plan->mixture, plan->end};
    double early, share;

    CHECK(hybrid_solve(plan, arena, design));
    share = hybrid_spent(&own, design->end_z, &early) / plan->alpha;
    CHECK_NEAR(share, 1 - spent_less / 4, spent_less / 4);
    CHECK_NEAR(design->early_error / early, 1 + early_error_off / 4, early_error_off / 4);
    for (double z = 1; z < 4; z += 2.5) {
        own.alpha = hybrid_end_p(plan, z, arena);
        share = hybrid_spent(&own, z, &early) / own.alpha;
        CHECK(own.alpha == HYBRID_ALPHA_MIN || fabs(share - 1) <= spent_less / 2);
    }
}

TEST(what_hybrid_plans_spend)
{
    static const double alphas[] = {1e-6, 0.005, 0.05, 0.3}, shares[] = {0.01, 0.5, 0.99},
                        fractions[] = {0.02, 0.5, 1}, ends[] = {0.1, 1, 3};

    for (size_t i = 0; i < 4 * 3 * 3 * 3; i++) {
        double alpha = alphas[i % 4], share = shares[i / 4 % 3];
        struct hybrid_plan plan = {
            alpha, share, hybrid_mixture(fractions[i / 12 % 3], alpha, share), ends[i / 36]};
        struct arena *arena = arena_create(SOLVING_BYTES);

        if (getenv("ASSAY_TEST_SOAK") || i % 13 == 0)
            check_plan(&plan, arena);
        arena_destroy(arena);
    }
}

TEST(signatures_are_those_of_rfc_8032)
{
    static const unsigned char one[ED25519_KEY_BYTES] = {
        0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a,
        0xf4, 0x92, 0xec, 0x2c, 0xc4, 0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32,
        0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60};
    unsigned char key[ED25519_KEY_BYTES], signature[ED25519_SIGNATURE_BYTES];
    struct arena *arena = arena_create(ARENA_BYTES);

    CHECK_INT(ed25519_public_key(one, key, NULL), ERROR_NONE);
    CHECK_TEXT(base64url_write(arena, key, sizeof key),
               "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
    CHECK_INT(ed25519_sign(one, "", 0, signature, NULL), ERROR_NONE);
    CHECK_TEXT(
        base64url_write(arena, signature, sizeof signature),
        "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw");
    CHECK(ed25519_verify(key, signature, "", 0));
    CHECK(!ed25519_verify(key, signature, "a", 1));
    signature[63] ^= 0x20; /* S beyond the order of the group */
    CHECK(!ed25519_verify(key, signature, "", 0));
    arena_destroy(arena);
}

TEST_MAIN(CASE(signatures_are_those_of_rfc_8032), CASE(every_changed_bit_is_found),
          CASE(each_bit_of_the_frame_and_the_signature_counts),
          CASE(signed_figures_that_do_not_belong_together), CASE(a_source_that_was_not_fresh),
          CASE(hybrid_constants_that_spend_another_alpha), CASE(what_hybrid_plans_spend),
          CASE(probabilities_of_unequal_arms))
