/* A responder process: its command line, its start, and the loop. One request at a time, each on a
 * connection of its own; the socket is descriptor 0 and outlives every worker. When a web server
 * starts it as a CGI program, it answers one request and exits. */
#include "base/clock.h"
#include "base/confine.h"
#include "base/help.h"
#include "base/log.h"
#include "base/settings.h"
#include "crypto/crypto.h"
#include "http/cgi.h"
#include "http/concurrent.h"
#include "http/exposure.h"
#include "http/fastcgi.h"
#include "http/http_internal.h"
#include "http/hub_internal.h"
#include "http/listener.h"
#include "http/people.h"
#include "i18n/i18n.h"
#include "limits/limits.h"
#include "shm/watch.h"
#include "telemetry/otlp_settings.h"
#include "telemetry/trace_export.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OVERTIME_SECONDS = 5, /* added to the longest answer time of the family */
    CHECK_MICROSECONDS = 1000000,
    PROCESS_MEMORY_MAX = 16 * 1024 * 1024, /* settings and all that is never freed */
    DESCRIPTION_MAX = 16 * 1024 * 1024,
};

/* What the responders of every service read besides their own settings. */
struct environment {
    bool allow_open;
    struct string_list hosts;
    const char *run_directory;
    const char *locales_directory;
    int64_t requests;     /* 0 = no end */
    int64_t pool_seconds; /* 0 = no limit */
    int64_t pool_workers;
    double idle_seconds;
    double receive_seconds, send_seconds, stream_send_seconds, linger_seconds;
    int64_t concurrent_requests, concurrent_memory;
    double hang_seconds;
    struct http_tool_limits tools;
    struct limits_config limits; /* its URL is NULL: the limits are those of each host */
    struct otlp_settings otlp;
};

