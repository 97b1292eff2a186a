/* Digests against published vectors, comparison of secrets, and the form of random values. */
#include "base/clock.h"
#include "crypto/crypto.h"
#include "crypto/digest.h"
#include "crypto/token.h"
#include "test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(starting_twice_is_harmless)
{
    struct problem problem;

    CHECK_INT(crypto_start(&problem), ERROR_NONE);
    CHECK_INT(crypto_start(NULL), ERROR_NONE);
}

/* NIST, "Cryptographic Standards and Guidelines: Examples with Intermediate Values", SHA-256; the
 * empty message is from the NIST short-message test vectors. */
TEST(sha256_gives_the_published_digests)
{
    static const struct {
        const char *message, *expected;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char text[DIGEST_SHA256_TEXT];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        digest_sha256_hex(cases[i].message, strlen(cases[i].message), text);
        CHECK_TEXT(text, cases[i].expected);
    }
    digest_sha256_hex(NULL, 0, text);
    CHECK_TEXT(text, cases[0].expected);
}

TEST(a_file_has_the_digest_of_its_bytes)
{
    char bytes[200000], expected[DIGEST_SHA256_TEXT], text[DIGEST_SHA256_TEXT];
    char path[] = "/tmp/assay-digest-XXXXXX";
    int file = mkstemp(path);

    memset(bytes, 'a', sizeof bytes);
    CHECK_INT(write(file, bytes, sizeof bytes), sizeof bytes);
    digest_sha256_hex(bytes, sizeof bytes, expected);
    CHECK(digest_file_sha256_hex(file, text)); /* from its beginning, wherever it stands */
    CHECK_TEXT(text, expected);
    close(file);
    unlink(path);
    CHECK(!digest_file_sha256_hex(-1, text));
    CHECK_TEXT(text, "");
}

static void fill(unsigned char *bytes, size_t count, int value)
{
    memset(bytes, value, count);
}

