/* Calls the endpoints of an identity provider. */
#include "accounts/oidc/client.h"

#include "base/clock.h"
#include "base/schema.h"
#include "base/string_list.h"
#include "crypto/base64url.h"
#include "crypto/digest.h"
#include "crypto/jwt.h"
#include "net/egress.h"
#include "net/fetch.h"

#include <string.h>
#include <strings.h>

enum { PARAMETER_MAX = 4096, FORM_MAX = 16384, BREAKER_FAILURES = 5, BREAKER_SECONDS = 15 };

/* Providers add parameters of their own. */
#define OWNER struct oidc_response
static const struct field response_fields[] = {
    STRING(OWNER, code, .nullable = true, .max_length = PARAMETER_MAX, .secret = true),
    STRING(OWNER, state, .nullable = true, .max_length = PARAMETER_MAX, .secret = true),
    STRING(OWNER, iss, .nullable = true, .max_length = PARAMETER_MAX),
    STRING(OWNER, error, .nullable = true, .max_length = PARAMETER_MAX),
};
#undef OWNER
SCHEMA(oidc_response_schema, struct oidc_response, "OidcCallbackQuery", response_fields,
       .extra = EXTRA_IGNORE);

static const double SECONDS_MIN = 0.05; /* of a call, when the time is over */

/* A document as it came; each request parses it into its own arena. */
struct kept {
    struct arena *arena;
    const char *bytes; /* NULL = none */
    size_t length;
    int64_t fetched_at; /* monotonic microseconds */
};

struct oidc_client {
    const struct oidc_config *config;
    struct shm_region *region;
    char host[EGRESS_HOST_MAX]; /* of the issuer: may be in a private network */
    struct kept metadata, keys;
    int64_t until; /* monotonic microseconds: end of the operation that runs */
};

/* All calls of one operation share its time. */
static void start_clock(struct oidc_client *client)
{
    client->until =
        clock_monotonic_microseconds() + (int64_t)(client->config->timeout_seconds * 1e6);
}

static struct arena *kept_arena(const struct oidc_config *config)
{
    return arena_create((size_t)config->answer_max_bytes * 2 + 65536);
}

struct oidc_client *oidc_client_open(struct arena *arena, const struct oidc_config *config,
                                     struct shm_region *region)
{
    struct oidc_client *client = ARENA_NEW(arena, struct oidc_client);

    client->config = config;
    client->region = region;
    if (egress_host(config->issuer, client->host, NULL))
        return NULL;
    client->metadata.arena = kept_arena(config);
    client->keys.arena = kept_arena(config);
    if (client->metadata.arena && client->keys.arena)
        return client;
    oidc_client_close(client);
    return NULL;
}

void oidc_client_close(struct oidc_client *client)
{
    if (client && client->metadata.arena)
        arena_destroy(client->metadata.arena);
    if (client && client->keys.arena)
        arena_destroy(client->keys.arena);
}

const struct oidc_config *oidc_client_config(const struct oidc_client *client)
{
    return client->config;
}

/* A call that is made once: a code may be redeemed once, and a person waits. */
static struct fetch_request request_to(const struct oidc_client *client, const char *url)
{
    const struct egress_policy policy = {
        .allowed_hosts = {1, (const char *[]){client->host}},
    };
    double left = (double)(client->until - clock_monotonic_microseconds()) / 1e6;
    double seconds = left > SECONDS_MIN ? left : SECONDS_MIN;

    return (struct fetch_request){.url = url,
                                  .headers = {{"Accept", "application/json"}},
                                  .header_count = 1,
                                  .answer_max = (size_t)client->config->answer_max_bytes,
                                  .private_too = egress_private_too(url, &policy),
                                  .policy = {.connect_seconds = seconds,
                                             .attempt_seconds = seconds,
                                             .total_seconds = seconds,
                                             .attempts = 1},
                                  .region = client->region,
                                  .breaker_failures = BREAKER_FAILURES,
                                  .breaker_seconds = BREAKER_SECONDS};
}

static void add_header(struct fetch_request *request, const char *name, const char *value)
{
    request->headers[request->header_count++] = (struct fetch_header){name, value};
}

/* Redirects are not followed, and any status but 200 is a refusal; of the provider's own failures
 * and its silence somebody may try again. */
