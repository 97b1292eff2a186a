/* The log hides credentials wherever they stand in a value. */
#include "base/cause.h"
#include "base/log.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

/* What log_event() writes of this detail. */
static const char *logged(const char *detail)
{
    static char line[4096];
    int real = dup(STDERR_FILENO);
    int ends[2];
    ssize_t length;

    if (real < 0 || pipe(ends) != 0)
        abort();
    dup2(ends[1], STDERR_FILENO);
    log_event(LOG_ERROR, "test", detail);
    dup2(real, STDERR_FILENO);
    length = read(ends[0], line, sizeof line - 1);
    line[length < 0 ? 0 : length] = '\0';
    close(real);
    close(ends[0]);
    close(ends[1]);
    return line;
}

static const struct {
    const char *detail;
    const char *shown; /* in place of it */
} rows[] = {
    {"Authorization: Bearer geheim", "Authorization: Bearer ******"},
    {"bearer geheim and more", "bearer ****** and more"},
    {"X-API-Key: geheim", "X-API-Key: ******"},
    {"x-ab-llm-token: geheim", "x-ab-llm-token: ******"},
    {"GET /x?api_key=geheim&page=2", "GET /x?api_key=******&page=2"},
    {"apiKey=geheim", "apiKey=******"},
    {"postgresql://user:geheim@host/name", "postgresql://***********@host/name"},
    {"no key here", "no key here"},
};

TEST(credentials_are_hidden)
{
    log_open("test", LOG_INFO, LOG_JSON);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *line = logged(rows[i].detail);

        CHECK(strstr(line, rows[i].shown) != NULL);
        CHECK(strstr(line, "geheim") == NULL);
    }
}

TEST(lines_name_the_request_and_the_trace_at_hand)
{
    struct cause cause = {.request_id = "r-1"};

    log_open("test", LOG_INFO, LOG_JSON);
    (void)snprintf(cause.trace, sizeof cause.trace, "%s",
                   "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    cause_set(&cause);
    CHECK(strstr(logged("x"), "{\"fields\":{\"detail\":\"x\",\"request_id\":\"r-1\","
                              "\"span_id\":\"b7ad6b7169203331\","
                              "\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\"},") != NULL);
    cause_set(NULL);
    CHECK(strstr(logged("x"), "{\"fields\":{\"detail\":\"x\"},") != NULL);
}

TEST_MAIN(CASE(credentials_are_hidden), CASE(lines_name_the_request_and_the_trace_at_hand))
