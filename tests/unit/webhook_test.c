/* Webhooks on both engines, against a receiver on the loopback interface: signatures, rounds, dead
 * letters, targets that are refused, and runners that are killed while they deliver. */
#include "../db/fixture.h"

#include "crypto/crypto.h"
#include "webhook/webhook.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/* Answers 200, or what the path says: /500, /404, /slow. Each request adds a line to a file. */
struct receiver {
    pid_t pid;
    int port;
    const char *log;
};

static const char *header_of(const char *request, const char *name, char value[256])
{
    const char *at = strcasestr(request, name);

    *value = '\0';
    if (at)
        sscanf(at + strlen(name), ": %255[^\r]", value);
    return value;
}

static bool whole(const char *request)
{
    const char *body = strstr(request, "\r\n\r\n");
    char length[256];

    return body && strlen(body + 4) >=
                       (size_t)strtol(header_of(request, "Content-Length", length), NULL, 10);
}

static void receive_one(int connection, int log)
{
    char request[8192], line[2048], delivery[256], signature[256], event[256];
    const char *answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
    size_t length = 0;
    ssize_t count;

    request[0] = '\0';
    while (!whole(request) &&
           (count = read(connection, request + length, sizeof request - 1 - length)) > 0) {
        length += (size_t)count;
        request[length] = '\0';
    }
    if (!whole(request)) /* whoever sent it was killed */
        return;
    count = snprintf(
        line, sizeof line, "%s %s %s %.*s %s\n", header_of(request, "X-Test-Delivery", delivery),
        header_of(request, "X-Test-Event", event),
        *header_of(request, "X-Test-Signature", signature) ? signature : "-", 5, request + 5,
        strstr(request, "\r\n\r\n") ? strstr(request, "\r\n\r\n") + 4 : "");
    if (write(log, line, (size_t)count) != count)
        abort();
    if (strncmp(request, "POST /500", 9) == 0)
        answer = "HTTP/1.1 500 No\r\nContent-Length: 4\r\nConnection: close\r\n\r\noops";
    if (strncmp(request, "POST /404", 9) == 0)
        answer = "HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    if (strncmp(request, "POST /slow", 10) == 0)
        usleep(700000);
    (void)!write(connection, answer, strlen(answer));
    close(connection);
}

static struct receiver receive(struct store *store)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    struct receiver receiver = {.log = arena_print(store->arena, "%s/received", store->directory)};
    int log = open(receiver.log, O_WRONLY | O_CREAT | O_APPEND | O_TRUNC | O_CLOEXEC, 0600);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (log < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) ||
        listen(listener, 64) || getsockname(listener, (struct sockaddr *)&address, &length))
        fixture_fatal("listen", NULL);
    receiver.port = ntohs(address.sin_port);
    fflush(stdout);
    receiver.pid = fork();
    if (receiver.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGCHLD, SIG_IGN);
        for (;;) {
            int connection = accept(listener, NULL, NULL);

            if (connection >= 0 && fork() == 0) {
                receive_one(connection, log);
                _exit(0);
            }
            close(connection);
        }
    }
    close(listener);
    close(log);
    return receiver;
}

static void leave(struct receiver *receiver)
{
    kill(receiver->pid, SIGKILL);
    (void)fixture_wait(receiver->pid);
}

static const char *received(struct store *store, const struct receiver *receiver)
{
    char *text = arena_alloc(store->arena, 1 << 20);
    FILE *file = fopen(receiver->log, "r");
    size_t length = file ? fread(text, 1, (1 << 20) - 1, file) : 0;

    if (file)
        fclose(file);
    text[length] = '\0';
    return text;
}

