/* OpenID Connect without a provider: its discovery document, its keys, the claims of its ID tokens,
 * the settings. The calls are tested over HTTP (tests/api/oidc_test.py). */
#include "accounts/oidc/claims.h"
#include "accounts/oidc/config.h"
#include "accounts/oidc/metadata.h"
#include "base/schema.h"
#include "crypto/base64url.h"
#include "crypto/crypto.h"
#include "crypto/digest.h"
#include "test.h"

#define ISSUER "https://id.example.com"

static struct arena *arena;

static json_t *parse(const char *text)
{
    struct json_fault fault;
    json_t *document = NULL;

    if (json_read(arena, text, strlen(text), 16, &document, &fault))
        printf("not JSON: %s\n", text);
    return document;
}

/* "" for claims that are accepted, else the reason. */
static const char *verdict_with(const char *claims, const char *access_token)
{
    const struct oidc_expectation expected = {.issuer = ISSUER,
                                              .client_id = "assay",
                                              .nonce = "n-1",
                                              .access_token = access_token,
                                              .now = 1000,
                                              .tolerance = 60};
    struct problem problem = {0};

    return oidc_claims_check(arena, parse(claims), &expected, &problem) ? problem.reason : "";
}

static const char *verdict(const char *claims)
{
    return verdict_with(claims, NULL);
}

#define ISS "\"iss\":\"" ISSUER "\","
#define SUB "\"sub\":\"ann\","
#define AUD "\"aud\":\"assay\","
#define TIMES "\"exp\":1300,\"iat\":1000,"
#define NONCE "\"nonce\":\"n-1\""

TEST(claims_for_this_client_and_moment_are_accepted)
{
    CHECK_TEXT(verdict("{" ISS SUB AUD TIMES NONCE "}"), "");
    CHECK_TEXT(verdict("{" ISS SUB "\"aud\":[\"assay\"]," TIMES NONCE "}"), "");
    CHECK_TEXT(
        verdict("{" ISS SUB "\"aud\":[\"api\",\"assay\"],\"azp\":\"assay\"," TIMES NONCE "}"), "");
    CHECK_TEXT(verdict("{" ISS SUB AUD "\"exp\":941,\"iat\":1060,\"nbf\":1060.5," NONCE "}"),
               "claim_nbf");
    CHECK_TEXT(verdict("{" ISS SUB AUD "\"exp\":940.5,\"iat\":1060,\"nbf\":1060," NONCE "}"), "");
}