static enum error judge(const struct fetch_answer *answer, const char *what,
                        struct problem *problem)
{
    if (answer->outcome == FETCH_TOO_LARGE)
        return problem_set(problem, ERROR_FORBIDDEN, "oidc_answer", "the %s is too long", what);
    if (answer->outcome == FETCH_FORBIDDEN || answer->outcome == FETCH_INVALID)
        return problem_set(problem, ERROR_FORBIDDEN, "oidc_answer",
                           "the address of the %s may not be called", what);
    if (answer->outcome != FETCH_ANSWERED)
        return problem_set(problem, ERROR_UNAVAILABLE, "oidc_unavailable", "the %s: %s", what,
                           fetch_outcome_name(answer->outcome));
    if (answer->status >= 500 || answer->status == 429)
        return problem_set(problem, ERROR_UNAVAILABLE, "oidc_unavailable", "the %s: status %d",
                           what, answer->status);
    if (answer->status != 200)
        return problem_set(problem, ERROR_FORBIDDEN, "oidc_answer", "the %s: status %d", what,
                           answer->status);
    return ERROR_NONE;
}

static enum error call(struct arena *arena, const struct fetch_request *request, const char *what,
                       struct fetch_answer *answer, struct problem *problem)
{
    fetch(arena, request, answer);
    return judge(answer, what, problem);
}

static bool is_fresh(const struct oidc_client *client, const struct kept *kept)
{
    int64_t age = clock_monotonic_microseconds() - kept->fetched_at;

    return kept->bytes && age / 1000000 < client->config->metadata_seconds;
}

/* Without memory nothing is kept. */
static void keep(struct kept *kept, const struct fetch_answer *answer)
{
    char *copy;

    arena_reset(kept->arena);
    copy = arena_try_alloc(kept->arena, answer->length + 1);
    if (copy)
        memcpy(copy, answer->body, answer->length + 1);
    kept->bytes = copy;
    kept->length = answer->length;
    kept->fetched_at = clock_monotonic_microseconds();
}

static const char *discovery_address(struct arena *arena, const char *issuer)
{
    size_t length = strlen(issuer);

    length -= length && issuer[length - 1] == '/';
    return arena_print(arena, "%.*s/.well-known/openid-configuration", (int)length, issuer);
}

static enum error read_metadata(struct oidc_client *client, struct arena *arena,
                                struct oidc_metadata *metadata, struct problem *problem)
{
    static const char what[] = "discovery document";
    const char *issuer = client->config->issuer;
    struct kept *kept = &client->metadata;
    struct fetch_request request;
    struct fetch_answer answer;
    enum error error;

    if (is_fresh(client, kept))
        return oidc_metadata_read(arena, issuer, kept->bytes, kept->length, metadata, problem);
    request = request_to(client, discovery_address(arena, issuer));
    error = call(arena, &request, what, &answer, problem);
    if (!error)
        error = oidc_metadata_read(arena, issuer, answer.body, answer.length, metadata, problem);
    if (!error)
        keep(kept, &answer);
    return error;
}

static void add_parameter(struct text *text, const char *name, const char *value)
{
    text_append_format(text, "%s%s=", text->length ? "&" : "", name);
    text_append_url(text, value);
}

/* RFC 7636 section 4.2. */
static const char *challenge(struct arena *arena, const char *verifier)
{
    unsigned char digest[DIGEST_SHA256_BYTES];

    digest_sha256(verifier, strlen(verifier), digest);
    return base64url_write(arena, digest, sizeof digest);
}

enum error oidc_client_authorize(struct oidc_client *client, struct arena *arena,
                                 const struct oidc_attempt *attempt, const char **address,
                                 struct problem *problem)
{
    struct oidc_metadata metadata;
    struct text query;
    enum error error;

    start_clock(client);
    error = read_metadata(client, arena, &metadata, problem);
    if (error)
        return error;
    text_start(&query, arena, FORM_MAX);
    add_parameter(&query, "response_type", "code");
    add_parameter(&query, "client_id", client->config->client_id);
    add_parameter(&query, "redirect_uri", attempt->redirect_uri);
    add_parameter(&query, "scope", client->config->scopes);
    add_parameter(&query, "state", attempt->state);
    add_parameter(&query, "nonce", attempt->nonce);
    add_parameter(&query, "code_challenge", challenge(arena, attempt->verifier));
    add_parameter(&query, "code_challenge_method", "S256");
    *address = arena_print(arena, "%s%c%s", metadata.authorization_endpoint,
                           strchr(metadata.authorization_endpoint, '?') ? '&' : '?', query.bytes);
    return ERROR_NONE;
}

