/* The client's network address: the peer, or the N-th from the right of X-Forwarded-For behind
 * trusted proxies. The client may have invented every entry to the left of that. */
#include "base/number.h"
#include "http/http_internal.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum { FORWARDED_MAX = 64 }; /* the last entries are kept, which our proxies have added */

static bool parse_address(const char *text, struct in6_addr *address, bool *is_v4)
{
    struct in_addr v4;

    *is_v4 = inet_pton(AF_INET, text, &v4) == 1;
    if (*is_v4) {
        memset(address, 0, sizeof *address);
        address->s6_addr[10] = address->s6_addr[11] = 0xff;
        memcpy(&address->s6_addr[12], &v4, sizeof v4);
        return true;
    }
    return inet_pton(AF_INET6, text, address) == 1;
}

bool policy_parse_network(const char *text, struct http_network *network)
{
    char address[INET6_ADDRSTRLEN];
    size_t length = strcspn(text, "/");
    int64_t prefix;
    bool is_v4;

    if (length >= sizeof address)
        return false;
    memcpy(address, text, length);
    address[length] = '\0';
    if (!parse_address(address, &network->address, &is_v4))
        return false;
    prefix = is_v4 ? 32 : 128;
    if (text[length] &&
        (!integer_parse(text + length + 1, &prefix) || prefix < 0 || prefix > (is_v4 ? 32 : 128)))
        return false;
    network->prefix = (int)prefix + (is_v4 ? 96 : 0);
    return true;
}

enum error policy_read_networks(struct http_networks *networks, const struct string_list *list,
                                const char *setting, struct problem *problem)
{
    if (list->count > POLICY_NETWORKS_MAX)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "%s must be at most %d entries", setting, POLICY_NETWORKS_MAX);
    for (size_t i = 0; i < list->count; i++)
        if (!policy_parse_network(list->items[i], &networks->items[i]))
            return problem_set(problem, ERROR_INVALID, "setting_invalid",
                               "%s must be addresses or networks; '%s' is neither", setting,
                               list->items[i]);
    networks->count = list->count;
    return ERROR_NONE;
}

static bool network_contains(const struct http_network *network, const struct in6_addr *address)
{
    int whole = network->prefix / 8;
    int rest = network->prefix % 8;
    unsigned mask = 0xff00U >> rest & 0xffU;

    if (memcmp(network->address.s6_addr, address->s6_addr, (size_t)whole) != 0)
        return false;
    return !rest || (network->address.s6_addr[whole] & mask) == (address->s6_addr[whole] & mask);
}

bool policy_networks_contain(const struct http_networks *networks, const char *address)
{
    struct in6_addr parsed;
    bool is_v4;

    if (!parse_address(address, &parsed, &is_v4))
        return false;
    for (size_t i = 0; i < networks->count; i++)
        if (network_contains(&networks->items[i], &parsed))
            return true;
    return false;
}

static bool peer_is_trusted(const struct http_policy *policy, const char *peer)
{
    const struct http_networks *proxies = &policy->trusted_proxies;

    return !proxies->count || (peer && policy_networks_contain(proxies, peer));
}

/* Of more than FORWARDED_MAX entries the first are dropped: entries are counted from the right, and
 * a client must not push out the entry of a proxy. */
static void add_entry(struct string_list *chain, const char *entry)
{
    if (chain->count == FORWARDED_MAX)
        memmove(chain->items, chain->items + 1, --chain->count * sizeof chain->items[0]);
    chain->items[chain->count++] = entry;
}

static struct string_list split_chain(struct arena *arena, const char *header)
{
    struct string_list chain = {.items = ARENA_ARRAY(arena, const char *, FORWARDED_MAX)};

    while (header && *header) {
        size_t length = strcspn(header, ",");
        const char *start = header + strspn(header, " \t");
        size_t kept = length > (size_t)(start - header) ? length - (size_t)(start - header) : 0;

        while (kept && (start[kept - 1] == ' ' || start[kept - 1] == '\t'))
            kept--;
        if (kept)
            add_entry(&chain, arena_copy(arena, start, kept));
        header += length + (header[length] == ',');
    }
    return chain;
}

/* A client with one IPv6 address usually has its whole /64 network, so limits apply to that. */
static const char *network_of(struct arena *arena, const char *client)
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr address;
    bool is_v4;

    if (!parse_address(client, &address, &is_v4) || is_v4)
        return client;
    if (IN6_IS_ADDR_V4MAPPED(&address))
        return inet_ntop(AF_INET, &address.s6_addr[12], text, sizeof text)
                   ? arena_copy_string(arena, text)
                   : client;
    memset(&address.s6_addr[8], 0, 8);
    return inet_ntop(AF_INET6, &address, text, sizeof text) ? arena_print(arena, "%s/64", text)
                                                            : client;
}

static void resolve(struct serving *serving)
{
    struct client *client = &serving->request.client;
    size_t hops = (size_t)serving->policy->trusted_proxy_hops;
    struct in6_addr address;
    bool is_v4;

    client->resolved = client->direct_peer ? client->direct_peer : "unknown";
    if (hops == 0 || client->chain.count < hops ||
        !peer_is_trusted(serving->policy, client->direct_peer))
        return;
    if (parse_address(client->chain.items[client->chain.count - hops], &address, &is_v4)) {
        client->resolved = client->chain.items[client->chain.count - hops];
        client->from_header = true;
    }
}

void client_identify(struct serving *serving)
{
    struct client *client = &serving->request.client;
    const char *peer = serving->exchange->variable(serving->exchange->transport, "REMOTE_ADDR");

    client->direct_peer = peer && *peer ? arena_copy_string(serving->request.arena, peer) : NULL;
    client->chain = split_chain(serving->request.arena,
                                request_header(&serving->request, "HTTP_X_FORWARDED_FOR"));
    resolve(serving);
    client->network = network_of(serving->request.arena, client->resolved);
}
