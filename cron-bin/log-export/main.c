/* Follows the logs of the stack and sends their lines to ASSAY_OTLP_ENDPOINT. `--help` lists the
 * options and exit codes. */
#include "base/clock.h"
#include "base/help.h"
#include "crypto/crypto.h"
#include "jobs/main_loop.h"
#include "telemetry/log_export.h"

#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: log-export --every SECONDS\n"
    "\n"
    "Follows the files below log/ beside ASSAY_RUN_DIR and sends their lines to\n"
    "ASSAY_OTLP_ENDPOINT by the OpenTelemetry Protocol (HTTP, binary). The file\n"
    "log-export of ASSAY_STATE_DIR keeps how far each was read, so that lines are sent\n"
    "when a collector was away, and when this program was; after a failure some may be\n"
    "sent twice. At its first start it begins at the end of each log. `nginx/stack` runs\n"
    "it where the setting is given.\n"
    "\n"
    "Exit codes: 0 stopped by a signal; 1 the settings are wrong; 2 the command line is\n"
    "wrong.\n";

enum { EXIT_DONE, EXIT_SETTINGS };
enum { PIECE_MEMORY = 64 << 20, REQUEST_MAX = 8 << 20 };

struct exporter {
    struct otlp_collector collector;
    struct log_follower *follower;
    bool sends; /* false: ASSAY_OTLP_LOG_LEVEL is off */
    enum log_level least;
    struct arena *arena; /* of a piece */
};

/* False when the lines have to be sent again later. What the collector will never take, and what
 * is too long for a request, is left out. */
static bool export_piece(struct exporter *exporter, const struct log_piece *piece)
{
    struct log_source source = {.service_name = log_export_service(exporter->arena, piece->name),
                                .file = piece->name,
                                .least = exporter->least,
                                .read_at = clock_unix_microseconds()};
    struct text body;

    text_start(&body, exporter->arena, REQUEST_MAX);
    if (!log_export_append(exporter->arena, &source, piece->lines, piece->length, &body))
        return true;
    if (body.overflowed) {
        log_event(LOG_WARNING, "log_lines_not_exported", piece->name);
        return true;
    }
    return otlp_send(&exporter->collector, exporter->arena, &body, "logs_not_exported") !=
           OTLP_LATER;
}

/* Every file in its turn, until one has to wait for the collector. Returns whether there is more: a
 * file gives a piece at a time. */
static bool run_once(void *context)
{
    struct exporter *exporter = context;
    struct log_piece piece;
    bool sent = exporter->sends, more = false;

    while (sent && !main_loop_must_stop() && otlp_may_call(&exporter->collector) &&
           log_follower_read(exporter->follower, &piece)) {
        sent = export_piece(exporter, &piece);
        more = more || piece.length >= LOG_PIECE_MAX / 2;
        if (sent)
            log_follower_keep(exporter->follower);
        arena_reset(exporter->arena);
    }
    log_follower_save(exporter->follower);
    return more && sent && otlp_may_call(&exporter->collector);
}

static enum error open_exporter(struct arena *arena, struct exporter *exporter,
                                struct problem *problem)
{
    const char *folder = getenv("ASSAY_RUN_DIR"), *state = getenv("ASSAY_STATE_DIR");
    struct otlp_settings settings;
    enum error error = otlp_settings_load(&settings, arena, problem);

    if (error)
        return error;
    if (!settings.endpoint)
        return problem_set(problem, ERROR_INVALID, "not_set", "ASSAY_OTLP_ENDPOINT is not set");
    otlp_collector_read(arena, &settings, "logs", &exporter->collector);
    exporter->sends = settings.log_level > 0;
    exporter->least = (enum log_level)(settings.log_level - 1);
    exporter->arena = arena_create(PIECE_MEMORY);
    if (!exporter->arena)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    return log_follower_open(arena_print(arena, "%s/../log", folder ? folder : "run"),
                             arena_print(arena, "%s/log-export", state && *state ? state : "state"),
                             &exporter->follower, problem);
}

static int run(struct arena *arena, double every)
{
    struct exporter exporter = {0};
    struct problem problem = {0};
    enum error error = crypto_start(&problem);

    if (!error)
        error = open_exporter(arena, &exporter, &problem);
    if (error) {
        fprintf(stderr, "log-export: %s\n", problem.text);
        arena_destroy(exporter.arena);
        return EXIT_SETTINGS;
    }
    log_open("assay.log-export", LOG_INFO, LOG_JSON);
    main_loop_run(every, run_once, &exporter);
    log_follower_close(exporter.follower);
    arena_destroy(exporter.arena);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    return main_loop_main(argc, argv, help, run);
}
