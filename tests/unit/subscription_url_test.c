/* Where webhooks may point, judged when they are made: by the URL alone, whatever way an address is
 * written in it. Names are judged when they are connected to (fetch_test). */
#include "experiments/webhooks/subscription_store.h"
#include "test.h"

static bool taken(const char *url, bool local)
{
    struct problem problem = {0};

    return subscription_check_url(url, local, &problem) == ERROR_NONE;
}

/* RFC 6890 and what getaddrinfo() takes for an address: decimal, octal, hexadecimal, short forms.
 */
static const char *const hostile[] = {
    "https://127.0.0.1/",
    "https://127.0.0.1:8443/hook",
    "https://127.1/",
    "https://127.0.1/",
    "https://2130706433/",
    "https://017700000001/",
    "https://0177.0.0.1/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://0x7f.1/",
    "https://0/",
    "https://0.0.0.0/",
    "https://10.0.0.5/",
    "https://167772165/",
    "https://012.0.0.5/",
    "https://100.64.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://0xa9fea9fe/",
    "https://2852039166/",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.0.0.1/",
    "https://192.0.2.1/",
    "https://192.168.1.1/",
    "https://192.168.257/",
    "https://198.18.0.1/",
    "https://198.51.100.7/",
    "https://203.0.113.9/",
    "https://224.0.0.1/",
    "https://240.0.0.1/",
    "https://255.255.255.255/",
    "https://[::]/",
    "https://[::1]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[64:ff9b:1::1]/",
    "https://[100::1]/",
    "https://[2001:db8::1]/",
    "https://[2002:7f00:1::]/",
    "https://[fc00::1]/",
    "https://[fd12:3456::1]/",
    "https://[fe80::1]/",
    "https://[ff02::1]/",
    "https://user@127.0.0.1/",
    "https://example.org@127.0.0.1/",
    "https://user:secret@example.org/",
    "https://127.0.0.1#@example.org/",
    "https://127.0.0.1?@example.org/",
    "http://example.org/",
    "http://127.0.0.1/",
    "http://localhost/",
    "ftp://example.org/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:70/",
    "javascript:alert(1)",
    "//example.org/hook",
    "https://",
    "https:///hook",
    "example.org/hook",
    "",
};

TEST(hostile_targets_are_refused)
{
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++)
        if (taken(hostile[i], false)) {
            printf("%s was taken\n", hostile[i]);
            test_failures_here++;
        }
}

TEST(public_targets_are_taken)
{
    static const char *const urls[] = {
        "https://example.org/hook",    "https://EXAMPLE.org:8443/hook?a=b",
        "https://localhost.example/",  "https://93.184.216.34/",
        "https://[2606:4700::1111]/x", "HTTPS://example.org/",
        "https://192.0.0.9/",          "https://8.8.8.8/",
    };

    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++)
        if (!taken(urls[i], false)) {
            printf("%s was refused\n", urls[i]);
            test_failures_here++;
        }
}

TEST(a_local_installation_may_call_itself)
{
    CHECK(taken("http://localhost:9000/hook", true));
    CHECK(taken("http://127.0.0.1:9000/hook", true));
    CHECK(taken("https://127.0.0.2/", true));
    CHECK(taken("https://[::1]/", true));
    CHECK(!taken("https://10.0.0.5/", true));
    CHECK(!taken("http://10.0.0.5/", true));
    CHECK(!taken("http://example.org/", true));
    CHECK(!taken("http://localhost.example/", true));
}

TEST_MAIN(CASE(hostile_targets_are_refused), CASE(public_targets_are_taken),
          CASE(a_local_installation_may_call_itself))
