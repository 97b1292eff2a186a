/* The classes of addresses, at both ends of every range. Source of the ranges: RFC 6890 and the
 * IANA registries of special-purpose addresses; IPv4 inside IPv6 by RFC 4291 2.5.5.2 and RFC 6052.
 */
#include "net/address.h"
#include "net/egress.h"
#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

static enum address_class classify(const char *text)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};

    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        return address_classify((const struct sockaddr *)&v4);
    CHECK_INT(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
    return address_classify((const struct sockaddr *)&v6);
}

static void check_all(const char *const *texts, size_t count, enum address_class expected)
{
    for (size_t i = 0; i < count; i++)
        if (classify(texts[i]) != expected) {
            printf("%s: class %d, expected %d\n", texts[i], (int)classify(texts[i]), (int)expected);
            CHECK(!"this class");
        }
}

#define CHECK_ALL(expected, ...)                                                                   \
    check_all((const char *const[]){__VA_ARGS__},                                                  \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), expected)

TEST(public_addresses)
{
    CHECK_ALL(ADDRESS_PUBLIC, "1.0.0.0", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255",
              "100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0",
              "172.15.255.255", "172.32.0.0", "192.0.0.9", "192.0.0.10", "192.0.1.0", "192.0.3.0",
              "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255",
              "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255");
    CHECK_ALL(ADDRESS_PUBLIC, "2606:4700::1111", "2001:1::1", "2001:1::2", "2001:3::1",
              "2001:4:112::1", "2001:20::", "2001:2f:ffff::", "2001:30::", "2001:3f:ffff::",
              "2001:200::", "2001:db7:ffff::", "2001:db9::", "2003::", "64:ff9b::8.8.8.8",
              "::ffff:8.8.8.8", "3ffe::", "3fff:1000::", "2000::");
}

TEST(private_addresses)
{
    CHECK_ALL(ADDRESS_PRIVATE, "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
              "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255",
              "fc00::", "fdff:ffff::", "::ffff:10.1.2.3", "64:ff9b::192.168.1.1");
    CHECK_ALL(ADDRESS_LOOPBACK, "127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1");
}

TEST(who_may_call_what)
{
    CHECK(address_may_be_called(ADDRESS_PUBLIC, false, false));
    CHECK(!address_may_be_called(ADDRESS_LOOPBACK, false, false));
    CHECK(address_may_be_called(ADDRESS_LOOPBACK, false, true));
    CHECK(!address_may_be_called(ADDRESS_PRIVATE, false, true));
    CHECK(address_may_be_called(ADDRESS_PRIVATE, true, false));
    CHECK(address_may_be_called(ADDRESS_LOOPBACK, true, false));
    CHECK(!address_may_be_called(ADDRESS_SPECIAL, true, true));
}

TEST(special_addresses)
{
    CHECK_ALL(ADDRESS_SPECIAL, "0.0.0.0", "0.255.255.255", "169.254.169.254", "192.0.0.0",
              "192.0.0.8", "192.0.0.255", "192.0.2.1", "198.18.0.0", "198.19.255.255",
              "198.51.100.7", "203.0.113.255", "224.0.0.1", "239.255.255.255", "240.0.0.0",
              "255.255.255.255");
    CHECK_ALL(ADDRESS_SPECIAL, "::", "::8.8.8.8", "64:ff9b:1::1", "100::", "100::ffff:ffff",
              "2001::", "2001:1::3", "2001:1ff:ffff::", "2001:db8::1",
              "2002:808:808::", "3fff::", "3fff:fff::", "fe80::1", "febf::1", "ff02::1",
              "::ffff:169.254.169.254", "64:ff9b::0.0.0.0");
    /* Outside of 2000::/3 nothing is given out: site-local (RFC 3879), IPv4-translated (RFC
     * 2765)... */
    CHECK_ALL(ADDRESS_SPECIAL, "fec0::1", "feff::1", "::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8",
              "100:0:0:1::", "1fff:ffff::", "4000::", "fbff::");
}

TEST(loopback_names)
{
    static const struct {
        const char *host;
        bool loopback;
    } cases[] = {{"127.0.0.1", true},
                 {"127.8.9.1", true},
                 {"::1", true},
                 {"localhost", true},
                 {"LocalHost", true},
                 {"::ffff:127.0.0.1", true},
                 {"0.0.0.0", false},
                 {"::", false},
                 {"10.0.0.1", false},
                 {"example", false},
                 {"127.0.0.1.evil", false},
                 {"", false},
                 {"localhost.", false},
                 {"::ffff:8.8.8.8", false}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_INT(address_is_loopback(cases[i].host), cases[i].loopback);
}

TEST(urls_of_this_machine)
{
    CHECK(egress_is_local("http://localhost:11434/api"));
    CHECK(egress_is_local("https://LocalHost"));
    CHECK(egress_is_local("http://127.3.2.1:80"));
    CHECK(egress_is_local("http://[::1]:8000/v1"));
    CHECK(!egress_is_local("http://localhost.example.com"));
    CHECK(!egress_is_local("http://10.0.0.1:11434"));
    CHECK(!egress_is_local("http://[2606:4700::1111]"));
    CHECK(!egress_is_local("localhost"));
}

TEST(other_families)
{
    const struct sockaddr_un path = {.sun_family = AF_UNIX};

    CHECK_INT(address_classify((const struct sockaddr *)&path), ADDRESS_SPECIAL);
}

TEST_MAIN(CASE(public_addresses), CASE(private_addresses), CASE(who_may_call_what),
          CASE(special_addresses), CASE(loopback_names), CASE(urls_of_this_machine),
          CASE(other_families))
