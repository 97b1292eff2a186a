/*
 * Adds the three demo documents to a knowledge base of the support service, writes the questions of
 * `eval-gate` and `offline-benchmark` beside it, and adds them as curated cases.
 *
 *   demo-seed [--tenant NAME] [--overwrite]
 *
 * Existing documents and questions are kept, unless overwritten; curated data is always kept. Exit
 * codes: 0 done, 1 failed, 2 invalid command line.
 */
#include "support/accounts/accounts.h"
#include "support/curated/curated.h"
#include "support/demo/demo.h"
#include "support/documents/ingest.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"
#include "support/regression/fixed_questions.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, DOCUMENTS_MOST = 65536 };

struct arguments {
    const char *tenant;
    bool overwrite;
};

static enum error seed(const struct document_call *call, const struct support_settings *settings,
                       const struct demo_document *document, bool overwrite, bool *written)
{
    struct document_row row;
    struct ingest_result result;
    struct ingest_request request = {
        .path =
            arena_print(call->arena, "%s/%s",
                        ingest_upload_folder(call->arena, settings, call->tenant), document->name),
        .doc_id = document->name};
    bool found;
    enum error error = document_find(call, document->name, &row, &found);

    *written = !error && (!found || overwrite);
    if (!*written)
        return error;
    error = data_file_write(call->arena, request.path, document->text, strlen(document->text),
                            call->problem);
    return error ? error : ingest_document(call, settings, &request, &result);
}

/* A file below DATA_DIR. */
static enum error put(struct batch_program *program, const char *path, const char *bytes,
                      bool overwrite)
{
    path = data_file_path(program->arena, &program->settings, path);
    if (data_file_exists(path) && !overwrite)
        return ERROR_NONE;
    return data_file_write(program->arena, path, bytes, strlen(bytes), &program->problem);
}

struct output {
    const char *status, *documents; /* JSON: result of each document, by name */
};

#define OWNER struct output
static const struct field output_fields[] = {STRING(OWNER, status), WRITTEN_JSON(OWNER, documents)};
#undef OWNER
static SCHEMA(output_schema, struct output, "DemoSeeded", output_fields);

static int run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;
    const struct document_call call = {program->db, program->arena, arguments->tenant,
                                       &program->problem};
    struct text text;
    struct json_writer writer;
    enum error error = ERROR_NONE;

    text_start(&text, program->arena, DOCUMENTS_MOST);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < demo_document_count && !error; i++) {
        bool written;

        error = seed(&call, &program->settings, &demo_documents[i], arguments->overwrite, &written);
        writer_key_string(&writer, demo_documents[i].name, written ? "written" : "kept");
    }
    writer_close_object(&writer);
    if (!error)
        error = put(program, fixed_questions_path, demo_questions(program->arena),
                    arguments->overwrite);
    if (!error)
        error = put(program, curated_default_path, demo_curated_cases(program->arena), false);
    if (error)
        return batch_fail(program, EXIT_FAILED);
    batch_print(program, &output_schema, &(struct output){.status = "ok", .documents = text.bytes});
    return EXIT_DONE;
}

static int check_and_run(struct batch_program *program)
{
    const struct arguments *arguments = program->context;

    if (support_is_tenant(arguments->tenant))
        return run(program);
    fprintf(stderr, "%s: --tenant: is no name of a tenant\n", program->name);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.tenant = "default"};
    const struct batch_option options[] = {
        {.name = "--tenant", .help = "Whose knowledge base.", .text = &arguments.tenant},
        {.name = "--overwrite",
         .help = "Documents and questions that are there, too.",
         .flag = &arguments.overwrite}};
    const struct batch_plan plan = {.name = "demo-seed",
                                    .summary = "Puts the demo documents into a knowledge base.",
                                    .options = options,
                                    .option_count = sizeof options / sizeof options[0],
                                    .failed = EXIT_FAILED,
                                    .memory = (size_t)1 << 28,
                                    .run = check_and_run,
                                    .context = &arguments};

    return batch_main(argc, argv, &plan);
}
