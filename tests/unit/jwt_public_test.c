/* Tokens signed with public keys: what is accepted, and each way in which one is refused. */
#include "crypto/jwt.h"

#include "base/schema.h"
#include "crypto/public_key.h"
#include "signed_tokens.h"
#include "test.h"

static struct arena *arena;

static const json_t *key_set(const char *first, const char *second)
{
    const char *text =
        arena_print(arena, "{\"keys\":[%s%s%s]}", first, second ? "," : "", second ? second : "");
    struct json_fault fault;
    json_t *set;

    if (json_read(arena, text, strlen(text), 8, &set, &fault) != ERROR_NONE)
        return NULL;
    return json_object_get(set, "keys");
}

/* "" for an accepted token, else the reason. */
static const char *verdict(const char *token, const json_t *keys)
{
    struct problem problem = {0};
    json_t *claims = NULL;

    if (jwt_verify_public(arena, token, keys, &claims, &problem))
        return problem.reason;
    CHECK_TEXT(jwt_text(claims, "sub"), "ann");
    return "";
}

TEST(signatures_of_the_three_algorithms_are_accepted)
{
    const json_t *keys = key_set(rsa_key, ec_key);

    CHECK_TEXT(verdict(rs256_token, keys), "");
    CHECK_TEXT(verdict(ps256_token, keys), "");
    CHECK_TEXT(verdict(es256_token, keys), "");
    CHECK_TEXT(verdict(short_number_token, keys), "");
}

TEST(a_token_without_a_key_name_needs_a_single_key)
{
    CHECK_TEXT(verdict(nameless_token, key_set(rsa_key, ec_key)), "");
    CHECK_TEXT(verdict(nameless_token, key_set(ec_key, off_curve_key)), "token_key");
    CHECK_TEXT(verdict(nameless_token, key_set(rsa_key, NULL)), "token_key");
}

TEST(other_algorithms_are_refused)
{
    const json_t *keys = key_set(rsa_key, ec_key);

    CHECK_TEXT(verdict(unsigned_token, keys), "token_algorithm");
    CHECK_TEXT(verdict(hs256_token, keys), "token_algorithm");
    CHECK_TEXT(verdict(lower_case_token, keys), "token_algorithm");
    CHECK_INT(signature_algorithm_of(NULL), SIGNATURE__MAX);
    CHECK_INT(signature_algorithm_of("PS256"), SIGNATURE_PS256);
}

TEST(headers_of_other_tokens_are_refused)
{
    const json_t *keys = key_set(rsa_key, ec_key);

    CHECK_TEXT(verdict(access_token, keys), "token_malformed");
    CHECK_TEXT(verdict(critical_token, keys), "token_malformed");
    CHECK_TEXT(verdict(numbered_token, keys), "token_key");
}

TEST(a_wrong_signature_is_refused)
{
    const json_t *keys = key_set(rsa_key, ec_key);
    char *changed = arena_copy_string(arena, rs256_token);
    char *claims = strchr(changed, '.') + 1;

    CHECK_TEXT(verdict(foreign_token, keys), "token_signature");
    claims[3] = claims[3] == 'A' ? 'B' : 'A';
    CHECK_TEXT(verdict(changed, keys), "token_signature");
    for (size_t cut = 1; cut < 8; cut++) {
        const char *shorter = arena_copy(arena, es256_token, strlen(es256_token) - cut);

        CHECK_TEXT(verdict(shorter, keys), "token_signature");
    }
    CHECK_TEXT(verdict(arena_copy(arena, es256_token,
                                  (size_t)(strrchr(es256_token, '.') + 1 - es256_token)),
                       keys),
               "token_signature");
}

TEST(unusable_keys_verify_nothing)
{
    CHECK_TEXT(verdict(small_token, key_set(small_rsa_key, NULL)), "token_signature");
    CHECK_TEXT(verdict(off_curve_token, key_set(off_curve_key, NULL)), "token_signature");
    CHECK_TEXT(verdict(rs256_token, key_set("{\"kty\":\"RSA\",\"kid\":\"r1\"}", NULL)),
               "token_signature");
    CHECK_TEXT(
        verdict(rs256_token,
                key_set("{\"kty\":\"RSA\",\"kid\":\"r1\",\"n\":\"AAAA\",\"e\":\"AQAB\"}", NULL)),
        "token_signature");
    CHECK_TEXT(verdict(es256_token,
                       key_set("{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"e1\",\"x\":\"AA\","
                               "\"y\":\"AA\"}",
                               NULL)),
               "token_signature");
}

TEST(a_key_for_another_use_is_no_key)
{
    const json_t *keys;
    static const char *const members[] = {"\"use\":\"enc\"", "\"alg\":\"RS512\"", "\"use\":1"};

    for (size_t i = 0; i < COUNT_OF(members); i++) {
        keys = key_set(arena_print(arena, "{%s,%s", members[i], rsa_key + 1), NULL);
        CHECK_TEXT(verdict(rs256_token, keys), "token_key");
    }
    CHECK_TEXT(verdict(rs256_token, key_set(ec_key, NULL)), "token_key");
    CHECK_TEXT(verdict(rs256_token, key_set("null", "[]")), "token_key");
    CHECK_TEXT(verdict(rs256_token, NULL), "token_key");
}

TEST(malformed_tokens_are_refused)
{
    static const char *const tokens[] = {"",        ".",    "..",       "a.b",
                                         "a.b.c.d", "!.!.", "bnVsbA..", "W10.e30.AA"};
    const json_t *keys = key_set(rsa_key, ec_key);
    char *long_token = arena_alloc(arena, JWT_PUBLIC_TEXT_MAX + 2);

    for (size_t i = 0; i < COUNT_OF(tokens); i++)
        CHECK_TEXT(verdict(tokens[i], keys), "token_malformed");
    memset(long_token, 'A', JWT_PUBLIC_TEXT_MAX + 1);
    long_token[10] = long_token[20] = '.';
    CHECK_TEXT(verdict(long_token, keys), "token_malformed");
}

/* The claims of a token of a provider are no claims of ours, and the other way round. */
TEST(our_own_tokens_are_signed_otherwise)
{
    struct problem problem = {0};
    json_t *claims;

    CHECK_INT(jwt_verify(arena, rs256_token, rsa_key, 0, &claims, &problem), ERROR_FORBIDDEN);
    CHECK_TEXT(
        verdict(jwt_sign(arena, "{\"sub\":\"ann\",\"exp\":1}", "key"), key_set(rsa_key, ec_key)),
        "token_algorithm");
}

int main(void)
{
    static const struct test_case cases[] = {CASE(signatures_of_the_three_algorithms_are_accepted),
                                             CASE(a_token_without_a_key_name_needs_a_single_key),
                                             CASE(other_algorithms_are_refused),
                                             CASE(headers_of_other_tokens_are_refused),
                                             CASE(a_wrong_signature_is_refused),
                                             CASE(unusable_keys_verify_nothing),
                                             CASE(a_key_for_another_use_is_no_key),
                                             CASE(malformed_tokens_are_refused),
                                             CASE(our_own_tokens_are_signed_otherwise)};
    int failed;

    arena = arena_create(1 << 24);
    failed = test_run_all(cases, COUNT_OF(cases));
    arena_destroy(arena);
    return failed;
}