#define AT(member) offsetof(struct environment, member)
static const struct setting environment_settings[] = {
    {"ASSAY_RUN_DIR", SETTING_TEXT, AT(run_directory), NULL,
     .help =
         "Where the workers of a service meet in shared memory; `nginx/stack` sets it. Without it "
         "each counts for itself."},
    {"ASSAY_LOCALES_DIR", SETTING_TEXT, AT(locales_directory), "locales",
     .help = "The catalogues of texts; `nginx/stack` sets it."},
    {"ASSAY_ALLOW_OPEN", SETTING_BOOLEAN, AT(allow_open), "false",
     .help = "Let services that are open to everybody listen at addresses that are not loopback; "
             "logged at each start."},
    {"ASSAY_HOSTS", SETTING_LIST, AT(hosts), NULL,
     .help = "Further names of this host. A service that is open to everybody answers requests "
             "for these, for loopback, for the address that they came to and for "
             "ASSAY_ORIGIN_<SERVICE>; others get 421."},
    {"ASSAY_WORKER_REQUESTS", SETTING_INTEGER, AT(requests), "100000",
     .help = "Requests after which a worker leaves and another takes its place; 0 = never. One "
             "that serves requests side by side ends those that it has begun."},
    {"ASSAY_POOL_SECONDS", SETTING_INTEGER, AT(pool_seconds), "0", .maximum = 86400,
     .help = "The longest answer of the family; `nginx/stack` sets it. A worker that is at one "
             "request 5 s longer, hanging or stopped, is killed by the others; 0 = never."},
    {"ASSAY_POOL_WORKERS", SETTING_INTEGER, AT(pool_workers), "1", .maximum = 1000000,
     .help = "The workers of the family; `nginx/stack` sets it."},
    {"ASSAY_DATABASE_IDLE_SECONDS", SETTING_NUMBER, AT(idle_seconds), "0.05", .minimum = 0.001,
     .maximum = 3600,
     .help = "PostgreSQL: a worker that has had no request for so long closes its connection, so "
             "that other workers of the host can have its place in the pool."},
    {"ASSAY_RECEIVE_SECONDS", SETTING_NUMBER, AT(receive_seconds), "5", .minimum = 0.001,
     .maximum = 3600, .help = "For the web server to hand over a whole request."},
    {"ASSAY_SEND_SECONDS", SETTING_NUMBER, AT(send_seconds), "10", .minimum = 0.001,
     .maximum = 3600, .help = "For it to take the next part of an answer."},
    {"ASSAY_STREAM_SEND_SECONDS", SETTING_NUMBER, AT(stream_send_seconds), "1", .minimum = 0.001,
     .maximum = 3600,
     .help = "The same for what a stream has missed, while all streams of its service wait."},
    {"ASSAY_CONCURRENT_REQUESTS", SETTING_INTEGER, AT(concurrent_requests), "8192",
     .maximum = 16384,
     .help =
         "Requests that one worker of a family that waits for others serves side by side; one "
         "more is answered 503 with Retry-After at once. 0 = one at a time, as other families."},
    {"ASSAY_CONCURRENT_MEMORY_BYTES", SETTING_INTEGER, AT(concurrent_memory), "536870912",
     .minimum = 16777216, .maximum = 68719476736.0,
     .help = "Memory of all requests of such a worker; above it new ones are answered 503."},
    {"ASSAY_CONCURRENT_HANG_SECONDS", SETTING_NUMBER, AT(hang_seconds), "45", .minimum = 1,
     .maximum = 3600,
     .help =
         "Such a worker that has not gone from one request to the next for so long hangs and is "
         "killed by the others; longer than a statement of the database may take."},
    {"ASSAY_LIMITS_URL", SETTING_TEXT, AT(limits.url), NULL, .secret = true,
     .help = "`redis://[[user]:password@]host[:port][/database]`, a Redis or Valkey server: rate "
             "limits, places in flight and circuit breakers then hold over all hosts together. "
             "While it is away each host counts its share alone."},
    {"ASSAY_LIMITS_TIMEOUT_SECONDS", SETTING_NUMBER, AT(limits.timeout), "0.1", .minimum = 0.005,
     .maximum = 10, .help = "How long a request waits for it."},
    {"ASSAY_LIMITS_RETRY_SECONDS", SETTING_NUMBER, AT(limits.retry_seconds), "2", .minimum = 0.1,
     .maximum = 3600,
     .help = "Between two attempts to reach it after it has failed; no request waits for them."},
    {"ASSAY_LIMITS_HOST_SECONDS", SETTING_NUMBER, AT(limits.host_seconds), "10", .minimum = 2,
     .maximum = 3600,
     .help = "A host that has been silent for so long counts as gone: the others then share the "
             "limits among fewer, should the server fail."},
    {"ASSAY_LIMITS_LEASE_SECONDS", SETTING_NUMBER, AT(limits.lease_seconds), "15", .minimum = 1,
     .maximum = 3600,
     .help = "The places in flight of a dead host come back after so long; a living one renews "
             "its places three times as often."},
    {"ASSAY_MCP_ANSWER_BYTES", SETTING_INTEGER, AT(tools.answer), "65536", .minimum = 1024,
     .maximum = 16777216,
     .help =
         "What a tool of /mcp answers at once; the rest of a longer answer follows on request."},
    {"ASSAY_MCP_FETCH_BYTES", SETTING_INTEGER, AT(tools.fetched), "8388608", .minimum = 1024,
     .maximum = 268435456, .help = "The longest answer of a route that /mcp passes on, in parts."},
    {"ASSAY_MCP_PAGE_TOOLS", SETTING_INTEGER, AT(tools.page), "100", .minimum = 1, .maximum = 1000,
     .help = "Tools on one page of the list of /mcp."},
    {"ASSAY_LINGER_SECONDS", SETTING_NUMBER, AT(linger_seconds), "2", .minimum = 0.001,
     .maximum = 3600, .help = "For the unread rest of a body, so that its sender sees the answer."},
    OTLP_SETTINGS,
};
#undef AT

enum { SETTINGS_COUNT = sizeof environment_settings / sizeof environment_settings[0] };

static int milliseconds(double seconds)
{
    return (int)(seconds * 1000);
}

/* Once a second: kills workers past their deadline, and checks the shared memory. */
static bool check_health(void *context)
{
    static int64_t checked_at; /* of the process */
    struct server *server = context;
    int64_t now = clock_monotonic_microseconds();
    unsigned killed;

    if (now - checked_at < CHECK_MICROSECONDS)
        return true;
    checked_at = now;
    if (!shm_region_is_sound(server->region)) {
        log_event(LOG_ERROR, "shared_memory_damaged",
                  "this worker leaves for one with a fresh file");
        return false;
    }
    killed = watch_enforce(server->region);
    if (killed)
        log_event(LOG_ERROR, "workers_killed", "past the longest answer of their family");
    limits_beat(server->region);
    people_each_second(server);
    if (server->family->service->each_second)
        server->family->service->each_second(server);
    return true;
}

/* The milliseconds until the worker has to check again. Once per run of requests it calls the
 * service's idle(). */