TEST(claims_for_others_are_refused)
{
    static const struct {
        const char *claims, *reason;
    } cases[] = {
        {"{" SUB AUD TIMES NONCE "}", "claim_iss"},
        {"{\"iss\":\"https://id.example.com/\"," SUB AUD TIMES NONCE "}", "claim_iss"},
        {"{\"iss\":[\"" ISSUER "\"]," SUB AUD TIMES NONCE "}", "claim_iss"},
        {"{" ISS AUD TIMES NONCE "}", "claim_sub"},
        {"{" ISS "\"sub\":\"\"," AUD TIMES NONCE "}", "claim_sub"},
        {"{" ISS "\"sub\":7," AUD TIMES NONCE "}", "claim_sub"},
        {"{" ISS SUB TIMES NONCE "}", "claim_aud"},
        {"{" ISS SUB "\"aud\":\"assay2\"," TIMES NONCE "}", "claim_aud"},
        {"{" ISS SUB "\"aud\":[]," TIMES NONCE "}", "claim_aud"},
        {"{" ISS SUB "\"aud\":[[\"assay\"]]," TIMES NONCE "}", "claim_aud"},
        {"{" ISS SUB "\"aud\":[\"api\",\"assay\"]," TIMES NONCE "}", "claim_azp"},
        {"{" ISS SUB AUD "\"azp\":\"api\"," TIMES NONCE "}", "claim_azp"},
        {"{" ISS SUB AUD "\"azp\":null," TIMES NONCE "}", "claim_azp"},
        {"{" ISS SUB AUD TIMES "\"x\":1}", "claim_nonce"},
        {"{" ISS SUB AUD TIMES "\"nonce\":\"n-2\"}", "claim_nonce"},
        {"{" ISS SUB AUD TIMES "\"nonce\":[\"n-1\"]}", "claim_nonce"},
        {"{}", "claim_iss"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_TEXT(verdict(cases[i].claims), cases[i].reason);
}

TEST(claims_of_another_moment_are_refused)
{
    static const struct {
        const char *times, *reason;
    } cases[] = {
        {"\"exp\":940,\"iat\":900", "claim_exp"},
        {"\"iat\":1000", "claim_exp"},
        {"\"exp\":\"1300\",\"iat\":1000", "claim_exp"},
        {"\"exp\":null,\"iat\":1000", "claim_exp"},
        {"\"exp\":1300,\"iat\":1061", "claim_iat"},
        {"\"exp\":1300", "claim_iat"},
        {"\"exp\":1300,\"iat\":true", "claim_iat"},
        {"\"exp\":1300,\"iat\":1,\"nbf\":1061", "claim_nbf"},
        {"\"exp\":1300,\"iat\":1,\"nbf\":\"1\"", "claim_nbf"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_TEXT(verdict(arena_print(arena, "{" ISS SUB AUD "%s," NONCE "}", cases[i].times)),
                   cases[i].reason);
}

/* The example of OpenID Connect Core 1.0, section A.3: access token and at_hash. */
TEST(a_token_belongs_to_its_access_token)
{
    static const char token[] = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y";
    static const char hash[] = "77QmUPtjPfzWtF2AnpK9RQ";
    const char *claims =
        arena_print(arena, "{" ISS SUB AUD TIMES NONCE ",\"at_hash\":\"%s\"}", hash);

    CHECK_TEXT(verdict_with(claims, token), "");
    CHECK_TEXT(verdict_with(claims, "another"), "claim_at_hash");
    CHECK_TEXT(verdict_with(claims, NULL), "");
    CHECK_TEXT(verdict_with("{" ISS SUB AUD TIMES NONCE ",\"at_hash\":1}", token), "claim_at_hash");
}

static const char *metadata_verdict(const char *issuer, const char *document)
{
    struct oidc_metadata metadata;
    struct problem problem = {0};

    return oidc_metadata_read(arena, issuer, document, strlen(document), &metadata, &problem)
               ? arena_copy_string(arena, problem.text)
               : "";
}

#define ENDPOINTS(at)                                                                              \
    "\"authorization_endpoint\":\"" at "/auth\",\"token_endpoint\":\"" at "/token\","              \
    "\"jwks_uri\":\"" at "/keys\""

TEST(a_discovery_document_names_its_issuer_and_endpoints)
{
    struct oidc_metadata metadata;
    struct problem problem;
    static const char document[] = "{\"issuer\":\"" ISSUER "\"," ENDPOINTS(
        "https://x.example.net") ",\"userinfo_endpoint\":null,\"unknown\":[{}],"
                                 "\"authorization_response_iss_parameter_supported\":true}";

    CHECK_INT(oidc_metadata_read(arena, ISSUER, document, strlen(document), &metadata, &problem),
              ERROR_NONE);
    CHECK_TEXT(metadata.token_endpoint, "https://x.example.net/token");
    CHECK(!metadata.userinfo_endpoint && !metadata.end_session_endpoint);
    CHECK(metadata.authorization_response_iss_parameter_supported);
}

TEST(other_discovery_documents_are_refused)
{
    CHECK_TEXT(metadata_verdict(ISSUER, "<html>"),
               "the discovery document is not JSON: invalid token near '<'");
    CHECK_TEXT(metadata_verdict(ISSUER, "[]"), "the discovery document is no object");
    CHECK_TEXT(metadata_verdict(ISSUER, "{\"issuer\":\"" ISSUER "\"}"),
               "the discovery document: authorization_endpoint is missing or of another type");
    CHECK_TEXT(metadata_verdict(ISSUER, "{\"issuer\":\"https://evil.example.com\"," ENDPOINTS(
                                            "https://id.example.com") "}"),
               "the discovery document is that of issuer https://evil.example.com");
    CHECK_TEXT(metadata_verdict(ISSUER, "{\"issuer\":\"" ISSUER
                                        "/\"," ENDPOINTS("https://id.example.com") "}"),
               "the discovery document is that of issuer https://id.example.com/");
    CHECK_TEXT(metadata_verdict(ISSUER, "{\"issuer\":\"" ISSUER
                                        "\"," ENDPOINTS("http://id.example.com") "}"),
               "the discovery document: authorization_endpoint is not https");
    CHECK_TEXT(metadata_verdict(ISSUER,
                                "{\"issuer\":\"" ISSUER "\"," ENDPOINTS("http://127.0.0.1:80") "}"),
               "the discovery document: authorization_endpoint is not https");
    CHECK_TEXT(
        metadata_verdict(
            ISSUER, "{\"issuer\":\"" ISSUER "\"," ENDPOINTS(
                        "https://i.example") ",\"code_challenge_methods_supported\":[\"plain\"]}"),
        "the discovery document: code_challenge_methods_supported has no S256");
    CHECK_TEXT(
        metadata_verdict(
            ISSUER, "{\"issuer\":\"" ISSUER "\"," ENDPOINTS(
                        "https://i.example") ",\"end_session_endpoint\":\"javascript:alert(1)\"}"),
        "the discovery document: end_session_endpoint is not https");
}

TEST(a_key_set_is_an_array)
{
    const json_t *keys;
    struct problem problem;

    CHECK_INT(oidc_keys_read(arena, "{\"keys\":[]}", 11, &keys, &problem), ERROR_NONE);
    CHECK_INT(oidc_keys_read(arena, "{\"keys\":{}}", 11, &keys, &problem), ERROR_FORBIDDEN);
    CHECK_INT(oidc_keys_read(arena, "{}", 2, &keys, &problem), ERROR_FORBIDDEN);
    CHECK_INT(oidc_keys_read(arena, "", 0, &keys, &problem), ERROR_FORBIDDEN);
}

TEST(only_secure_addresses_are_called)
{
    CHECK(oidc_may_call(ISSUER, "https://anywhere.example/x?y=1"));
    CHECK(!oidc_may_call(ISSUER, "http://id.example.com/"));
    CHECK(!oidc_may_call(ISSUER, "http://localhost/"));
    CHECK(!oidc_may_call(ISSUER, "https://id.example.com/#part"));
    CHECK(!oidc_may_call(ISSUER, "https://user@id.example.com/"));
    CHECK(!oidc_may_call(ISSUER, "file:///etc/passwd"));
    CHECK(!oidc_may_call(ISSUER, "//id.example.com/"));
    CHECK(oidc_may_call("http://127.0.0.1:9000", "http://localhost:9001/token"));
    CHECK(oidc_may_call("http://localhost:9000", "https://id.example.com/"));
    CHECK(!oidc_may_call("http://127.0.0.1:9000", "http://10.0.0.1/token"));
    CHECK(!oidc_may_call("http://10.0.0.1", "http://127.0.0.1/token"));
}

static const char *config_verdict(struct oidc_config config)
{
    struct problem problem = {0};

    config.scopes = config.scopes ? config.scopes : "openid email";
    return oidc_config_check(&config, &problem) ? arena_copy_string(arena, problem.text) : "";
}

TEST(settings_are_complete_or_absent)
{
    CHECK_TEXT(config_verdict((struct oidc_config){0}), "");
    CHECK_TEXT(config_verdict((struct oidc_config){.client_id = "a"}),
               "ASSAY_OIDC_ISSUER is missing");
    CHECK_TEXT(config_verdict((struct oidc_config){.issuer = ISSUER}),
               "ASSAY_OIDC_CLIENT_ID is missing");
    CHECK_TEXT(config_verdict((struct oidc_config){.issuer = ISSUER, .client_id = "a"}), "");
    CHECK_TEXT(config_verdict((struct oidc_config){
                   .issuer = ISSUER, .client_id = "a", .scopes = "email openid"}),
               "");
    CHECK_TEXT(config_verdict((struct oidc_config){
                   .issuer = ISSUER, .client_id = "a", .scopes = "openid2 xopenid"}),
               "ASSAY_OIDC_SCOPES must name openid");
    CHECK(
        *config_verdict((struct oidc_config){.issuer = "http://id.example.com", .client_id = "a"}));
    CHECK(*config_verdict((struct oidc_config){.issuer = "id.example.com", .client_id = "a"}));
    CHECK(*config_verdict((struct oidc_config){.issuer = ISSUER "?x=1", .client_id = "a"}));
}

static struct oidc_identity identity_of(const char *claims, const char *userinfo, bool trusts)
{
    const struct oidc_config config = {.groups_claim = "realm_access.roles",
                                       .trusts_email = trusts};
    struct oidc_identity identity;

    oidc_identity_read(arena, &config, parse(claims), userinfo ? parse(userinfo) : NULL, &identity);
    return identity;
}

TEST(an_identity_is_read_from_both_documents)
{
    struct oidc_identity identity =
        identity_of("{" ISS SUB "\"name\":\"Ann\",\"realm_access\":{\"roles\":[\"a\",7,\"b\"]}}",
                    "{\"name\":\"Other\",\"email\":\"ann@example.com\",\"email_verified\":true,"
                    "\"preferred_username\":\"ann\"}",
                    false);

    CHECK_TEXT(identity.issuer, ISSUER);
    CHECK_TEXT(identity.subject, "ann");
    CHECK_TEXT(identity.name, "Ann");
    CHECK_TEXT(identity.email, "ann@example.com");
    CHECK_TEXT(identity.preferred_username, "ann");
    CHECK_INT(identity.groups.count, 2);
    CHECK_TEXT(identity.groups.items[1], "b");
    identity = identity_of("{\"realm_access.roles\":\"one\",\"realm_access\":{}}", NULL, false);
    CHECK_INT(identity.groups.count, 1);
    CHECK_TEXT(identity.groups.items[0], "one");
    CHECK_INT(identity_of("{\"realm_access\":7}", NULL, false).groups.count, 0);
}

TEST(an_address_counts_when_the_provider_vouches_for_it)
{
    CHECK(!identity_of("{\"email\":\"a@b.c\"}", NULL, false).email);
    CHECK(!identity_of("{\"email\":\"a@b.c\"}", "{\"email_verified\":true}", false).email);
    CHECK(!identity_of("{\"email\":\"a@b.c\",\"email_verified\":false}", NULL, false).email);
    CHECK(!identity_of("{\"email\":\"abc\",\"email_verified\":true}", NULL, false).email);
    CHECK_TEXT(identity_of("{\"email\":\"a@b.c\",\"email_verified\":\"true\"}", NULL, false).email,
               "a@b.c");
    CHECK_TEXT(identity_of("{\"email\":\"a@b.c\"}", NULL, true).email, "a@b.c");
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(claims_for_this_client_and_moment_are_accepted),
        CASE(claims_for_others_are_refused),
        CASE(claims_of_another_moment_are_refused),
        CASE(a_token_belongs_to_its_access_token),
        CASE(a_discovery_document_names_its_issuer_and_endpoints),
        CASE(other_discovery_documents_are_refused),
        CASE(a_key_set_is_an_array),
        CASE(only_secure_addresses_are_called),
        CASE(settings_are_complete_or_absent),
        CASE(an_identity_is_read_from_both_documents),
        CASE(an_address_counts_when_the_provider_vouches_for_it)};
    struct problem problem;
    int failed;

    if (crypto_start(&problem))
        return 1;
    arena = arena_create(1 << 24);
    failed = test_run_all(cases, COUNT_OF(cases));
    arena_destroy(arena);
    return failed;
}