static int lines_of(const char *text, const char *part)
{
    int count = 0;

    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

/* Where webhook "w" goes: the n-th call of the receiver's paths. */
static int receiver_port;

static enum error find_target(struct db *db, struct arena *arena, const char *webhook_id,
                              struct webhook_target *target, struct problem *problem)
{
    (void)db, (void)problem;
    if (strcmp(webhook_id, "gone") != 0)
        *target = (struct webhook_target){
            .url = arena_print(arena, "http://localhost:%d/%s", receiver_port, webhook_id),
            .secret = "s3cr3t"};
    return ERROR_NONE;
}

static const double at_once[] = {0};
static const struct webhook_kind kind = {.job = WEBHOOK_JOB("test.webhook", 3, at_once),
                                         .event_header = "X-Test-Event",
                                         .signature_header = "X-Test-Signature",
                                         .delivery_header = "X-Test-Delivery",
                                         .user_agent = "Test/1.0",
                                         .attempt_seconds = 5,
                                         .tries = 2,
                                         .first_pause_seconds = 0.001,
                                         .pause_factor = 1,
                                         .find = find_target};
static const char *local_names[] = {"localhost"};
static const struct egress_policy local = {.allowed_hosts = {1, local_names}};
static const struct egress_policy strict = {.allowed_hosts = {0}};
static const struct webhook_answer_limits usual = {.read = 65536, .kept = 2048};
static struct webhook_answer_limits answers = {.read = 65536, .kept = 2048};

static void make_tables(struct store *store)
{
    CHECK_OK(crypto_start(&store->problem));
    store_kit(store, "jobs_1");
    store_kit(store, "jobs_2");
    store_kit(store, "jobs_3");
    store_kit(store, "webhooks_1");
}

static void enqueue(struct store *store, const struct webhook_kind *which, const char *webhook,
                    int number)
{
    const struct webhook_event event = {.webhook_id = webhook,
                                        .event_id = arena_print(store->arena, "event-%d", number),
                                        .event_type = "order.created",
                                        .body = arena_print(store->arena, "{\"n\":%d}", number)};

    CHECK_OK(webhook_enqueue(store->db, store->arena, which, &event, &store->problem));
}

static struct job_counts deliver(struct store *store, const struct webhook_kind *which,
                                 const struct egress_policy *egress)
{
    struct webhook_delivery_config config = {.kind = which, .egress = egress, .answers = answers};
    struct arena *arena = arena_create((size_t)1 << 24);
    struct job_counts tally = {0};

    CHECK_OK(webhook_deliver_due(store->db, arena, &config, 100, &tally, &store->problem));
    arena_destroy(arena);
    return tally;
}

static struct webhook_history history_of(struct store *store, const char *webhook)
{
    struct webhook_history history = {0};

    CHECK_OK(webhook_read_history(store->db, store->arena, &kind, webhook, 20, &history,
                                  &store->problem));
    return history;
}

ON_BOTH(an_event_is_signed_delivered_once_and_written_down)
{
    struct receiver receiver = receive(store);
    char signature[WEBHOOK_SIGNATURE_TEXT];
    struct webhook_history history;
    const char *text;

    make_tables(store);
    receiver_port = receiver.port;
    enqueue(store, &kind, "ok", 1);
    enqueue(store, &kind, "ok", 1);
    CHECK_INT(deliver(store, &kind, &local).done, 1);
    text = received(store, &receiver);
    webhook_sign("s3cr3t", "{\"n\":1}", signature);
    CHECK_INT(lines_of(text, "\n"), 1);
    CHECK(strstr(text, signature) && strstr(text, " order.created ") && strstr(text, "{\"n\":1}"));
    history = history_of(store, "ok");
    CHECK_INT(history.count, 1);
    CHECK(strstr(text, history.items[0].delivery_id));
    CHECK_INT(history.items[0].status_code.value, 200);
    CHECK_TEXT(history.items[0].answer, "ok");
    CHECK(history.items[0].success && !history.items[0].error);
    leave(&receiver);
}

/* The source of the digest is `openssl dgst -sha256 -hmac s3cr3t`. */
TEST(signatures_are_hmac_sha256_of_the_bytes)
{
    char signature[WEBHOOK_SIGNATURE_TEXT];

    webhook_sign("s3cr3t",
                 "{\"event_id\":\"test-1\",\"event_type\":\"webhook.test\",\"test\":true}",
                 signature);
    CHECK_TEXT(signature,
               "sha256=98402c9532e5fa3277271d16787859a6c9fb51f0e1f6649ce38c048e1eb59dac");
}

ON_BOTH(failures_are_tried_again_and_end_as_dead_letters)
{
    struct receiver receiver = receive(store);
    struct webhook_kind strict_kind = kind;
    struct job_row row;

    make_tables(store);
    receiver_port = receiver.port;
    enqueue(store, &kind, "500", 1);
    CHECK_INT(deliver(store, &kind, &local).dead, 1);
    CHECK_INT(lines_of(received(store, &receiver), "\n"), 6); /* three rounds of two */
    CHECK_INT(history_of(store, "500").count, 3);
    CHECK_TEXT(history_of(store, "500").items[0].error, "HTTP 500");
    CHECK_OK(job_find(store->db, store->arena, &kind.job,
                      webhook_job_key(store->arena, "500", "event-1"), &row, &store->problem));
    CHECK_TEXT(row.last_error, "HTTP 500");
    strict_kind.client_errors_are_final = true;
    enqueue(store, &strict_kind, "404", 2);
    CHECK_INT(deliver(store, &strict_kind, &local).dead, 1);
    CHECK_INT(history_of(store, "404").count, 1);
    enqueue(store, &kind, "gone", 3);
    CHECK_INT(deliver(store, &kind, &local).dead, 1);
    CHECK_INT(history_of(store, "gone").count, 0);
    leave(&receiver);
}

/* The receiver says "oops". */
ON_BOTH(of_an_answer_no_more_is_kept_than_the_limits_allow)
{
    static const struct {
        struct webhook_answer_limits limits;
        const char *kept;
    } cases[] = {
        {{.read = 4, .kept = 2048}, "oops"},
        {{.read = 65536, .kept = 3}, "oop"},
        {{.read = 3, .kept = 2048}, "oop …[truncated at 3 bytes]"},
        {{.read = 3, .kept = 2}, "oo"}, /* no room for the mark */
        {{.read = 3, .kept = 0}, ""},
    };
    struct receiver receiver = receive(store);
    struct webhook_kind once = kind;

    make_tables(store);
    receiver_port = receiver.port;
    once.job.attempts = once.tries = 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        answers = cases[i].limits;
        enqueue(store, &once, "500", (int)i);
        CHECK_INT(deliver(store, &once, &local).dead, 1);
        CHECK_TEXT(history_of(store, "500").items[0].answer, cases[i].kept);
    }
    answers = usual;
    leave(&receiver);
}

