/* Reads the metrics of all services of the stack and sends them to ASSAY_OTLP_ENDPOINT. `--help`
 * lists the options and exit codes. */
#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "jobs/main_loop.h"
#include "net/family_call.h"
#include "telemetry/metrics_export.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "usage: metrics-export --every SECONDS\n"
    "\n"
    "Reads what each service of the stack says at /metrics, by its own socket below\n"
    "ASSAY_RUN_DIR, and sends it to ASSAY_OTLP_ENDPOINT by the OpenTelemetry Protocol\n"
    "(HTTP, binary) each ASSAY_OTLP_METRICS_SECONDS. Looks each SECONDS whether it is\n"
    "time. `nginx/stack` runs it where the setting is given.\n"
    "\n"
    "Exit codes: 0 stopped by a signal; 1 the settings are wrong; 2 the command line is\n"
    "wrong.\n";

enum { EXIT_DONE, EXIT_SETTINGS };
enum {
    ROUND_MEMORY = 64 << 20, /* of one service */
    TEXT_MAX = 16 << 20,     /* of its metrics */
    REQUEST_MAX = 32 << 20
};
static const double read_seconds = 10;

/* The family of each service that answers /metrics. */
static const struct {
    const char *service, *family;
} sources[] = {{"experiments", "system"},
               {"support", "system"},
               {"orchestrator", "system"},
               {"livedata", "system"},
               {"accounts", "people"}};

struct exporter {
    struct otlp_collector collector;
    const char *run_directory;
    double every_seconds;
    int64_t due_at; /* monotonic microseconds */
    struct arena *arena;
};

/* When the file that all workers count in was made; else when its lock was, which nobody writes. */
static int64_t counting_began(struct arena *arena, const char *run_directory, const char *service)
{
    const char *path = arena_print(arena, "%s/%s-metrics.shm", run_directory, service);
    struct statx file;
    struct stat lock;

    if (statx(AT_FDCWD, path, 0, STATX_BTIME, &file) == 0 && file.stx_mask & STATX_BTIME)
        return file.stx_btime.tv_sec * 1000000 + file.stx_btime.tv_nsec / 1000;
    if (stat(arena_print(arena, "%s.lock", path), &lock) == 0)
        return lock.st_mtim.tv_sec * 1000000 + lock.st_mtim.tv_nsec / 1000;
    return clock_unix_microseconds();
}

/* A service that does not run has no metrics; nobody has to hear of it twice. */
static void export_service(struct exporter *exporter, size_t place)
{
    struct arena *arena = exporter->arena;
    const char *service = sources[place].service;
    const struct family_call call = {.socket = arena_print(arena, "%s/%s-%s.sock",
                                                           exporter->run_directory, service,
                                                           sources[place].family),
                                     .path = "/metrics",
                                     .program = "metrics-export",
                                     .answer_max = TEXT_MAX,
                                     .seconds = read_seconds};
    struct metrics_source source = {.service_name = service,
                                    .counted_since =
                                        counting_began(arena, exporter->run_directory, service)};
    struct fastcgi_answer answer;
    struct problem problem;
    struct text body;

    if (access(call.socket, F_OK) != 0)
        return;
    if (family_get(arena, &call, &answer, &problem) || answer.status != 200) {
        log_event(LOG_WARNING, "metrics_not_read", service);
        return;
    }
    source.read_at = clock_unix_microseconds();
    text_start(&body, arena, REQUEST_MAX);
    if (metrics_export_append(arena, &source, answer.body, &body) && !body.overflowed)
        (void)otlp_send(&exporter->collector, arena, &body, "metrics_not_exported");
}

static bool run_once(void *context)
{
    struct exporter *exporter = context;
    int64_t now = clock_monotonic_microseconds();

    if (exporter->every_seconds <= 0 || now < exporter->due_at)
        return false;
    exporter->due_at = now + (int64_t)(exporter->every_seconds * 1e6);
    for (size_t i = 0; i < sizeof sources / sizeof sources[0] && !main_loop_must_stop(); i++) {
        if (!otlp_may_call(&exporter->collector))
            break;
        export_service(exporter, i);
        arena_reset(exporter->arena);
    }
    return false;
}

static int run(struct arena *arena, double every)
{
    const char *folder = getenv("ASSAY_RUN_DIR");
    struct exporter exporter = {.run_directory = folder ? folder : "run"};
    struct otlp_settings settings;
    struct problem problem = {0};
    enum error error = crypto_start(&problem);

    if (!error)
        error = otlp_settings_load(&settings, arena, &problem);
    if (!error && !settings.endpoint)
        error = problem_set(&problem, ERROR_INVALID, "not_set", "ASSAY_OTLP_ENDPOINT is not set");
    if (!error && !(exporter.arena = arena_create(ROUND_MEMORY)))
        error = problem_set(&problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    if (error) {
        fprintf(stderr, "metrics-export: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.metrics-export", LOG_INFO, LOG_JSON);
    otlp_collector_read(arena, &settings, "metrics", &exporter.collector);
    exporter.every_seconds = settings.metrics_seconds;
    main_loop_run(every, run_once, &exporter);
    arena_destroy(exporter.arena);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    return main_loop_main(argc, argv, help, run);
}