/* RFC 6749 section 2.3.1: both parts are form-encoded first. */
static const char *basic_credentials(struct arena *arena, const struct oidc_config *config)
{
    struct text pair, header;

    text_start(&pair, arena, FORM_MAX);
    text_append_url(&pair, config->client_id);
    text_append_byte(&pair, ':');
    text_append_url(&pair, config->client_secret);
    text_start(&header, arena, FORM_MAX);
    text_append_string(&header, "Basic ");
    text_append_base64(&header, pair.bytes, pair.length);
    return header.bytes;
}

/* The secret goes into the header unless the provider takes it in the body only. */
static bool takes_header(const struct oidc_metadata *metadata)
{
    const struct string_list *methods = &metadata->token_endpoint_auth_methods_supported;

    return !methods->count || string_list_has(methods, "client_secret_basic") ||
           !string_list_has(methods, "client_secret_post");
}

static enum error exchange(struct oidc_client *client, struct arena *arena,
                           const struct oidc_metadata *metadata, const struct oidc_attempt *attempt,
                           const char *code, json_t **tokens, struct problem *problem)
{
    const struct oidc_config *config = client->config;
    struct fetch_request request = request_to(client, metadata->token_endpoint);
    struct fetch_answer answer;
    struct text form;
    enum error error;

    text_start(&form, arena, FORM_MAX);
    add_parameter(&form, "grant_type", "authorization_code");
    add_parameter(&form, "code", code);
    add_parameter(&form, "redirect_uri", attempt->redirect_uri);
    add_parameter(&form, "code_verifier", attempt->verifier);
    add_header(&request, "Content-Type", "application/x-www-form-urlencoded");
    if (config->client_secret && takes_header(metadata)) {
        add_header(&request, "Authorization", basic_credentials(arena, config));
    } else {
        add_parameter(&form, "client_id", config->client_id);
        if (config->client_secret)
            add_parameter(&form, "client_secret", config->client_secret);
    }
    if (form.overflowed)
        return problem_set(problem, ERROR_FORBIDDEN, "oidc_answer", "the code is too long");
    request.body = form.bytes;
    request.body_length = form.length;
    error = call(arena, &request, "token answer", &answer, problem);
    return error
               ? error
               : oidc_json_read(arena, "token answer", answer.body, answer.length, tokens, problem);
}

static enum error fetch_keys(struct oidc_client *client, struct arena *arena, const char *address,
                             const json_t **keys, struct problem *problem)
{
    struct fetch_request request = request_to(client, address);
    struct fetch_answer answer;
    enum error error = call(arena, &request, "key set", &answer, problem);

    if (!error)
        error = oidc_keys_read(arena, answer.body, answer.length, keys, problem);
    if (!error)
        keep(&client->keys, &answer);
    return error;
}

/* With the kept keys; a key that is not among them is a new one, so they are fetched again. */
static enum error verify(struct oidc_client *client, struct arena *arena,
                         const struct oidc_metadata *metadata, const char *token, json_t **claims,
                         struct problem *problem)
{
    struct kept *kept = &client->keys;
    bool fresh = is_fresh(client, kept);
    const json_t *keys;
    enum error error = fresh ? oidc_keys_read(arena, kept->bytes, kept->length, &keys, problem)
                             : fetch_keys(client, arena, metadata->jwks_uri, &keys, problem);

    if (!error)
        error = jwt_verify_public(arena, token, keys, claims, problem);
    if (!fresh || error != ERROR_FORBIDDEN || strcmp(problem->reason, "token_key") != 0)
        return error;
    error = fetch_keys(client, arena, metadata->jwks_uri, &keys, problem);
    return error ? error : jwt_verify_public(arena, token, keys, claims, problem);
}

/* Core 1.0 section 5.3: the answer counts only for the subject of the ID token. */
static enum error ask_userinfo(struct oidc_client *client, struct arena *arena, const char *address,
                               const json_t *tokens, const char *subject, json_t **userinfo,
                               struct problem *problem)
{
    struct fetch_request request = request_to(client, address);
    struct fetch_answer answer;
    const char *said;
    enum error error;