ON_BOTH(targets_in_our_own_network_are_refused)
{
    struct receiver receiver = receive(store);
    struct webhook_history history;

    make_tables(store);
    receiver_port = receiver.port;
    enqueue(store, &kind, "ok", 1);
    CHECK_INT(deliver(store, &kind, &strict).dead, 1);
    CHECK_TEXT(received(store, &receiver), "");
    history = history_of(store, "ok");
    CHECK_INT(history.count, 1);
    CHECK(history.items[0].error && !strstr(history.items[0].error, "127.0.0.1"));
    leave(&receiver);
}

static const struct {
    const char *url, *reason;
} hostile[] = {
    {"ftp://example.org/", "url_scheme"},
    {"file:///etc/passwd", "url_scheme"},
    {"javascript:alert(1)", "url_malformed"},
    {"http://", "url_host"},
    {"no url at all", "url_malformed"},
    {"http://user:secret@127.0.0.1/", "url_malformed"},
    {"http://127.0.0.1:8010/", "url_not_public"},
    {"http://localhost/", "url_not_public"},
    {"http://[::1]/", "url_not_public"},
    {"http://[::ffff:10.0.0.1]/", "url_not_public"},
    {"http://0x7f.1/", "url_not_public"},
    {"http://2130706433/", "url_not_public"},
    {"http://169.254.169.254/latest/", "url_not_public"},
    {"http://0.0.0.0/", "url_not_public"},
    {"http://no-such-host.invalid/", "url_unresolved"},
};

TEST(hostile_urls_are_refused_when_they_are_registered)
{
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        struct problem problem = {.reason = "none"};

        if (egress_check(hostile[i].url, &strict, &problem) != ERROR_INVALID ||
            strcmp(problem.reason, hostile[i].reason) != 0) {
            printf("%s gives %s, expected %s\n", hostile[i].url, problem.reason, hostile[i].reason);
            test_failures_here++;
        }
    }
    CHECK_INT(egress_check("http://localhost:9/", &local, NULL), ERROR_NONE);
    CHECK_INT(egress_check("http://93.184.216.34/", &strict, NULL), ERROR_NONE);
    CHECK(egress_private_too("http://LOCALHOST:9/x", &local));
    CHECK(!egress_private_too("http://localhost.example.org/", &local));
}

