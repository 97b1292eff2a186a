/* The opening of a program. */
#include "support/programs/open.h"

#include "base/log.h"
#include "crypto/crypto.h"
#include "support/answer/patterns.h"
#include "telemetry/tracer.h"

enum error program_open(const char *name, const char *run_directory, struct arena *arena,
                        struct support_settings *settings, struct store **store,
                        struct metrics **metrics, struct problem *problem)
{
    enum error error = crypto_start(problem);

    tracer_open_program("support");
    if (!error)
        error = support_settings_load(settings, arena, NULL, problem);
    log_open(arena_print(arena, "assay.%s", name), (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    if (!error)
        error = patterns_load(arena, settings, problem);
    if (!error)
        error = support_store_open(arena, settings, NULL, store, problem);
    if (!error && run_directory && *run_directory)
        error = metrics_open(arena_print(arena, "%s/support-metrics.shm", run_directory),
                             support_metrics, SUPPORT_METRIC__MAX, metrics, problem);
    return error;
}