    add_header(&request, "Authorization",
               arena_print(arena, "Bearer %s", jwt_text(tokens, "access_token")));
    error = call(arena, &request, "userinfo answer", &answer, problem);
    if (!error)
        error =
            oidc_json_read(arena, "userinfo answer", answer.body, answer.length, userinfo, problem);
    if (error)
        return error;
    said = jwt_text(*userinfo, "sub");
    return said && strcmp(said, subject) == 0
               ? ERROR_NONE
               : problem_set(problem, ERROR_FORBIDDEN, "oidc_answer",
                             "the userinfo answer is about somebody else");
}

/* Whether the ID token leaves out what a sign-in needs. */
static bool needs_userinfo(const struct oidc_config *config, const json_t *claims)
{
    return !oidc_claim(claims, "email") || !oidc_claim(claims, "name") ||
           (config->roles.count && !oidc_claim(claims, config->groups_claim));
}

static enum error check_response(const struct oidc_config *config,
                                 const struct oidc_metadata *metadata,
                                 const struct oidc_response *response, struct problem *problem)
{
    bool named = metadata->authorization_response_iss_parameter_supported;

    if (response->iss ? strcmp(response->iss, config->issuer) != 0 : named)
        return problem_set(problem, ERROR_FORBIDDEN, "oidc_mix_up",
                           "the answer is of another provider");
    if (response->error)
        return problem_set(problem, ERROR_FORBIDDEN, "oidc_denied", "the provider says %.100s",
                           response->error);
    if (!response->code || !*response->code)
        return problem_set(problem, ERROR_FORBIDDEN, "oidc_answer", "the answer has no code");
    return ERROR_NONE;
}

static enum error read_tokens(struct oidc_client *client, struct arena *arena,
                              const struct oidc_metadata *metadata,
                              const struct oidc_attempt *attempt, const json_t *tokens,
                              json_t **claims, struct problem *problem)
{
    const struct oidc_config *config = client->config;
    const char *token = jwt_text(tokens, "id_token");
    const struct oidc_expectation expected = {.issuer = config->issuer,
                                              .client_id = config->client_id,
                                              .nonce = attempt->nonce,
                                              .access_token = jwt_text(tokens, "access_token"),
                                              .now = clock_unix_seconds(),
                                              .tolerance = config->clock_tolerance_seconds};
    enum error error;

    if (!token)
        return problem_set(problem, ERROR_FORBIDDEN, "oidc_answer",
                           "the token answer has no ID token");
    error = verify(client, arena, metadata, token, claims, problem);
    return error ? error : oidc_claims_check(arena, *claims, &expected, problem);
}

enum error oidc_client_redeem(struct oidc_client *client, struct arena *arena,
                              const struct oidc_attempt *attempt,
                              const struct oidc_response *response, struct oidc_identity *identity,
                              struct problem *problem)
{
    struct oidc_metadata metadata;
    json_t *tokens, *claims, *userinfo = NULL;
    enum error error;

    start_clock(client);
    error = read_metadata(client, arena, &metadata, problem);
    if (!error)
        error = check_response(client->config, &metadata, response, problem);
    if (!error)
        error = exchange(client, arena, &metadata, attempt, response->code, &tokens, problem);
    if (!error)
        error = read_tokens(client, arena, &metadata, attempt, tokens, &claims, problem);
    if (!error && metadata.userinfo_endpoint && jwt_text(tokens, "access_token") &&
        needs_userinfo(client->config, claims))
        error = ask_userinfo(client, arena, metadata.userinfo_endpoint, tokens,
                             jwt_text(claims, "sub"), &userinfo, problem);
    if (!error)
        oidc_identity_read(arena, client->config, claims, userinfo, identity);
    return error;
}

const char *oidc_client_sign_out(struct oidc_client *client, struct arena *arena,
                                 const char *return_to)
{
    struct oidc_metadata metadata;
    struct text query;
    const char *address;

    start_clock(client);
    if (read_metadata(client, arena, &metadata, NULL) || !metadata.end_session_endpoint)
        return NULL;
    address = metadata.end_session_endpoint;
    text_start(&query, arena, FORM_MAX);
    add_parameter(&query, "client_id", client->config->client_id);
    add_parameter(&query, "post_logout_redirect_uri", return_to);
    return arena_print(arena, "%s%c%s", address, strchr(address, '?') ? '&' : '?', query.bytes);
}
