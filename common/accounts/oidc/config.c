/* Checks the settings of the identity provider. */
#include "accounts/oidc/config.h"

#include "net/address.h"
#include "net/egress.h"

#include <string.h>
#include <strings.h>

static bool is_https(const char *url, char host[EGRESS_HOST_MAX])
{
    return !egress_host(url, host, NULL) && strncasecmp(url, "https://", 8) == 0;
}

static bool is_local_http(const char *url, char host[EGRESS_HOST_MAX])
{
    return !egress_host(url, host, NULL) && strncasecmp(url, "http://", 7) == 0 &&
           address_is_loopback(host);
}

bool oidc_may_call(const char *issuer, const char *url)
{
    char host[EGRESS_HOST_MAX];

    return !strchr(url, '#') &&
           (is_https(url, host) || (is_local_http(issuer, host) && is_local_http(url, host)));
}

/* A word of a list with blanks between. */
static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

static enum error refuse(struct problem *problem, const char *text)
{
    return problem_set(problem, ERROR_INVALID, "setting_invalid", "%s", text);
}

enum error oidc_config_check(const struct oidc_config *config, struct problem *problem)
{
    if (!config->issuer)
        return config->client_id || config->client_secret
                   ? refuse(problem, "ASSAY_OIDC_ISSUER is missing")
                   : ERROR_NONE;
    if (!config->client_id)
        return refuse(problem, "ASSAY_OIDC_CLIENT_ID is missing");
    if (!oidc_may_call(config->issuer, config->issuer) || strchr(config->issuer, '?'))
        return refuse(problem, "ASSAY_OIDC_ISSUER must be https://HOST/..., or http:// at a "
                               "loopback address");
    if (!has_word(config->scopes, "openid"))
        return refuse(problem, "ASSAY_OIDC_SCOPES must name openid");
    return ERROR_NONE;
}
