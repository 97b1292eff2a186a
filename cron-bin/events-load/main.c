/* Loads a file of records into an experiment. A FILE that ends in .csv names its columns in the
 * first line; any other is NDJSON. Refused lines are reported with their numbers and skipped. The
 * position is stored with the records: start an interrupted load again with the same arguments,
 * and it continues there; so does a file that has grown. `--help` lists the options and exit
 * codes. */
#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "crypto/digest.h"
#include "experiments/live/lines.h"
#include "experiments/live/record_schemas.h"
#include "experiments/storage/store.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "usage: events-load EXPERIMENT_ID KIND FILE\n"
    "KIND: exposures conversions identities exclusions holdout pre-period strata\n"
    "\n"
    "Loads a file of records into an experiment. A FILE that ends in .csv names its\n"
    "columns in the first line; any other is NDJSON. Refused lines are reported with\n"
    "their numbers and skipped. The position is stored with the records: start an\n"
    "interrupted load again with the same arguments, and it continues there; so does\n"
    "a file that has grown.\n"
    "\n"
    "Exit codes: 0 done; 1 the settings are wrong; 2 the command line or the file is\n"
    "wrong; 3 the database failed; 4 lines were skipped.\n";

enum {
    EXIT_DONE,
    EXIT_SETTINGS,
    EXIT_USAGE,
    EXIT_DATABASE,
    EXIT_LEFT_OUT,
    SETTINGS_MEMORY = 16 * 1024 * 1024,
    BATCH_MEMORY = 512 * 1024 * 1024,
    BATCH_LINES = 5000,
    ERRORS_SHOWN = 20
};

struct load {
    struct live_call call;
    struct problem problem;
    const char *experiment;
    enum live_kind kind;
    const char *path;
    FILE *file;
    off_t size;
    char *line; /* of getline() */
    size_t line_size;
    bool csv;
    struct string_list columns;
    const char *digest;
    struct live_progress_mark mark;
    int64_t started, first_byte;
    int64_t recorded, deduplicated, left_out;
};

static void show(const struct load *load)
{
    double seconds = (double)(clock_monotonic_microseconds() - load->started) / 1e6;
    double rate = (double)(load->mark.bytes - load->first_byte) / (seconds > 0 ? seconds : 1);
    double share = load->size ? (double)load->mark.bytes / (double)load->size : 1;
    int filled = (int)(30 * share);

    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r[%.*s%*s] %3.0f %%  %lld lines, %.0f a second, %.0f s left ", filled,
            "##############################", 30 - filled, "", 100 * share,
            (long long)load->mark.lines,
            (double)(load->recorded + load->deduplicated) / (seconds > 0 ? seconds : 1),
            rate > 0 ? (double)(load->size - load->mark.bytes) / rate : 0);
}

static void tell_errors(struct load *load, const struct live_lines *lines)
{
    for (size_t i = 0; i < lines->error_count; i++, load->left_out++)
        if (load->left_out < ERRORS_SHOWN)
            fprintf(stderr, "%s:%lld: %s%s%s\n", load->path, (long long)lines->errors[i].line,
                    lines->errors[i].field ? lines->errors[i].field : "",
                    lines->errors[i].field ? " " : "", lines->errors[i].message);
}

/* Reads the next lines; 0 at the end of the file. */
static int64_t read_lines(struct load *load, struct live_lines *lines)
{
    int64_t count = 0;
    ssize_t length;

    for (; count < BATCH_LINES; count++) {
        length = getline(&load->line, &load->line_size, load->file);
        if (length <= 0)
            break;
        load->mark.bytes += length;
        load->mark.lines++;
        if (load->line[length - 1] == '\n')
            length--;
        if (load->csv)
            live_lines_add_csv(lines, &load->columns, load->mark.lines, load->line, (size_t)length);
        else
            live_lines_add_json(lines, load->mark.lines, load->line, (size_t)length);
    }
    return count;
}

static enum error load_all(struct load *load, struct arena *arena)
{
    enum error error = ERROR_NONE;

    load->call.arena = arena;
    for (;;) {
        struct live_outcome outcome = {0};
        struct live_lines lines;

        live_lines_start(&lines, load->kind, arena, BATCH_LINES);
        if (read_lines(load, &lines) == 0)
            return ERROR_NONE;
        tell_errors(load, &lines);
        error = live_load_records(&load->call, load->experiment, &lines, load->digest, &load->mark,
                                  &outcome);
        if (error)
            return error;
        load->recorded += outcome.recorded;
        load->deduplicated += outcome.deduplicated;
        show(load);
        arena_reset(arena);
    }
}

