/* Groups of the provider become roles, domains become tenants. */
#include "accounts/oidc/roles.h"

#include "accounts/people.h"
#include "base/string_list.h"

#include <string.h>
#include <strings.h>

struct entry {
    size_t group_length; /* the group is the beginning of the text */
    enum account_area area;
    enum account_role role;
};

static const char everybody[] = "*";

/* "GROUP=AREA:ROLE". Groups may hold = and : themselves (cn=staff), so the last ones count. */
static bool read_entry(const char *text, struct entry *entry)
{
    const char *equals = strrchr(text, '=');
    const char *colon = equals ? strchr(equals, ':') : NULL;
    char area[32];

    if (!colon || equals == text || (size_t)(colon - equals) > sizeof area)
        return false;
    memcpy(area, equals + 1, (size_t)(colon - equals - 1));
    area[colon - equals - 1] = '\0';
    entry->group_length = (size_t)(equals - text);
    return area_of_name(area, &entry->area) && role_of_name(colon + 1, &entry->role) &&
           entry->role != ACCOUNT_NONE && roles_offer(entry->area, entry->role);
}

/* "DOMAIN:TENANT" */
static const char *tenant_of_entry(const char *text)
{
    const char *colon = strchr(text, ':');

    return colon && colon != text && person_is_tenant(colon + 1) ? colon + 1 : NULL;
}

enum error oidc_roles_check(const struct oidc_config *config, struct problem *problem)
{
    struct entry entry;

    for (size_t i = 0; i < config->roles.count; i++)
        if (!read_entry(config->roles.items[i], &entry))
            return problem_set(problem, ERROR_INVALID, "setting_invalid",
                               "ASSAY_OIDC_ROLES: %.200s is not GROUP=AREA:ROLE of an area and a "
                               "role that it offers",
                               config->roles.items[i]);
    for (size_t i = 0; i < config->tenants.count; i++)
        if (!tenant_of_entry(config->tenants.items[i]))
            return problem_set(problem, ERROR_INVALID, "setting_invalid",
                               "ASSAY_OIDC_TENANTS: %.200s is not DOMAIN:TENANT",
                               config->tenants.items[i]);
    return ERROR_NONE;
}

static bool is_everybody(const char *text, const struct entry *entry)
{
    return entry->group_length == sizeof everybody - 1 && text[0] == everybody[0];
}

static bool applies(const char *text, const struct entry *entry, const struct string_list *groups)
{
    if (is_everybody(text, entry))
        return true;
    for (size_t i = 0; i < groups->count; i++)
        if (strlen(groups->items[i]) == entry->group_length &&
            strncmp(groups->items[i], text, entry->group_length) == 0)
            return true;
    return false;
}

/* The roles that are due, and in which areas a group is listed. */
static struct person_roles due(const struct oidc_config *config, const struct string_list *groups,
                               bool follows[AREA__MAX])
{
    struct person_roles roles = PERSON_ROLES_NONE;

    memset(follows, 0, AREA__MAX * sizeof *follows);
    for (size_t i = 0; i < config->roles.count; i++) {
        const char *text = config->roles.items[i];
        struct entry entry;

        if (!read_entry(text, &entry))
            continue;
        follows[entry.area] = follows[entry.area] || !is_everybody(text, &entry);
        /* The list of roles is in the order of what they may do. */
        if (applies(text, &entry, groups) && entry.role > roles_get(&roles, entry.area))
            roles_set(&roles, entry.area, entry.role);
    }
    return roles;
}

struct person_roles oidc_roles_of_new(const struct oidc_config *config,
                                      const struct string_list *groups)
{
    bool follows[AREA__MAX];

    return due(config, groups, follows);
}

bool oidc_roles_renew(const struct oidc_config *config, const struct string_list *groups,
                      struct person_roles *roles)
{
    bool follows[AREA__MAX], changed = false;
    struct person_roles now = due(config, groups, follows);

    for (enum account_area area = 0; area < AREA__MAX; area++) {
        if (!follows[area] || roles_get(&now, area) == roles_get(roles, area))
            continue;
        roles_set(roles, area, roles_get(&now, area));
        changed = true;
    }
    return changed;
}

const char *oidc_tenant_of(struct arena *arena, const struct oidc_config *config, const char *email)
{
    const char *at = email ? strrchr(email, '@') : NULL;

    if (!config->tenants.count && !config->requires_tenant)
        return "default";
    for (size_t i = 0; at && i < config->tenants.count; i++) {
        const char *text = config->tenants.items[i];
        size_t length = strcspn(text, ":");

        if (strlen(at + 1) == length && strncasecmp(at + 1, text, length) == 0)
            return arena_copy_string(arena, tenant_of_entry(text));
    }
    return NULL;
}
