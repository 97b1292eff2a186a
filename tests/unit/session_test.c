/* Signed tokens, password hashes: what is accepted, and everything else that is not. */
#include "base/arena.h"
#include "crypto/crypto.h"
#include "crypto/jwt.h"
#include "crypto/password.h"
#include "test.h"

static struct arena *arena;

static bool accepts(const char *token, const char *key, int64_t now)
{
    json_t *claims;
    struct problem problem;

    return jwt_verify(arena, token, key, now, &claims, &problem) == ERROR_NONE;
}

/* {"sub":"ann","exp":2000000000}, signed by Python's hmac with a key of 32 times "k". */
#define HEAD "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
#define FOREIGN                                                                                    \
    HEAD ".eyJzdWIiOiJhbm4iLCJleHAiOjIwMDAwMDAwMDB9.7D4TjrbME2r9aDyw7Qiaj5O1jP2TkOEhaFbjsiogV14"

TEST(a_token_comes_back_as_it_went)
{
    const char *token = jwt_sign(arena, "{\"sub\":\"ann\",\"exp\":2000}", "secret");
    json_t *claims;
    struct problem problem;

    CHECK_INT(jwt_verify(arena, token, "secret", 1999, &claims, &problem), ERROR_NONE);
    CHECK_TEXT(jwt_text(claims, "sub"), "ann");
    CHECK(jwt_text(claims, "exp") == NULL && jwt_text(claims, "nothing") == NULL);
}

TEST(what_others_have_signed_is_understood)
{
    CHECK(accepts(FOREIGN, "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk", 1));
}

TEST(everything_else_is_refused)
{
    const char *token = jwt_sign(arena, "{\"sub\":\"ann\",\"exp\":2000}", "secret");
    const char *eternal = jwt_sign(arena, "{\"sub\":\"ann\"}", "secret");
    char *changed = arena_copy_string(arena, token);
    static const char *const wrong[] = {
        "", ".", "..", "a.b.c", "a.b.c.d", (HEAD ".."),
        /* {"alg":"none"} and {"alg":"HS512"} over {"sub":"ann","exp":2000} */
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4iLCJleHAiOjIwMDB9.",
        "eyJhbGciOiJIUzUxMiJ9.eyJzdWIiOiJhbm4iLCJleHAiOjIwMDB9.AAAA"};

    changed[strlen(HEAD) + 3] ^= 1;
    CHECK(!accepts(changed, "secret", 1));
    CHECK(!accepts(token, "other", 1) && !accepts(token, "", 1));
    CHECK(!accepts(token, "secret", 2000)); /* no leeway */
    CHECK(!accepts(eternal, "secret", 1));
    CHECK(!accepts(arena_print(arena, "%s=", token), "secret", 1));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK(!accepts(wrong[i], "secret", 1));
}

static bool matches(const char *password, const char *hash)
{
    struct problem problem;
    bool same = false;

    CHECK_INT(password_matches(password, hash, &same, &problem), ERROR_NONE);
    return same;
}

/* The hash of "correct horse" was made by Python 3.11 (crypt), cost 4. */
TEST(passwords_match_their_hashes)
{
    static const char bcrypt[] = "$2b$04$.VHBubhjCevLoBbZsh57Oe81iUYW1jB5f739JPKsaljS6cGKV3q.O";
    struct problem problem;
    const char *made;

    CHECK(matches("correct horse", bcrypt));
    CHECK(!matches("correct horsf", bcrypt));
    CHECK(!matches("", NULL) && !matches("", "!") && !matches("x", "x"));
    CHECK_INT(password_hash(arena, "s", &made, &problem), ERROR_NONE);
    CHECK(password_is_hash(made) && matches("s", made) && !matches("t", made));
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(a_token_comes_back_as_it_went), CASE(what_others_have_signed_is_understood),
        CASE(everything_else_is_refused), CASE(passwords_match_their_hashes)};
    struct problem problem;
    int status;

    if (crypto_start(&problem))
        return 1;
    arena = arena_create(1 << 20);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return status;
}
