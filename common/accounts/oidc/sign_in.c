/* From the page of sign-in to the provider and back to a person. */
#include "accounts/oidc/sign_in.h"

#include "accounts/oidc/attempt_store.h"
#include "accounts/oidc/roles.h"
#include "crypto/token.h"

#include <string.h>
#include <strings.h>

enum { SECRET_BYTES = 32, SECRET_TEXT = 44, NEXT_MAX = 1000 };

const char oidc_cookie[] = "assay_sign_in";

enum error oidc_check(const struct oidc_config *config, struct problem *problem)
{
    enum error error = oidc_config_check(config, problem);

    return error ? error : oidc_roles_check(config, problem);
}

/* `.` or `..`, as browsers read them: %2e is a dot. */
static bool is_dot_segment(const char *segment, size_t length)
{
    size_t dots = 0;

    for (size_t at = 0; at < length; dots++) {
        if (segment[at] == '.')
            at++;
        else if (length - at >= 3 && strncasecmp(segment + at, "%2e", 3) == 0)
            at += 3;
        else
            return false;
    }
    return dots == 1 || dots == 2;
}

/* Without dot segments a browser takes the path as it is; /.//host would become //host. */
static bool has_dot_segment(const char *path)
{
    const char *end = path + strcspn(path, "?#");

    for (const char *at = path; at < end;) {
        size_t length = strcspn(++at, "/?#");

        if (is_dot_segment(at, length))
            return true;
        at += length;
    }
    return false;
}

const char *oidc_next_path(const char *path)
{
    if (!path || path[0] != '/' || path[1] == '/' || strlen(path) > NEXT_MAX ||
        has_dot_segment(path))
        return "/";
    /* Browsers take \ for /, and drop tabs and line breaks. */
    for (const char *at = path; *at; at++)
        if (*at <= ' ' || *at >= 0x7f || *at == '\\')
            return "/";
    return path;
}

static const char *new_secret(struct arena *arena)
{
    char text[SECRET_TEXT];

    token_random_text(SECRET_BYTES, text, sizeof text);
    return arena_copy_string(arena, text);
}

static bool is_secret(const char *text)
{
    return text && strlen(text) == SECRET_TEXT - 1;
}

enum error oidc_sign_in_begin(const struct accounts_call *call, struct oidc_client *client,
                              const char *browser, const char *redirect_uri, const char *next,
                              struct oidc_beginning *beginning)
{
    const struct oidc_config *config = oidc_client_config(client);
    const struct oidc_pending pending = {.attempt = {.state = new_secret(call->arena),
                                                     .nonce = new_secret(call->arena),
                                                     .verifier = new_secret(call->arena),
                                                     .redirect_uri = redirect_uri},
                                         .issuer = config->issuer,
                                         .browser =
                                             is_secret(browser) ? browser : new_secret(call->arena),
                                         .next = oidc_next_path(next)};
    enum error error = oidc_client_authorize(client, call->arena, &pending.attempt,
                                             &beginning->address, call->problem);

    beginning->browser = pending.browser;
    return error ? error : attempt_store(call, &pending, config->sign_in_seconds);
}

enum error oidc_sign_in_end(const struct accounts_call *call, struct oidc_client *client,
                            const char *browser, const struct oidc_response *response,
                            struct oidc_sign_in *sign_in)
{
    const struct oidc_config *config = oidc_client_config(client);
    struct oidc_identity identity;
    struct oidc_pending pending;
    enum error error = attempt_take(call, response->state, browser, config->issuer, &pending);

    *sign_in = (struct oidc_sign_in){.next = "/"};
    if (error)
        return error;
    sign_in->next = pending.next;
    error = oidc_client_redeem(client, call->arena, &pending.attempt, response, &identity,
                               call->problem);
    return error ? error
                 : oidc_person_of(call, config, &identity, &sign_in->person, &sign_in->is_new);
}

const char *oidc_failure_word(const struct problem *problem)
{
    static const char *const words[] = {"oidc_denied", "oidc_expired", "oidc_unavailable",
                                        "oidc_no_access", "oidc_account_exists"};

    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (problem->reason && strcmp(problem->reason, words[i]) == 0)
            return words[i];
    return problem->error == ERROR_FORBIDDEN ? "oidc_refused" : "oidc_unavailable";
}