/* Computes the identity of the file, and reads the names of its columns. */
static bool read_head(struct load *load, struct arena *arena)
{
    ssize_t length = getline(&load->line, &load->line_size, load->file);
    char *name = basename(arena_copy_string(arena, load->path));
    char *digest = arena_alloc(arena, DIGEST_SHA256_TEXT);
    const char *names;
    size_t size;

    if (length <= 0)
        return false;
    digest_sha256_hex(arena_print(arena, "%s\n%s", name, load->line),
                      strlen(name) + 1 + strlen(load->line), digest);
    load->digest = digest;
    while (length > 0 && strchr("\r\n", load->line[length - 1]))
        length--;
    names = arena_copy(arena, load->line, (size_t)length);
    size = (size_t)length;
    live_line_skip_mark(1, &names, &size);
    return !load->csv || live_csv_cells(arena, names, size, &load->columns);
}

static enum error load_file(struct load *load, struct arena *arena)
{
    struct arena *batch = arena_create(BATCH_MEMORY);
    off_t header = ftello(load->file);
    enum error error;

    if (!batch)
        return problem_set(load->call.problem, ERROR_SYSTEM, "out_of_memory", "no memory");
    load->call.arena = arena;
    error = live_load_mark(&load->call, load->experiment, load->kind, load->digest, &load->mark);
    if (!error && load->mark.bytes == 0 && load->csv)
        load->mark = (struct live_progress_mark){header, 1};
    load->first_byte = load->mark.bytes;
    if (!error && fseeko(load->file, load->mark.bytes, SEEK_SET) != 0)
        error = problem_set(load->call.problem, ERROR_SYSTEM, "seek", "cannot seek in the file");
    load->started = clock_monotonic_microseconds();
    if (!error)
        error = load_all(load, batch);
    arena_destroy(batch);
    return error;
}

static bool open_file(struct load *load, struct arena *arena)
{
    size_t length = strlen(load->path);
    struct stat status;

    load->csv = length > 4 && strcmp(load->path + length - 4, ".csv") == 0;
    load->file = fopen(load->path, "re");
    if (!load->file || fstat(fileno(load->file), &status) != 0 || !read_head(load, arena)) {
        fprintf(stderr, "events-load: %s cannot be read, or has no first line\n", load->path);
        return false;
    }
    load->size = status.st_size;
    return true;
}

static int run(struct load *load, struct arena *arena)
{
    struct experiments_settings settings = {0};
    struct problem *problem = &load->problem;
    struct store *store;
    enum error error;

    load->call.problem = problem;
    if (crypto_start(problem) || experiments_settings_load(&settings, arena, NULL, problem) ||
        experiments_store_open(arena, &settings, NULL, &store, problem)) {
        fprintf(stderr, "events-load: %s\n", problem->text);
        return EXIT_SETTINGS;
    }
    log_open("assay.events-load", (enum log_level)settings.log_level,
             (enum log_format)settings.log_format);
    load->call.spike_events = settings.live_spike_events;
    load->call.clusters_max = settings.live_clusters_max;
    if (!open_file(load, arena)) {
        store_close(store);
        return EXIT_USAGE;
    }
    error = store_prepare(store, &load->call.db, problem);
    if (!error)
        error = load_file(load, arena);
    store_close(store);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\n");
    printf("lines=%lld recorded=%lld deduplicated=%lld left_out=%lld\n",
           (long long)load->mark.lines, (long long)load->recorded, (long long)load->deduplicated,
           (long long)load->left_out);
    if (error)
        fprintf(stderr, "events-load: %s\n", problem->text);
    return error ? EXIT_DATABASE : load->left_out ? EXIT_LEFT_OUT : EXIT_DONE;
}

static bool find_kind(const char *name, enum live_kind *kind)
{
    for (int i = 0; i < LIVE_KIND__MAX; i++) {
        if (strcmp(name, live_kind_names[i]) == 0) {
            *kind = (enum live_kind)i;
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    struct load load = {0};
    struct arena *arena;
    int status;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (argc != 4 || !find_kind(argv[2], &load.kind)) {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    load.experiment = argv[1];
    load.path = argv[3];
    arena = arena_create(SETTINGS_MEMORY);
    if (!arena)
        return EXIT_DATABASE;
    status = run(&load, arena);
    if (load.file)
        fclose(load.file);
    free(load.line);
    arena_destroy(arena);
    return status;
}
