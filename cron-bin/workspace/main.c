/* Exports and imports the projects of the experiments service, of any size, without the HTTP
 * service. Progress goes to standard error. `--help` lists the options and exit codes. */
#include "base/help.h"
#include "base/log.h"
#include "base/timestamp.h"
#include "crypto/crypto.h"
#include "experiments/storage/store.h"
#include "experiments/workspace/workspace_store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "usage: workspace export FILE [--generated-at TIME]\n"
    "       workspace validate FILE\n"
    "       workspace import FILE [--keep-ids]\n"
    "\n"
    "Exports and imports the projects of the experiments service, of any size,\n"
    "without the HTTP service. Progress goes to standard error.\n"
    "\n"
    "  --generated-at TIME  Write TIME as the time of the export, so that two exports\n"
    "                       of the same projects have the same bytes.\n"
    "  --keep-ids           Keep the ids; for an empty database.\n"
    "\n"
    "Exit codes: 0 done; 1 the settings are wrong; 2 the command line is wrong; 3 the\n"
    "database failed; 4 the file is not valid.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_DATABASE, EXIT_FILE };

enum { SETTINGS_MEMORY = 1 << 20, PIECES = 4 /* maximum size of one record */ };

struct work {
    const char *command, *file, *generated_at;
    char temporary[PATH_MAX]; /* for an export, during writing */
    struct arena *arena;      /* of the settings */
    bool keep_ids;
    struct experiments_settings settings;
    struct bundle_call call;
    struct problem problem;
};

static void show_progress(void *context, const char *what, int64_t done, int64_t total)
{
    (void)context;
    if (total)
        fprintf(stderr, "workspace: %s %lld/%lld\n", what, (long long)done, (long long)total);
    else
        fprintf(stderr, "workspace: %s %lld\n", what, (long long)done);
}

static bool read_arguments(int argc, char **argv, struct work *work)
{
    if (argc < 3)
        return false;
    work->command = argv[1];
    work->file = argv[2];
    for (int i = 3; i < argc; i++) {
        int64_t moment;

        if (strcmp(argv[i], "--keep-ids") == 0 && strcmp(work->command, "import") == 0)
            work->keep_ids = true;
        else if (strcmp(argv[i], "--generated-at") == 0 && i + 1 < argc &&
                 strcmp(work->command, "export") == 0 &&
                 timestamp_from_text(argv[i + 1], &moment) && !strpbrk(argv[i + 1], "\"\\"))
            work->generated_at = argv[++i];
        else
            return false;
    }
    return strcmp(work->command, "export") == 0 || strcmp(work->command, "validate") == 0 ||
           strcmp(work->command, "import") == 0;
}

static int fail(const struct work *work, int status)
{
    const char *field = work->call.fault_field;

    fprintf(stderr, "workspace: %s%s%s\n", field ? field : "", field && *field ? " " : "",
            work->problem.text);
    return status;
}

static int fail_file(const struct work *work, const char *file)
{
    fprintf(stderr, "workspace: %s: %s\n", file, strerror(errno));
    (void)work;
    return EXIT_FILE;
}

static bool write_file(const char *bytes, size_t length, void *context)
{
    return fwrite(bytes, 1, length, context) == length;
}

static void print_counts(const struct bundle_counts *counts)
{
    printf(" projects=%lld analysis_runs=%lld export_events=%lld project_revisions=%lld"
           " catalog_metrics=%lld catalog_metric_versions=%lld flags=%lld",
           (long long)counts->projects, (long long)counts->analysis_runs,
           (long long)counts->export_events, (long long)counts->project_revisions,
           (long long)counts->catalog_metrics, (long long)counts->catalog_metric_versions,
           (long long)counts->flags);
}

/* The file appears only when it is complete. */
static int export(struct work *work, struct db *db)
{
    struct bundle_counts counts;
    enum error error;
    FILE *file;
    bool kept;

    (void)!snprintf(work->temporary, sizeof work->temporary, "%s.part", work->file);
    file = fopen(work->temporary, "we");
    if (!file)
        return fail_file(work, work->temporary);
    (void)!fchmod(fileno(file), S_IRUSR | S_IWUSR);
    error = workspace_export(db, &work->call, work->generated_at, write_file, file, &counts);
    kept = !fflush(file) && !fsync(fileno(file));
    kept = !fclose(file) && kept;
    if (error || !kept || rename(work->temporary, work->file) != 0) {
        int status = error ? fail(work, EXIT_DATABASE) : fail_file(work, work->file);

        unlink(work->temporary);
        return status;
    }
    fputs("exported", stdout);
    print_counts(&counts);
    putchar('\n');
    return EXIT_DONE;
}

