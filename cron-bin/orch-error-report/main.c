/* Reports errors of the orchestrator's workers to ORCH_ERROR_TRACKING_DSN. `--help` lists the
 * options and exit codes. */
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "jobs/main_loop.h"
#include "orchestrator/settings.h"
#include "telemetry/error_report.h"

#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: orch-error-report --every SECONDS\n"
    "\n"
    "Reports errors of the orchestrator's workers to ORCH_ERROR_TRACKING_DSN, an endpoint\n"
    "that speaks the protocol of Sentry. Listens on a socket below ASSAY_RUN_DIR that only\n"
    "its own user may open. `nginx/stack` runs it where the setting is given.\n"
    "\n"
    "Exit codes: 0 stopped by a signal; 1 the settings are wrong; 2 the command line is\n"
    "wrong.\n";

enum { EXIT_DONE, EXIT_SETTINGS };

static bool run_once(void *context)
{
    error_reporter_run(context);
    return true;
}

static int run(struct arena *arena, double every)
{
    const char *folder = getenv("ASSAY_RUN_DIR");
    struct orchestrator_settings settings = {0};
    struct error_report_settings wanted;
    struct error_reporter *reporter = NULL;
    struct problem problem = {0};
    enum error error = crypto_start(&problem);

    if (!error)
        error = orchestrator_settings_load(&settings, arena, NULL, &problem);
    if (!error && !settings.error_tracking_dsn)
        error =
            problem_set(&problem, ERROR_INVALID, "not_set", "ORCH_ERROR_TRACKING_DSN is not set");
    if (!error) {
        wanted = (struct error_report_settings){.dsn = settings.error_tracking_dsn,
                                                .environment = settings.error_tracking_environment,
                                                .release = assay_version,
                                                .timeout_seconds = settings.tracing_timeout};
        error = error_reporter_open(&wanted, folder ? folder : "run",
                                    ERROR_SOCKET_NAME("orchestrator"), &reporter, &problem);
    }
    if (error) {
        fprintf(stderr, "orch-error-report: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.orch-error-report", (enum log_level)settings.log_level,
             (enum log_format)settings.log_format);
    main_loop_run(every, run_once, reporter);
    error_reporter_close(reporter);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    return main_loop_main(argc, argv, help, run);
}
