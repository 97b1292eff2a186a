/* Sends the spans of a service to a collector. `--help` lists the options and exit codes. */
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "jobs/main_loop.h"
#include "orchestrator/settings.h"
#include "telemetry/otlp_settings.h"
#include "telemetry/trace_export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: trace-export SERVICE --every SECONDS\n"
    "\n"
    "Sends the spans of a service (experiments, support, orchestrator, livedata, accounts)\n"
    "to the collector of ASSAY_OTLP_ENDPOINT by the OpenTelemetry Protocol (HTTP, binary);\n"
    "those of the orchestrator to ORCH_TRACING_ENDPOINT, where that is set. Listens on a\n"
    "socket below ASSAY_RUN_DIR that only its own user may open. `nginx/stack` runs one for\n"
    "each service where the setting is given.\n"
    "\n"
    "Exit codes: 0 stopped by a signal; 1 the settings are wrong; 2 the command line is\n"
    "wrong.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE };
enum { SETTINGS_MEMORY = 4 << 20 };

/* The services that have spans; the name is service.name, too. */
static const char *const services[] = {"experiments", "support", "orchestrator", "livedata",
                                       "accounts"};

static const char *find_service(const char *name)
{
    for (size_t i = 0; i < sizeof services / sizeof services[0]; i++)
        if (strcmp(services[i], name) == 0)
            return services[i];
    return NULL;
}

static bool run_once(void *context)
{
    trace_exporter_run(context);
    return true;
}

static enum error read_suite(struct arena *arena, const char *service,
                             struct trace_export_settings *wanted, struct problem *problem)
{
    struct otlp_settings settings;
    enum error error = otlp_settings_load(&settings, arena, problem);

    if (!error && !settings.endpoint)
        error = problem_set(problem, ERROR_INVALID, "not_set", "ASSAY_OTLP_ENDPOINT is not set");
    if (!error)
        *wanted = (struct trace_export_settings){.endpoint = otlp_url(arena, &settings, "traces"),
                                                 .service_name = service,
                                                 .headers = settings.headers,
                                                 .timeout_seconds = settings.timeout_seconds};
    return error;
}

/* Settings of the orchestrator's own come before those of the suite. */
static enum error read_settings(struct arena *arena, const char *service,
                                struct trace_export_settings *wanted, struct problem *problem)
{
    const char *own = getenv("ORCH_TRACING_ENDPOINT");
    struct orchestrator_settings settings = {0};
    enum error error;

    if (strcmp(service, "orchestrator") != 0 || !own || !*own)
        return read_suite(arena, service, wanted, problem);
    error = orchestrator_settings_load(&settings, arena, NULL, problem);
    if (!error)
        *wanted = (struct trace_export_settings){.endpoint = settings.tracing_endpoint,
                                                 .service_name = settings.tracing_service_name,
                                                 .headers = settings.tracing_headers,
                                                 .timeout_seconds = settings.tracing_timeout};
    return error;
}

static int run(struct arena *arena, const char *service, double every)
{
    const char *folder = getenv("ASSAY_RUN_DIR");
    struct trace_export_settings wanted;
    struct trace_exporter *exporter = NULL;
    struct problem problem = {0};
    enum error error = crypto_start(&problem);

    if (!error)
        error = read_settings(arena, service, &wanted, &problem);
    if (!error)
        error = trace_exporter_open(&wanted, folder ? folder : "run",
                                    arena_print(arena, TRACE_SOCKET_NAME("%s"), service), &exporter,
                                    &problem);
    if (error) {
        fprintf(stderr, "trace-export: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.trace-export", LOG_INFO, LOG_JSON);
    main_loop_run(every, run_once, exporter);
    trace_exporter_finish(exporter);
    trace_exporter_close(exporter);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    const char *service = argc > 1 ? find_service(argv[1]) : NULL;
    struct arena *arena;
    double every;
    int status = EXIT_SETTINGS;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (!main_loop_arguments(argc - !!service, argv + !!service, help, &every) || every <= 0 ||
        !service)
        return EXIT_USAGE;
    arena = arena_create(SETTINGS_MEMORY);
    if (arena)
        status = run(arena, service, every);
    arena_destroy(arena);
    return status;
}
