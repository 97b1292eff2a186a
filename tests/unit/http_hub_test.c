/* A hub of streams as a process of its own, asked over its socket as nginx asks it. */
#include "crypto/crypto.h"
#include "http/hub.h"
#include "http/server.h"
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* The journal: events 1 to *journal, of tenants "even" and "odd"; and so many readings that run out
 * of memory. */
static _Atomic int64_t *journal, *exhausted;

static enum error newest(struct server *server, int64_t *sequence, struct problem *problem)
{
    (void)server, (void)problem;
    *sequence = atomic_load(journal);
    return ERROR_NONE;
}

static enum error read_journal(struct server *server, struct arena *arena, int64_t after,
                               struct hub_event *events, size_t *count, struct problem *problem)
{
    (void)server, (void)problem;
    if (after < atomic_load(journal) && atomic_load(exhausted) > 0) {
        atomic_fetch_sub(exhausted, 1);
        arena_fail_after(arena, 1);
    }
    for (*count = 0; *count < HUB_EVENTS_MAX && after < atomic_load(journal); after++)
        events[(*count)++] =
            (struct hub_event){.sequence = after + 1,
                               .tenant = after % 2 ? "even" : "odd",
                               .data = arena_print(arena, "{\"n\":%lld}", (long long)after + 1)};
    return ERROR_NONE;
}

static const struct hub hub = {.newest = newest,
                               .read = read_journal,
                               .poll_ms = 50,
                               .backlog_max = 64 * 1024,
                               .person_seconds = 1};

static enum error stream_handle(struct request *request, struct reply *reply)
{
    const char *tenant = request_header(request, "HTTP_TENANT");
    struct stream stream;
    enum error error;

    if (hub_count(request, tenant) >= 5)
        return problem_set(&request->problem, ERROR_BUSY, "too_many", "too many streams");
    request->by_person = tenant && strcmp(tenant, "person") == 0;
    error = stream_open(request, reply, STREAM_EVENTS, &stream);
    return error ? error : hub_suspend(&stream, tenant, hub_sequence(request), NULL, 0);
}

static const struct route routes[] = {{METHOD_GET, "/stream", .media_type = "text/event-stream",
                                       .handler = stream_handle, .name = "stream", .tag = "t",
                                       .summary = "s"}};

static void write_error(struct json_writer *writer, const struct request *request,
                        const struct http_error *error)
{
    write_error_detail(writer, request, error, ERROR_CODE);
}

static const struct wire_format format = {.write_error = write_error,
                                          .headers = "",
                                          .request_id_in = HEADERS("HTTP_X_REQUEST_ID"),
                                          .request_id_out = HEADERS("X-Request-ID")};

static enum error start(struct server *server, struct arena *arena, struct problem *problem)
{
    (void)arena, (void)problem;
    server->policy = (struct http_policy){.body_limits = {4096}, .memory_limit = 1 << 24};
    return ERROR_NONE;
}

static const size_t no_settings;
static const struct http_service service = {
    .name = "hubtest", .format = &format, .setting_count = &no_settings, .start = start};
static const struct http_family family = {
    .service = &service, .name = "streams", ROUTES(routes), .hub = &hub};

static char folder[] = "/tmp/assay-hub-XXXXXX";
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static int listening;

static pid_t start_hub(void)
{
    static char name[] = "hub";
    char *arguments[] = {name, NULL};
    pid_t child = fork();

    if (child != 0)
        return child;
    dup2(listening, STDIN_FILENO);
    setenv("ASSAY_RUN_DIR", folder, 1);
    if (!freopen("/dev/null", "w", stderr))
        _exit(1);
    _exit(responder_main(1, arguments, &family));
}

static size_t add_parameter(char *out, const char *name, const char *value)
{
    out[0] = (char)strlen(name);
    out[1] = (char)strlen(value);
    memcpy(out + 2, name, strlen(name));
    memcpy(out + 2 + strlen(name), value, strlen(value));
    return 2 + strlen(name) + strlen(value);
}