/* At 0, 1, 6, 36, 336, 2136 seconds and then every hour. */
TEST(rounds_go_on_for_as_long_as_the_setting_says)
{
    static const double day = 86400, pauses[] = {WEBHOOK_PAUSES};
    static const struct job_kind growing =
        WEBHOOK_JOB("test.growing", WEBHOOK_ATTEMPTS_MAX, pauses);

    CHECK(!webhook_is_over(&growing, 1, 1));
    CHECK(webhook_is_over(&growing, 2, 1));
    CHECK(!webhook_is_over(&growing, 4, 360));
    CHECK(webhook_is_over(&growing, 5, 360));
    CHECK(!webhook_is_over(&growing, 28, day)); /* the 29th round begins after 23 h 36 min */
    CHECK(webhook_is_over(&growing, 29, day));
}

static const double then_late[] = {0, 100};
static const struct webhook_kind patient = {
    .job = WEBHOOK_JOB("test.webhook", WEBHOOK_ATTEMPTS_MAX, then_late),
    .delivery_header = "X-Test-Delivery",
    .one_id = true,
    .attempt_seconds = 5,
    .tries = 1,
    .pause_factor = 1,
    .find = find_target};

static struct job_counts deliver_for(struct store *store, double seconds)
{
    struct webhook_delivery_config config = {
        .kind = &patient, .egress = &local, .answers = answers, .retry_seconds = seconds};
    struct arena *arena = arena_create((size_t)1 << 24);
    struct job_counts tally = {0};

    CHECK_OK(webhook_deliver_due(store->db, arena, &config, 100, &tally, &store->problem));
    arena_destroy(arena);
    return tally;
}

ON_BOTH(what_was_given_up_is_sent_again_by_hand)
{
    struct receiver receiver = receive(store);
    struct webhook_history history;
    char id[WEBHOOK_DELIVERY_ID];
    struct job_counts tally;
    const char *text;

    make_tables(store);
    receiver_port = receiver.port;
    enqueue(store, &patient, "500", 1);
    tally = deliver_for(store, 100);
    CHECK_INT(tally.failed, 2); /* the third is due in 100 s */
    CHECK_INT(tally.dead, 0);
    CHECK_FAILS(
        webhook_send_again(store->db, store->arena, &patient, "500", "event-1", &store->problem),
        ERROR_CONFLICT, "delivery_not_failed");
    CHECK_FAILS(
        webhook_send_again(store->db, store->arena, &patient, "500", "event-2", &store->problem),
        ERROR_NOT_FOUND, "delivery_not_found");
    enqueue(store, &patient, "500", 2);
    CHECK_INT(deliver_for(store, 50).dead, 1);
    CHECK_OK(
        webhook_send_again(store->db, store->arena, &patient, "500", "event-2", &store->problem));
    CHECK_INT(deliver_for(store, 50).dead, 1);
    history = history_of(store, "500");
    CHECK_INT(history.count, 6); /* each round has a row of its own */
    text = received(store, &receiver);
    CHECK_INT(lines_of(text, "\"n\":2"), 4);
    (void)!snprintf(
        id, sizeof id, "%s",
        strrchr(arena_print(store->arena, "\n%.*s", (int)(strstr(text, "\"n\":2") - text), text),
                '\n') +
            1);
    CHECK_INT(lines_of(text, id), 4); /* the receiver sees one delivery */
    leave(&receiver);
}

/* Runners that are killed while they deliver. */
enum { RUNNERS = 3, EVENTS = 120 };

static int deliver_for_ever(struct store *store, int number)
{
    const struct db_options options = DB_OPTIONS_DEFAULT;
    struct webhook_kind hasty = kind;
    struct webhook_delivery_config config = {.kind = &hasty, .egress = &local, .answers = answers};
    struct arena *arena = arena_create((size_t)1 << 24);
    struct db *db = store_connect(store, &options);

    (void)number;
    hasty.job.lease_seconds = 1;
    for (;;) {
        struct job_counts tally = {0};

        if (webhook_deliver_due(db, arena, &config, 100, &tally, &store->problem) || !tally.claimed)
            fixture_pause(20);
    }
    return 0;
}