static int idle(void *context)
{
    struct server *server = context;
    int64_t left;

    if (!server->served_at)
        return CHECK_MICROSECONDS / 1000;
    left =
        server->served_at + (int64_t)(server->idle_seconds * 1e6) - clock_monotonic_microseconds();
    if (left > 0)
        return (int)(left < CHECK_MICROSECONDS ? left / 1000 + 1 : CHECK_MICROSECONDS / 1000);
    server->served_at = 0;
    people_idle(server);
    if (server->family->service->idle)
        server->family->service->idle(server);
    return CHECK_MICROSECONDS / 1000;
}

static struct fastcgi fastcgi; /* of the process, where it serves one request at a time */

static void serve_one(struct server *server, int connection)
{
    struct exchange exchange = exchange_over(&fastcgi);

    if (!fastcgi_receive(&fastcgi, connection))
        return;
    watch_limit(server->region, server->watch, server->limit);
    server_serve(server, &exchange);
    if (server->serving->suspended)
        hub_attach(server, fastcgi.connection, fastcgi.id);
    else
        fastcgi_finish(&fastcgi);
    server_after(server);
    server->served_at = clock_monotonic_microseconds();
    watch_limit(server->region, server->watch, 0);
}

static void serve(struct server *server, const struct listener *listener,
                  const struct environment *environment)
{
    int64_t served = 0;
    int connection;

    fastcgi.timeouts =
        (struct fastcgi_timeouts){.receive = milliseconds(environment->receive_seconds),
                                  .send = milliseconds(environment->send_seconds),
                                  .linger = milliseconds(environment->linger_seconds)};
    server->watch = watch_join(server->region);
    server->limit =
        environment->pool_seconds ? (double)environment->pool_seconds + OVERTIME_SECONDS : 0;
    server->idle_seconds = environment->idle_seconds;
    log_event(LOG_DEBUG, "startup", server->family->name);
    if (server->hub) {
        /* While a handler writes, all other streams wait. */
        fastcgi.timeouts.send = milliseconds(environment->stream_send_seconds);
        hub_serve(server, listener, serve_one);
        return;
    }
    if (server->family->concurrent && environment->concurrent_requests) {
        concurrent_serve(
            server, listener,
            &(struct concurrent_limits){
                .requests = (size_t)environment->concurrent_requests,
                .memory = (size_t)environment->concurrent_memory,
                .hang_seconds = environment->pool_seconds ? environment->hang_seconds : 0,
                .served_most = environment->requests,
                .workers = (int)environment->pool_workers,
                .timeouts = fastcgi.timeouts});
        return;
    }
    while ((environment->requests == 0 || served < environment->requests) &&
           (connection = listener_accept(listener)) >= 0) {
        served++;
        serve_one(server, connection);
    }
}

/* Before the first request and the first thread; whatever was opened so far stays open. */
static enum error confine_worker(const struct http_policy *policy, const char *run_directory,
                                 struct problem *problem)
{
    const char *const given[] = {policy->data_directory, run_directory, policy->shared_directory};
    const char *directories[COUNT_OF(given) + 1] = {NULL};
    size_t count = 0;
    enum error error;

    for (size_t i = 0; i < COUNT_OF(given); i++)
        if (given[i])
            directories[count++] = given[i];
    error = confine_process(policy->confine, directories, problem);
    if (!error && confine_state()->missing[0])
        log_event(LOG_INFO, "not_confined", confine_state()->missing);
    return error;
}

/* Creates the series of this family at start, so that they are never absent. */
static void begin_http_metrics(struct server *server)
{
    static const char *const classes[] = {"success", "client_error", "server_error"};
    const char *family = server->family->name;

    for (size_t i = 0; i < COUNT_OF(classes); i++)
        metric_add(server->metrics, HTTP_METRIC_REQUESTS, (const char *const[]){classes[i], family},
                   0);
    metric_add(server->metrics, HTTP_METRIC_SECONDS, &family, 0);
}

static enum error open_metrics(struct server *server, struct arena *arena,
                               const char *run_directory, struct problem *problem)
{
    const struct http_service *service = server->family->service;
    enum error error;

    if (!service->metrics)
        return ERROR_NONE;
    error = metrics_open(run_directory
                             ? arena_print(arena, "%s/%s-metrics.shm", run_directory, service->name)
                             : NULL,
                         service->metrics, service->metric_count, &server->metrics, problem);
    if (!error && service->counts_http)
        begin_http_metrics(server);
    return error;
}