/* One request as nginx sends it. */
static int ask(const char *tenant)
{
    char bytes[512] = {1, 1, 0, 1, 0, 8, 0, 0, 0, 1};
    size_t at = 16, start_of_parameters = 24, length;
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);

    at = start_of_parameters;
    at += add_parameter(bytes + at, "REQUEST_METHOD", "GET");
    at += add_parameter(bytes + at, "DOCUMENT_URI", "/stream");
    at += add_parameter(bytes + at, "HTTP_TENANT", tenant);
    length = at - start_of_parameters;
    memcpy(bytes + 16, (char[8]){1, 4, 0, 1, (char)(length >> 8), (char)length}, 8);
    memcpy(bytes + at, (char[16]){1, 4, 0, 1, 0, 0, 0, 0, 1, 5, 0, 1}, 16);
    CHECK(connect(connection, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(write(connection, bytes, at + 16) == (ssize_t)at + 16);
    return connection;
}

/* Reads until the text has come; false after two seconds, or when the connection was closed. */
static bool hears(int connection, const char *text)
{
    char bytes[65536];
    size_t length = 0;

    for (;;) {
        struct pollfd entry = {connection, POLLIN, 0};
        ssize_t count;

        if (poll(&entry, 1, 2000) <= 0)
            return false;
        count = read(connection, bytes + length, sizeof bytes - length);
        if (count <= 0)
            return false;
        length += (size_t)count;
        if (memmem(bytes, length, text, strlen(text)))
            return true;
    }
}

/* Whether the end comes after what had been sent. */
static bool is_closed(int connection)
{
    char bytes[65536];
    struct pollfd entry = {connection, POLLIN, 0};

    while (poll(&entry, 1, 2000) > 0)
        if (read(connection, bytes, sizeof bytes) <= 0)
            return true;
    return false;
}

static void publish(int count)
{
    atomic_fetch_add(journal, count);
    hub_notify(folder, "hubtest");
}

TEST(events_reach_the_streams_that_they_are_for)
{
    pid_t child = start_hub();
    int odd = ask("odd"), even = ask("even");

    CHECK(hears(odd, "text/event-stream") && hears(even, "text/event-stream"));
    publish(2);
    CHECK(hears(odd, "id: 1\ndata: {\"n\":1}\n\n"));
    CHECK(hears(even, "id: 2\ndata: {\"n\":2}\n\n"));
    publish(1);
    CHECK(hears(odd, "{\"n\":3}"));
    kill(child, SIGTERM);
    waitpid(child, NULL, 0);
    CHECK(!hears(odd, "more"));
    close(odd);
    close(even);
}

TEST(a_client_that_leaves_frees_its_place)
{
    pid_t child = start_hub();
    int streams[6];

    for (int i = 0; i < 5; i++) {
        streams[i] = ask("odd");
        CHECK(hears(streams[i], "text/event-stream"));
    }
    streams[5] = ask("odd");
    CHECK(hears(streams[5], "Status: 503"));
    close(streams[5]);
    close(streams[0]);
    for (int tries = 0; tries < 500; tries++) { /* the hub has to notice first */
        streams[0] = ask("odd");
        if (hears(streams[0], "text/event-stream"))
            break;
        close(streams[0]);
        streams[0] = -1;
        usleep(20000);
    }
    CHECK(streams[0] >= 0);
    for (int i = 0; i < 5; i++)
        close(streams[i]);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

TEST(a_client_that_takes_nothing_is_closed_and_others_are_served)
{
    pid_t child = start_hub();
    int slow = ask("odd"), quick = ask("even");

    CHECK(hears(slow, "text/event-stream") && hears(quick, "text/event-stream"));
    for (int i = 0; i < 40; i++) {
        char last[64];

        publish(1000);
        snprintf(last, sizeof last, "{\"n\":%lld}",
                 (long long)(atomic_load(journal) & ~(int64_t)1));
        CHECK(hears(quick, last));
    }
    CHECK(is_closed(slow));
    close(slow);
    close(quick);
    kill(child, SIGTERM);
    waitpid(child, NULL, 0);
}

/* With the end of the request, so that a web server ends its answer too. */
TEST(a_stream_of_a_person_ends_and_others_go_on)
{
    static const char end[] = {1, 3, 0, 1, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    pid_t child = start_hub();
    int person = ask("person"), even = ask("even");
    char bytes[4096];
    size_t length = 0;
    ssize_t count;

    CHECK(hears(even, "text/event-stream"));
    while ((count = recv(person, bytes + length, sizeof bytes - length, 0)) > 0)
        length += (size_t)count;
    CHECK_INT(count, 0);
    CHECK(length > sizeof end && memcmp(bytes + length - sizeof end, end, sizeof end) == 0);
    publish(2);
    CHECK(hears(even, "data: {\"n\""));
    close(person);
    close(even);
    kill(child, SIGTERM);
    waitpid(child, NULL, 0);
}

TEST(a_hub_that_runs_out_of_memory_tells_it_later)
{
    pid_t child = start_hub();
    int even = ask("even");

    CHECK(hears(even, "text/event-stream"));
    atomic_store(exhausted, 3);
    publish(2);
    CHECK(hears(even, "data: {\"n\""));
    CHECK_INT(atomic_load(exhausted), 0);
    CHECK_INT(waitpid(child, NULL, WNOHANG), 0);
    close(even);
    kill(child, SIGTERM);
    waitpid(child, NULL, 0);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(events_reach_the_streams_that_they_are_for),
        CASE(a_client_that_leaves_frees_its_place),
        CASE(a_client_that_takes_nothing_is_closed_and_others_are_served),
        CASE(a_stream_of_a_person_ends_and_others_go_on),
        CASE(a_hub_that_runs_out_of_memory_tells_it_later)};
    struct problem problem;
    char left[64];
    int status;

    if (crypto_start(&problem) || !mkdtemp(folder))
        return 1;
    signal(SIGPIPE, SIG_IGN);
    journal =
        mmap(NULL, 2 * sizeof *journal, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    exhausted = journal + 1;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
    listening = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listening, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listening, 64) != 0)
        return 1;
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    snprintf(left, sizeof left, "%s/hubtest-hub.fifo", folder);
    unlink(left);
    snprintf(left, sizeof left, "%s/hubtest.shm", folder);
    unlink(left);
    snprintf(left, sizeof left, "%s/hubtest.shm.lock", folder);
    unlink(left);
    unlink(address.sun_path);
    return rmdir(folder) == 0 ? status : 1;
}