/* RFC 4231 section 4, cases 1 to 4, 6 and 7 (case 5 is about truncated output). */
TEST(hmac_sha256_gives_the_digests_of_rfc_4231)
{
    unsigned char key[131], data[50];
    char text[DIGEST_SHA256_TEXT];
    static const char large_key_text[] = "Test Using Larger Than Block-Size Key - Hash Key First";
    static const char large_both_text[] =
        "This is a test using a larger than block-size key and a larger than block-size data. The "
        "key needs to be hashed before being used by the HMAC algorithm.";

    fill(key, 20, 0x0b);
    digest_hmac_sha256_hex(key, 20, "Hi There", 8, text);
    CHECK_TEXT(text, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");

    digest_hmac_sha256_hex("Jefe", 4, "what do ya want for nothing?", 28, text);
    CHECK_TEXT(text, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");

    fill(key, 20, 0xaa);
    fill(data, 50, 0xdd);
    digest_hmac_sha256_hex(key, 20, data, 50, text);
    CHECK_TEXT(text, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");

    for (int i = 0; i < 25; i++)
        key[i] = (unsigned char)(i + 1);
    fill(data, 50, 0xcd);
    digest_hmac_sha256_hex(key, 25, data, 50, text);
    CHECK_TEXT(text, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");

    fill(key, 131, 0xaa);
    digest_hmac_sha256_hex(key, 131, large_key_text, strlen(large_key_text), text);
    CHECK_TEXT(text, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    digest_hmac_sha256_hex(key, 131, large_both_text, strlen(large_both_text), text);
    CHECK_TEXT(text, "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

TEST(parts_sign_like_the_whole)
{
    const struct digest_part parts[] = {{"what do ", 8}, {NULL, 0}, {"ya want for nothing?", 20}};
    char text[DIGEST_SHA256_TEXT];
    unsigned char digest[DIGEST_SHA256_BYTES];

    digest_hmac_sha256_parts_hex("Jefe", 4, parts, 3, text);
    CHECK_TEXT(text, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    digest_hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28, digest);
    CHECK_INT(digest[0], 0x5b);
    CHECK_INT(digest[31], 0x43);
}

/* SipHash reference implementation (github.com/veorq/SipHash, vectors_sip128): key 00..0f, message
 * 00..(n-1). */
TEST(short_digest_is_siphash_128)
{
    static const unsigned char expected[2][DIGEST_SHORT_BYTES] = {
        {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02,
         0x93},
        {0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9b, 0x22, 0xfc,
         0x45},
    };
    unsigned char key[DIGEST_SHORT_KEY_BYTES], digest[DIGEST_SHORT_BYTES];

    for (int i = 0; i < DIGEST_SHORT_KEY_BYTES; i++)
        key[i] = (unsigned char)i;
    digest_short(key, "", 0, digest);
    CHECK(memcmp(digest, expected[0], sizeof digest) == 0);
    digest_short(key, "\0", 1, digest);
    CHECK(memcmp(digest, expected[1], sizeof digest) == 0);
}

TEST(secrets_are_equal_only_when_they_are)
{
    static const char secret[] = "correct horse battery staple";
    char longer[300];

    CHECK(digest_equal_secret(secret, secret));
    CHECK(digest_equal_secret("", ""));
    CHECK(!digest_equal_secret("", secret));
    CHECK(!digest_equal_secret("correct horse battery stapl", secret));
    CHECK(!digest_equal_secret("correct horse battery staplf", secret));
    CHECK(!digest_equal_secret("correct horse battery staple ", secret));
    CHECK(!digest_equal_secret("Correct horse battery staple", secret));
    CHECK(!digest_equal_secret(NULL, secret));
    CHECK(!digest_equal_secret(secret, NULL));
    CHECK(!digest_equal_secret(NULL, NULL));
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    CHECK(digest_equal_secret(longer, longer));
    CHECK(!digest_equal_secret(longer, longer + 1));
    CHECK(digest_equal_bytes("abc", "abd", 2));
    CHECK(!digest_equal_bytes("abc", "abd", 3));
}

TEST(uuids_are_of_version_4_and_lower_case)
{
    char first[TOKEN_UUID_TEXT], second[TOKEN_UUID_TEXT];
    unsigned variants_seen = 0;

    for (int i = 0; i < 200; i++) {
        token_uuid(first);
        CHECK_INT(strlen(first), 36);
        CHECK(token_is_uuid(first));
        variants_seen |= 1u << (strchr("89ab", first[19]) - "89ab");
    }
    CHECK_INT(variants_seen, 15);
    token_uuid(second);
    CHECK(strcmp(first, second) != 0);
}

TEST(ordered_uuids_begin_with_their_time)
{
    char earlier[TOKEN_UUID_TEXT], later[TOKEN_UUID_TEXT], digits[13];
    int64_t before = clock_unix_microseconds() / 1000, after, told;

    token_uuid_ordered(earlier);
    after = clock_unix_microseconds() / 1000;
    while (clock_unix_microseconds() / 1000 <= after)
        ;
    token_uuid_ordered(later);
    CHECK(token_is_uuid(earlier) && token_is_uuid(later));
    CHECK(strncmp(earlier, later, 13) < 0);
    snprintf(digits, sizeof digits, "%.8s%.4s", earlier, earlier + 9);
    told = strtoll(digits, NULL, 16);
    CHECK(told >= before && told <= after);
    CHECK(strcmp(earlier + 19, later + 19) != 0);
}

TEST(what_is_no_uuid_is_told_apart)
{
    static const char *const wrong[] = {
        "",
        "f47ac10b-58cc-4372-a567-0e02b2c3d47",    /* short */
        "f47ac10b-58cc-4372-a567-0e02b2c3d4790",  /* long */
        "F47AC10B-58CC-4372-A567-0E02B2C3D479",   /* upper case */
        "f47ac10b-58cc-1372-a567-0e02b2c3d479",   /* version 1 */
        "f47ac10b-58cc-4372-c567-0e02b2c3d479",   /* variant */
        "f47ac10b58cc-4372-a567-0e02b2c3d479-",   /* dashes */
        "f47ac10b-58cc-4372-a567-0e02b2c3d47g",   /* digit */
        "{f47ac10b-58cc-4372-a567-0e02b2c3d479}", /* braces */
    };

    CHECK(token_is_uuid("f47ac10b-58cc-4372-a567-0e02b2c3d479")); /* RFC 4122's own example */
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK(!token_is_uuid(wrong[i]));
}

TEST(tokens_are_base64url_and_differ)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    static const struct {
        size_t random_bytes, characters;
    } cases[] = {{1, 2}, {2, 3}, {3, 4}, {32, 43}, {256, 342}};
    char first[TOKEN_TEXT_MAX], second[TOKEN_TEXT_MAX];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        token_random_text(cases[i].random_bytes, first, sizeof first);
        CHECK_INT(strlen(first), cases[i].characters);
        CHECK_INT(strspn(first, alphabet), cases[i].characters);
    }
    token_random_text(32, first, 44);
    token_random_text(32, second, 44);
    CHECK(strcmp(first, second) != 0);
}

static int exit_signal_of_token(size_t random_bytes, size_t capacity)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        char text[TOKEN_TEXT_MAX];

        fclose(stderr);
        token_random_text(random_bytes, text, capacity);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(a_token_that_does_not_fit_aborts)
{
    CHECK_INT(exit_signal_of_token(32, 43), SIGABRT);
    CHECK_INT(exit_signal_of_token(0, TOKEN_TEXT_MAX), SIGABRT);
    CHECK_INT(exit_signal_of_token(TOKEN_RANDOM_MAX + 1, TOKEN_TEXT_MAX), SIGABRT);
    CHECK_INT(exit_signal_of_token(32, 44), 0);
}

TEST(random_bytes_differ_after_fork)
{
    int pipe_ends[2];
    unsigned char ours[16], theirs[16] = {0};
    pid_t child;

    CHECK_INT(pipe(pipe_ends), 0);
    child = fork();
    if (child == 0) {
        token_random_bytes(ours, sizeof ours);
        _exit(write(pipe_ends[1], ours, sizeof ours) == (ssize_t)sizeof ours ? 0 : 1);
    }
    token_random_bytes(ours, sizeof ours);
    waitpid(child, NULL, 0);
    CHECK_INT(read(pipe_ends[0], theirs, sizeof theirs), sizeof theirs);
    CHECK(memcmp(ours, theirs, sizeof ours) != 0);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

TEST(wiping_leaves_zeros)
{
    char secret[] = "hunter2";

    token_wipe(secret, sizeof secret);
    for (size_t i = 0; i < sizeof secret; i++)
        CHECK_INT(secret[i], 0);
}

TEST_MAIN(CASE(starting_twice_is_harmless), CASE(sha256_gives_the_published_digests),
          CASE(a_file_has_the_digest_of_its_bytes), CASE(hmac_sha256_gives_the_digests_of_rfc_4231),
          CASE(parts_sign_like_the_whole), CASE(short_digest_is_siphash_128),
          CASE(secrets_are_equal_only_when_they_are), CASE(uuids_are_of_version_4_and_lower_case),
          CASE(ordered_uuids_begin_with_their_time), CASE(what_is_no_uuid_is_told_apart),
          CASE(tokens_are_base64url_and_differ), CASE(a_token_that_does_not_fit_aborts),
          CASE(random_bytes_differ_after_fork), CASE(wiping_leaves_zeros))