static int import(struct work *work, struct db *db, const struct bundle *bundle)
{
    static const struct actor program = {.name = "system:workspace"};
    struct workspace_imported imported;

    if (workspace_import(db, &work->call, &program, bundle, work->keep_ids, &imported))
        return fail(work, EXIT_DATABASE);
    printf("imported projects=%lld analysis_runs=%lld export_events=%lld project_revisions=%lld"
           " catalog_metrics=%lld flags=%lld renamed_flags=%lld switched_off_flags=%lld\n",
           (long long)imported.projects, (long long)imported.analysis_runs,
           (long long)imported.export_events, (long long)imported.project_revisions,
           (long long)imported.catalog_metrics, (long long)imported.flags,
           (long long)imported.renamed_flags, (long long)imported.switched_off_flags);
    return EXIT_DONE;
}

static int take_in(struct work *work, struct db *db, const char *bytes, size_t length)
{
    struct bundle bundle;

    if (bundle_read(&work->call, bytes, length, &bundle))
        return fail(work, EXIT_FILE);
    if (db)
        return import(work, db, &bundle);
    printf("valid schema_version=%lld", (long long)bundle.head.schema_version);
    print_counts(&bundle.counts);
    printf(" checksum_sha256=%s signature_verified=%s\n", bundle.checksum,
           bundle.signature_verified ? "true" : "false");
    return EXIT_DONE;
}

/* The file is mapped: only the pages in use are in memory. */
static int with_file(struct work *work, struct db *db)
{
    int file = open(work->file, O_RDONLY | O_CLOEXEC);
    struct stat found;
    char *bytes;
    int status;

    if (file < 0 || fstat(file, &found) != 0 || found.st_size == 0) {
        if (file >= 0)
            close(file);
        return fail_file(work, work->file);
    }
    bytes = mmap(NULL, (size_t)found.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED)
        return fail_file(work, work->file);
    status = take_in(work, db, bytes, (size_t)found.st_size);
    munmap(bytes, (size_t)found.st_size);
    return status;
}

static int with_database(struct work *work)
{
    struct store *store;
    struct db *db;
    int status;

    if (experiments_store_open(work->call.arena, &work->settings, NULL, &store, &work->problem))
        return fail(work, EXIT_SETTINGS);
    if (store_prepare(store, &db, &work->problem))
        status = fail(work, EXIT_DATABASE);
    else
        status = strcmp(work->command, "export") == 0 ? export(work, db) : with_file(work, db);
    store_close(store);
    return status;
}

static int work_in(struct work *work, size_t memory)
{
    jmp_buf exhausted;
    int status = EXIT_DATABASE;

    work->call.arena = arena_create(memory);
    work->call.piece = arena_create(memory / PIECES);
    if (!work->call.arena || !work->call.piece)
        return status;
    if (setjmp(exhausted) == 0) {
        arena_on_exhausted(work->call.arena, &exhausted);
        arena_on_exhausted(work->call.piece, &exhausted);
        status =
            strcmp(work->command, "validate") == 0 ? with_file(work, NULL) : with_database(work);
    } else { /* the process ends, which rolls the transaction back */
        fprintf(stderr, "workspace: %s: AB_WORKSPACE_MEMORY_BYTES is too little for it\n",
                work->file);
        if (*work->temporary)
            unlink(work->temporary);
        status = EXIT_FILE;
    }
    arena_destroy(work->call.arena);
    arena_destroy(work->call.piece);
    return status;
}

static int run(struct work *work)
{
    work->call.problem = &work->problem;
    work->call.progress = show_progress;
    if (crypto_start(&work->problem) ||
        experiments_settings_load(&work->settings, work->arena, NULL, &work->problem))
        return fail(work, EXIT_SETTINGS);
    log_open("assay.workspace", (enum log_level)work->settings.log_level,
             (enum log_format)work->settings.log_format);
    work->call.signing_key = work->settings.workspace_signing_key;
    work->call.metrics_max = work->settings.max_metrics;
    return work_in(work, (size_t)work->settings.workspace_memory_bytes);
}

int main(int argc, char **argv)
{
    static struct work work; /* outlives a longjmp */
    int status = EXIT_DATABASE;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (!read_arguments(argc, argv, &work)) {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    work.arena = arena_create(SETTINGS_MEMORY);
    if (work.arena)
        status = run(&work);
    if (work.arena)
        arena_destroy(work.arena);
    return status;
}
