/* Sends the spans of the orchestrator's workers to ORCH_TRACING_ENDPOINT. `--help` lists the
 * options and exit codes. */
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "jobs/main_loop.h"
#include "orchestrator/settings.h"
#include "telemetry/trace_export.h"

#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: orch-trace-export --every SECONDS\n"
    "\n"
    "Sends the spans of the orchestrator's workers to ORCH_TRACING_ENDPOINT by the\n"
    "OpenTelemetry Protocol (HTTP, binary). Listens on a socket below ASSAY_RUN_DIR that\n"
    "only its own user may open. `nginx/stack` runs it where the setting is given.\n"
    "\n"
    "Exit codes: 0 stopped by a signal; 1 the settings are wrong; 2 the command line is\n"
    "wrong.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE };
enum { SETTINGS_MEMORY = 4 << 20 };

static bool run_once(void *context)
{
    trace_exporter_run(context, false);
    return true;
}

static int run(struct arena *arena, double every)
{
    const char *folder = getenv("ASSAY_RUN_DIR");
    struct orchestrator_settings settings = {0};
    struct trace_export_settings wanted;
    struct trace_exporter *exporter = NULL;
    struct problem problem = {0};
    enum error error = crypto_start(&problem);

    if (!error)
        error = orchestrator_settings_load(&settings, arena, NULL, &problem);
    if (!error && !settings.tracing_endpoint)
        error = problem_set(&problem, ERROR_INVALID, "not_set", "ORCH_TRACING_ENDPOINT is not set");
    if (!error) {
        wanted = (struct trace_export_settings){.endpoint = settings.tracing_endpoint,
                                                .service_name = settings.tracing_service_name,
                                                .version = assay_version,
                                                .headers = settings.tracing_headers,
                                                .timeout_seconds = settings.tracing_timeout};
        error = trace_exporter_open(&wanted, folder ? folder : "run",
                                    TRACE_SOCKET_NAME("orchestrator"), &exporter, &problem);
    }
    if (error) {
        fprintf(stderr, "orch-trace-export: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.orch-trace-export", (enum log_level)settings.log_level,
             (enum log_format)settings.log_format);
    main_loop_run(every, run_once, exporter);
    trace_exporter_run(exporter, true);
    trace_exporter_close(exporter);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct arena *arena;
    double every;
    int status = EXIT_SETTINGS;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (!main_loop_arguments(argc, argv, help, &every) || every <= 0)
        return EXIT_USAGE;
    arena = arena_create(SETTINGS_MEMORY);
    if (arena)
        status = run(arena, every);
    arena_destroy(arena);
    return status;
}