static int distinct_deliveries(const char *text, bool *repeated_events)
{
    char seen[4 * EVENTS][WEBHOOK_DELIVERY_ID];
    bool events[EVENTS] = {false};
    int count = 0;

    for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        int number = (int)strtol(strstr(at, "\"n\":") + 4, NULL, 10), i;

        for (i = 0; i < count && strncmp(seen[i], at, WEBHOOK_DELIVERY_ID - 1) != 0; i++)
            continue;
        if (i < count)
            continue;
        snprintf(seen[count++], WEBHOOK_DELIVERY_ID, "%.36s", at);
        *repeated_events = *repeated_events || events[number];
        events[number] = true;
    }
    return count;
}

ON_BOTH(killed_runners_lose_no_event_and_repeat_only_by_the_same_id)
{
    static const struct statement left = {"left",
                                          "SELECT count(*) FROM jobs WHERE state = 'waiting'"};
    static const struct statement written = {
        "written", "SELECT count(*) FROM webhook_history WHERE success = 1"};
    struct receiver receiver = receive(store);
    bool repeated_events = false;
    pid_t runners[RUNNERS];
    int kills = 0;

    make_tables(store);
    receiver_port = receiver.port;
    for (int i = 0; i < EVENTS; i++)
        enqueue(store, &kind, i % 2 ? "ok" : "fine", i);
    db_disconnect(store->db);
    for (int i = 0; i < RUNNERS; i++)
        runners[i] = fixture_fork(deliver_for_ever, store, i);
    while (store_integer(store, &left) > 0 && kills < 500) {
        fixture_pause(5 + (kills * 37) % 60 + kills / 2); /* a busy host needs longer to begin */
        kill(runners[kills % RUNNERS], SIGKILL);
        (void)fixture_wait(runners[kills % RUNNERS]);
        runners[kills % RUNNERS] = fixture_fork(deliver_for_ever, store, 0);
        kills++;
    }
    for (int i = 0; i < RUNNERS; i++) {
        kill(runners[i], SIGKILL);
        (void)fixture_wait(runners[i]);
    }
    CHECK_INT(store_integer(store, &left), 0);
    CHECK_INT(store_integer(store, &written), EVENTS);
    CHECK_INT(distinct_deliveries(received(store, &receiver), &repeated_events), EVENTS);
    CHECK(!repeated_events);
    leave(&receiver);
}

/* One receiver that takes its time holds two runners at most; the third serves the others. */
ON_BOTH(a_slow_receiver_delays_no_other)
{
    static const struct statement quick_left = {
        "quick_left", "SELECT count(*) FROM jobs WHERE state = 'waiting' AND lane = 'ok'"};
    static const struct statement slow_left = {
        "slow_left", "SELECT count(*) FROM jobs WHERE state = 'waiting' AND lane = 'slow'"};
    struct receiver receiver = receive(store);
    pid_t runners[RUNNERS];
    int waited = 0;

    make_tables(store);
    receiver_port = receiver.port;
    for (int i = 0; i < 20; i++)
        enqueue(store, &kind, "slow", i);
    for (int i = 0; i < 20; i++)
        enqueue(store, &kind, "ok", i);
    db_disconnect(store->db);
    for (int i = 0; i < RUNNERS; i++)
        runners[i] = fixture_fork(deliver_for_ever, store, i);
    while (store_integer(store, &quick_left) > 0 && waited++ < 200)
        fixture_pause(10);
    CHECK_INT(store_integer(store, &quick_left), 0);
    CHECK(store_integer(store, &slow_left) > 10);
    for (int i = 0; i < RUNNERS; i++) {
        kill(runners[i], SIGKILL);
        (void)fixture_wait(runners[i]);
    }
    leave(&receiver);
}

TEST_MAIN(CASE(an_event_is_signed_delivered_once_and_written_down),
          CASE(signatures_are_hmac_sha256_of_the_bytes),
          CASE(failures_are_tried_again_and_end_as_dead_letters),
          CASE(of_an_answer_no_more_is_kept_than_the_limits_allow),
          CASE(rounds_go_on_for_as_long_as_the_setting_says),
          CASE(what_was_given_up_is_sent_again_by_hand),
          CASE(targets_in_our_own_network_are_refused),
          CASE(hostile_urls_are_refused_when_they_are_registered),
          CASE(killed_runners_lose_no_event_and_repeat_only_by_the_same_id),
          CASE(a_slow_receiver_delays_no_other))