enum error server_start(struct server *server, struct arena *arena, const char *run_directory,
                        const char *locales_directory, struct problem *problem)
{
    const struct http_family *family = server->family;
    enum error error = locale_open_catalogues(locales_directory, problem);

    if (error)
        return error;
    server->arena = arena_create(server->policy.memory_limit);
    server->serving = calloc(1, sizeof *server->serving);
    if (!server->arena || !server->serving)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    server->run_directory = run_directory;
    tracing_open(server);
    if (run_directory)
        error =
            shm_region_open(arena_print(arena, "%s/%s.shm", run_directory, family->service->name),
                            SHM_SERVICE_VERSION, &server->region, problem);
    else
        error = shm_region_open_anonymous(&server->region, problem);
    if (!error && server->limits)
        error = limits_attach(arena, server->region, server->limits, problem);
    return error ? error : open_metrics(server, arena, run_directory, problem);
}

/* `nginx/stack drain` creates the file; stopping or starting removes it. */
bool server_draining(const struct server *server)
{
    char path[PATH_MAX];
    int length;

    if (!server->run_directory)
        return false;
    length = snprintf(path, sizeof path, "%s/draining", server->run_directory);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

/* Frees what the service's start() has made. */
static void stop_service(struct server *server)
{
    people_close(server);
    if (server->family->service->stop)
        server->family->service->stop(server->state);
}

void server_stop(struct server *server)
{
    stop_service(server);
    hub_close(server);
    tracing_close(server);
    metrics_close(server->metrics);
    if (server->region)
        limits_detach(server->region);
    shm_region_close(server->region);
    arena_destroy(server->arena);
    free(server->serving);
    locale_close_catalogues();
}

static int complain(const char *program, const struct problem *problem)
{
    fprintf(stderr, "%s: %s\n", program, problem->text);
    return EXIT_FAILURE;
}

static int print(struct text *out)
{
    bool written = fwrite(out->bytes, 1, out->length, stdout) == out->length && fflush(stdout) == 0;

    if (!written)
        fprintf(stderr, "cannot write: %s\n", strerror(errno));
    else if (out->overflowed)
        fprintf(stderr, "what is to be printed is longer than %d bytes\n", DESCRIPTION_MAX);
    return written && !out->overflowed ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Works with any settings, because the launcher learns their names from it. */
static int document_settings(const struct http_service *service, struct arena *arena)
{
    struct text out;

    text_start(&out, arena, DESCRIPTION_MAX);
    settings_document(service->settings, *service->setting_count, &out);
    text_append_string(&out, "\n## Workers\n\nOf every service.\n\n");
    settings_document(environment_settings, SETTINGS_COUNT, &out);
    return print(&out);
}

/* The options that print something and exit. -1 when `option` is none of them. */
static int print_option(const char *option, const struct server *server, struct arena *arena)
{
    const struct http_service *service = server->family->service;
    struct text out;

    text_start(&out, arena, DESCRIPTION_MAX);
    if (strcmp(option, "--describe") == 0)
        server_describe(server, &out);
    else if (strcmp(option, "--check-config") == 0)
        settings_print(service->settings, *service->setting_count, server->settings, &out);
    else
        return -1;
    return print(&out);
}

static const char *help_of(struct arena *arena)
{
    return arena_print(
        arena,
        "usage: %s [--check-config | --describe | --describe-metrics | --describe-routes |\n"
        "       --describe-settings]\n\n"
        "Answers requests over FastCGI on the listening socket at descriptor 0, or the one\n"
        "request for which a web server starts it as a CGI program.\n\n"
        "  --check-config       Check the settings and print those that are not the default.\n"
        "  --describe           Print the OpenAPI document of its routes.\n"
        "  --describe-metrics   Print what /metrics of its service may have, as lines of JSON.\n"
        "  --describe-routes    Print its routes and who may call each.\n"
        "  --describe-settings  Print the documentation of its settings.\n",
        program_invocation_short_name);
}

/* The routes of the family as lines of a table: method, path, who may call. */
static int document_routes(const struct http_family *family, struct arena *arena)
{
    struct text out;

    text_start(&out, arena, DESCRIPTION_MAX);
    for (size_t i = 0; i < family->route_count; i++) {
        const struct route *route = &family->routes[i];

        if (!route->hidden)
            text_append_format(&out, "| %s | `%s` | %s |\n", method_names[route->method],
                               route->path,
                               route->access ? route->access : family->service->access(route));
    }
    return print(&out);
}

static int document_metrics(const struct http_family *family, struct arena *arena)
{
    const struct http_service *service = family->service;
    struct text out;

    text_start(&out, arena, DESCRIPTION_MAX);
    metrics_describe(service->metrics, service->metric_count, &out);
    metrics_describe(family->scraped, family->scraped_count, &out);
    if (service->metrics)
        metrics_describe(limits_metrics, LIMITS_METRIC__MAX, &out);
    return print(&out);
}

static enum error ask_ready(struct server *server, bool starts, struct problem *problem)
{
    const struct http_service *service = server->family->service;

    return service->ready ? service->ready(server, starts, problem) : ERROR_NONE;
}

/* Where spans go, unless the service has said so itself, and who decides about them. */
static enum error take_tracing(struct server *server, struct arena *arena,
                               const struct otlp_settings *settings, struct problem *problem)
{
    struct http_policy *policy = &server->policy;
    enum error error = policy_read_networks(&policy->trace_callers, &settings->trace_callers,
                                            "ASSAY_OTLP_TRACE_CALLERS", problem);

    if (!policy->span_socket && settings->endpoint) {
        policy->span_socket =
            arena_print(arena, TRACE_SOCKET_NAME("%s"), server->family->service->name);
        policy->trace_share = settings->trace_share;
    }
    return error ? error : otlp_settings_check(settings, problem);
}

static int run(int argc, char **argv, const struct http_family *family, struct arena *arena)
{
    struct server server = {.family = family};
    struct listener listener;
    struct environment environment = {0};
    struct problem problem = {0};
    bool as_cgi = argc == 1 && cgi_is_request();
    int status;

    if (argc > 1 && strcmp(argv[1], "--describe-settings") == 0)
        return document_settings(family->service, arena);
    if (argc > 1 && strcmp(argv[1], "--describe-routes") == 0)
        return document_routes(family, arena);
    if (argc > 1 && strcmp(argv[1], "--describe-metrics") == 0)
        return document_metrics(family, arena);
    if (crypto_start(&problem) ||
        settings_load(environment_settings, SETTINGS_COUNT, &environment, arena, NULL, &problem) ||
        family->service->start(&server, arena, &problem) ||
        take_tracing(&server, arena, &environment.otlp, &problem) ||
        (environment.limits.url && limits_check_url(arena, environment.limits.url, &problem)))
        return complain(argv[0], &problem);
    environment.limits.service = family->service->name;
    server.limits = environment.limits.url ? &environment.limits : NULL;
    server.policy.hosts = environment.hosts;
    server.policy.tools = environment.tools;
    if (argc > 1) {
        if (strcmp(argv[1], "--check-config") == 0 &&
            (locale_open_catalogues(environment.locales_directory, &problem) ||
             ask_ready(&server, true, &problem) ||
             exposure_check(&server.policy, environment.allow_open, &problem))) {
            stop_service(&server);
            return complain(argv[0], &problem);
        }
        status = print_option(argv[1], &server, arena);
        if (status < 0)
            help_print_usage(help_of(arena));
        stop_service(&server);
        return status < 0 ? 2 : status;
    }
    if (!as_cgi && !listener_is_socket(STDIN_FILENO)) {
        fprintf(stderr, "%s: descriptor 0 is no listening socket; see --help\n", argv[0]);
        stop_service(&server);
        return EXIT_FAILURE;
    }
    if ((!as_cgi && listener_open(&listener, STDIN_FILENO, &problem)) ||
        server_start(&server, arena, environment.run_directory, environment.locales_directory,
                     &problem) ||
        (!as_cgi && family->hub && hub_open(&server, environment.run_directory, &problem)) ||
        confine_worker(&server.policy, environment.run_directory, &problem) ||
        ask_ready(&server, false, &problem) ||
        /* Only for the log: whether the database has keys is unknown while it is unreachable. */
        (environment.allow_open && exposure_check(&server.policy, true, &problem))) {
        server_stop(&server);
        return complain(argv[0], &problem);
    }
    if (as_cgi) {
        cgi_serve(&server);
        server_stop(&server);
        return EXIT_SUCCESS;
    }
    listener.go_on = check_health;
    listener.idle = idle;
    listener.context = &server;
    serve(&server, &listener, &environment);
    server_stop(&server);
    listener_close(&listener);
    return EXIT_SUCCESS;
}

int responder_main(int argc, char **argv, const struct http_family *family)
{
    struct arena *arena = arena_create(PROCESS_MEMORY_MAX);
    int status;

    if (!arena)
        return EXIT_FAILURE;
    if (family->niceness)
        lower_priority(family->niceness);
    status = help_given(argc, argv, help_of(arena)) ? EXIT_SUCCESS : run(argc, argv, family, arena);
    arena_destroy(arena);
    return status;
}
