/*
 * Puts the three demo documents into a knowledge base of the support service.
 *
 *   demo-seed [--tenant NAME] [--overwrite]   documents that are there stay, unless overwritten
 *
 * Exit codes: 0 done, 1 failed, 2 the command line is wrong.
 */
#include "base/log.h"
#include "crypto/crypto.h"
#include "support/accounts/accounts.h"
#include "support/demo/demo.h"
#include "support/documents/ingest.h"
#include "support/store.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MEMORY_MAX = 256 * 1024 * 1024 };

struct arguments {
    const char *tenant;
    bool overwrite;
};

static bool read_arguments(int argc, char **argv, struct arguments *arguments)
{
    *arguments = (struct arguments){.tenant = "default"};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--overwrite") == 0)
            arguments->overwrite = true;
        else if (strcmp(argv[i], "--tenant") == 0 && i + 1 < argc)
            arguments->tenant = argv[++i];
        else
            return false;
    }
    return support_is_tenant(arguments->tenant);
}

static bool save(const char *path, const char *text)
{
    FILE *file = fopen(path, "wbe");
    bool fine = file && fputs(text, file) >= 0 && fflush(file) == 0 && fsync(fileno(file)) == 0;

    if (file && fclose(file) != 0)
        fine = false;
    return fine;
}

static enum error seed(const struct document_call *call, const struct support_settings *settings,
                       const struct demo_document *document, bool overwrite)
{
    struct document_row row;
    struct ingest_result result;
    struct ingest_order order = {
        .path =
            arena_print(call->arena, "%s/%s",
                        ingest_upload_folder(call->arena, settings, call->tenant), document->name),
        .doc_id = document->name};
    bool found;
    enum error error = document_find(call, document->name, &row, &found);

    if (error)
        return error;
    if (found && !overwrite) {
        printf("%s is there\n", document->name);
        return ERROR_NONE;
    }
    if (!save(order.path, document->text))
        return problem_set(call->problem, ERROR_SYSTEM, "file_not_saved", "%s cannot be written",
                           order.path);
    error = ingest_document(call, settings, &order, &result);
    if (!error)
        printf("%s: version %lld, %lld chunks\n", document->name, (long long)result.version,
               (long long)result.chunks);
    return error;
}

int main(int argc, char **argv)
{
    struct arena *arena = arena_create(MEMORY_MAX);
    struct support_settings settings = {0};
    struct arguments arguments;
    struct problem problem = {0};
    struct store *store = NULL;
    struct document_call call = {.arena = arena, .problem = &problem};
    enum error error;

    if (!read_arguments(argc, argv, &arguments)) {
        fputs("usage: demo-seed [--tenant NAME] [--overwrite]\n", stderr);
        return 2;
    }
    log_open("assay.demo-seed", LOG_WARNING, LOG_PLAIN);
    call.tenant = arguments.tenant;
    error = crypto_start(&problem);
    if (!error)
        error = support_settings_load(&settings, arena, NULL, &problem);
    if (!error)
        error = support_store_open(arena, &settings, NULL, &store, &problem);
    if (!error)
        error = store_use(store, &call.db, &problem);
    for (size_t i = 0; i < demo_document_count && !error; i++)
        error = seed(&call, &settings, &demo_documents[i], arguments.overwrite);
    if (error)
        fprintf(stderr, "demo-seed: %s\n", problem.text);
    if (store)
        store_close(store);
    arena_destroy(arena);
    return error ? 1 : 0;
}
