/* The special-purpose ranges as tables; the first range that holds an address decides. */
#include "net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

struct range {
    unsigned char prefix[16];
    unsigned bits;
    enum address_class class;
};

static const struct range ranges_v4[] = {
    {{0}, 8, ADDRESS_SPECIAL},
    {{10}, 8, ADDRESS_PRIVATE},
    {{100, 64}, 10, ADDRESS_PRIVATE},
    {{127}, 8, ADDRESS_LOOPBACK},
    {{169, 254}, 16, ADDRESS_SPECIAL},
    {{172, 16}, 12, ADDRESS_PRIVATE},
    {{192, 0, 0, 9}, 32, ADDRESS_PUBLIC},
    {{192, 0, 0, 10}, 32, ADDRESS_PUBLIC},
    {{192, 0, 0}, 24, ADDRESS_SPECIAL},
    {{192, 0, 2}, 24, ADDRESS_SPECIAL},
    {{192, 168}, 16, ADDRESS_PRIVATE},
    {{198, 18}, 15, ADDRESS_SPECIAL},
    {{198, 51, 100}, 24, ADDRESS_SPECIAL},
    {{203, 0, 113}, 24, ADDRESS_SPECIAL},
    {{224}, 4, ADDRESS_SPECIAL},
    {{240}, 4, ADDRESS_SPECIAL},
};

static const struct range ranges_v6[] = {
    {{[15] = 1}, 128, ADDRESS_LOOPBACK},
    {{0}, 96, ADDRESS_SPECIAL},
    {{0x00, 0x64, 0xff, 0x9b, 0x00, 0x01}, 48, ADDRESS_SPECIAL},
    {{0x01}, 64, ADDRESS_SPECIAL},
    {{0x20, 0x01, 0x00, 0x01, [15] = 1}, 128, ADDRESS_PUBLIC},
    {{0x20, 0x01, 0x00, 0x01, [15] = 2}, 128, ADDRESS_PUBLIC},
    {{0x20, 0x01, 0x00, 0x03}, 32, ADDRESS_PUBLIC},
    {{0x20, 0x01, 0x00, 0x04, 0x01, 0x12}, 48, ADDRESS_PUBLIC},
    {{0x20, 0x01, 0x00, 0x20}, 28, ADDRESS_PUBLIC},
    {{0x20, 0x01, 0x00, 0x30}, 28, ADDRESS_PUBLIC},
    {{0x20, 0x01}, 23, ADDRESS_SPECIAL},
    {{0x20, 0x01, 0x0d, 0xb8}, 32, ADDRESS_SPECIAL},
    {{0x20, 0x02}, 16, ADDRESS_SPECIAL},
    {{0x3f, 0xff}, 20, ADDRESS_SPECIAL},
    {{0xfc}, 7, ADDRESS_PRIVATE},
    {{0x20}, 3, ADDRESS_PUBLIC}, /* the only allocated range (RFC 4291, IANA) */
    {{0}, 0, ADDRESS_SPECIAL},   /* site-local fec0::, IPv4-translated ::ffff:0:a.b.c.d ... */
};

static bool holds(const struct range *range, const unsigned char *address)
{
    unsigned bytes = range->bits / 8, rest = range->bits % 8;
    unsigned mask = 0xffU << (8 - rest) & 0xffU;

    return memcmp(range->prefix, address, bytes) == 0 &&
           (rest == 0 || (range->prefix[bytes] & mask) == (address[bytes] & mask));
}

static enum address_class look_up(const struct range *ranges, size_t count,
                                  const unsigned char *address)
{
    for (size_t i = 0; i < count; i++)
        if (holds(&ranges[i], address))
            return ranges[i].class;
    return ADDRESS_PUBLIC;
}

static enum address_class classify_v4(const unsigned char *address)
{
    return look_up(ranges_v4, sizeof ranges_v4 / sizeof ranges_v4[0], address);
}

static enum address_class classify_v6(const unsigned char *address)
{
    static const struct range mapped = {{[10] = 0xff, [11] = 0xff}, 96, ADDRESS_PUBLIC};
    static const struct range translated = {{0x00, 0x64, 0xff, 0x9b}, 96, ADDRESS_PUBLIC};

    if (holds(&mapped, address) || holds(&translated, address))
        return classify_v4(address + 12);
    return look_up(ranges_v6, sizeof ranges_v6 / sizeof ranges_v6[0], address);
}

enum address_class address_classify(const struct sockaddr *address)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;

    if (address->sa_family == AF_INET) {
        memcpy(&v4, address, sizeof v4);
        return classify_v4((const unsigned char *)&v4.sin_addr);
    }
    if (address->sa_family == AF_INET6) {
        memcpy(&v6, address, sizeof v6);
        return classify_v6((const unsigned char *)&v6.sin6_addr);
    }
    return ADDRESS_SPECIAL;
}

bool address_is_loopback(const char *host)
{
    struct in6_addr v6;
    struct in_addr v4;

    if (strcasecmp(host, "localhost") == 0)
        return true;
    if (inet_pton(AF_INET, host, &v4) == 1)
        return ((const unsigned char *)&v4)[0] == 127;
    return inet_pton(AF_INET6, host, &v6) == 1 &&
           (IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127));
}

bool address_may_be_called(enum address_class class, bool private_too, bool loopback_too)
{
    return class == ADDRESS_PUBLIC || (class == ADDRESS_PRIVATE && private_too) ||
           (class == ADDRESS_LOOPBACK && (private_too || loopback_too));
}
