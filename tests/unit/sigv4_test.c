/* Signatures of the S3 protocol: the examples of the Amazon S3 API Reference, "Authenticating
 * Requests: Using the Authorization Header", and paths with odd characters. */
#include "net/sigv4.h"

#include "base/text.h"
#include "crypto/digest.h"
#include "net/s3.h"
#include "test.h"

#include <string.h>

#define EMPTY_HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define DATE "20130524T000000Z"

static struct arena *arena;

static const struct sigv4_key key = {"AKIAIOSFODNN7EXAMPLE",
                                     "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1"};

static bool is_signed_by(const struct sigv4_request *request, const char *signature)
{
    const char *value = sigv4_authorization(arena, &key, request);
    const char *found = strstr(value, ",Signature=");

    return found && strcmp(found + strlen(",Signature="), signature) == 0;
}

static struct sigv4_request get(const char *query, const struct sigv4_header *headers, size_t count)
{
    return (struct sigv4_request){.method = "GET",
                                  .path = "/",
                                  .query = query,
                                  .headers = headers,
                                  .header_count = count,
                                  .date = DATE,
                                  .payload_hash = EMPTY_HASH};
}

TEST(published_examples)
{
    const struct sigv4_header plain[] = {{"host", "examplebucket.s3.amazonaws.com"},
                                         {"x-amz-content-sha256", EMPTY_HASH},
                                         {"x-amz-date", DATE}};
    const struct sigv4_header ranged[] = {plain[0], {"range", "bytes=0-9"}, plain[1], plain[2]};
    struct sigv4_request object = get("", ranged, 4);
    struct sigv4_request lifecycle = get("lifecycle=", plain, 3);
    struct sigv4_request list = get("max-keys=2&prefix=J", plain, 3);

    object.path = "/test.txt";
    CHECK(
        is_signed_by(&object, "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"));
    CHECK(is_signed_by(&lifecycle,
                       "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
    CHECK(is_signed_by(&list, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(published_example_of_an_upload)
{
    char hash[DIGEST_SHA256_TEXT];
    struct sigv4_request request;

    digest_sha256_hex("Welcome to Amazon S3.", 21, hash);
    {
        const struct sigv4_header headers[] = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                                               {"host", "examplebucket.s3.amazonaws.com"},
                                               {"x-amz-content-sha256", hash},
                                               {"x-amz-date", DATE},
                                               {"x-amz-storage-class", "REDUCED_REDUNDANCY"}};

        request = get("", headers, 5);
        request.method = "PUT";
        request.path = sigv4_path(arena, "/test$file.text");
        request.payload_hash = hash;
        CHECK(is_signed_by(&request,
                           "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
    }
}

TEST(the_secret_is_not_sent)
{
    const struct sigv4_header host = {"host", "h"};
    struct sigv4_request request = get("", &host, 1);

    CHECK(!strstr(sigv4_authorization(arena, &key, &request), key.secret));
}

TEST(dates)
{
    char text[SIGV4_DATE_TEXT];

    sigv4_date(1369353600, text);
    CHECK_TEXT(text, DATE);
}

TEST(paths_of_odd_names)
{
    CHECK_TEXT(sigv4_path(arena, "/a b/c+d%e"), "/a%20b/c%2Bd%25e");
    CHECK_TEXT(sigv4_path(arena, "/\xe6\x96\x87/\xd9\x85"), "/%E6%96%87/%D9%85");
    CHECK_TEXT(sigv4_path(arena, "/~a-b_c.d/"), "/~a-b_c.d/");
}

TEST(urls_of_stores)
{
    struct s3_store store = {0};
    struct problem problem;

    CHECK(!s3_parse_url(arena, "https://s3.example:443/bucket/a/b", &store, &problem));
    CHECK_TEXT(store.origin, "https://s3.example");
    CHECK_TEXT(store.host, "s3.example");
    CHECK_TEXT(store.bucket, "bucket");
    CHECK_TEXT(store.prefix, "a/b");
    CHECK(!s3_parse_url(arena, "http://127.0.0.1:9000/b", &store, &problem));
    CHECK_TEXT(store.host, "127.0.0.1:9000");
    CHECK_TEXT(store.prefix, "");
}

TEST(urls_that_are_refused)
{
    static const char *const urls[] = {
        "ftp://host/bucket",           "https://host",           "https://host/", "https:///bucket",
        "https://user:pw@host/bucket", "https://host/bucket?x=1"};
    struct s3_store store = {0};
    struct problem problem;

    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++)
        CHECK(s3_parse_url(arena, urls[i], &store, &problem) == ERROR_INVALID);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(published_examples),     CASE(published_example_of_an_upload),
        CASE(the_secret_is_not_sent), CASE(dates),
        CASE(paths_of_odd_names),     CASE(urls_of_stores),
        CASE(urls_that_are_refused),
    };

    arena = arena_create(1 << 20);
    return test_run_all(cases, sizeof cases / sizeof cases[0]);
}
