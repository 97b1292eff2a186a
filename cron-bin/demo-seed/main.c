/*
 * Adds the three demo documents to a knowledge base of the support service, writes the questions of
 * `eval-gate` and `offline-benchmark` beside it, and adds them as curated cases.
 *
 *   demo-seed [--tenant NAME] [--language TAG] [--overwrite]
 *
 * Existing documents and questions are kept, unless overwritten; curated data is always kept. Exit
 * codes: 0 done, 1 failed, 2 invalid command line.
 */
#include "support/accounts/accounts.h"
#include "support/demo/demo.h"
#include "support/programs/batch.h"

#include <stdio.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, DOCUMENTS_MOST = 65536 };

/* The first documents of the demonstration are those of the cases. */
enum { CASE_DOCUMENTS = 3 };

struct arguments {
    const char *tenant, *language;
    bool overwrite;
};

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
    const struct demo_files files = {program->settings.sql_directory, arguments->language};
    const struct demo_call adding = {&call, &program->settings, &files};
    struct demo_support demo;
    struct text text;
    struct json_writer writer;
    enum error error = demo_support_read(program->arena, &files, &demo, &program->problem);

    if (error)
        return batch_fail(program, EXIT_FAILED);
    text_start(&text, program->arena, DOCUMENTS_MOST);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < CASE_DOCUMENTS && i < demo.documents.count && !error; i++) {
        struct demo_document document = {
            .file = ((const struct demo_document *)demo.documents.items)[i].file};
        bool written;

        error = demo_add_document(&adding, &document, arguments->overwrite, &written);
        writer_key_string(&writer, document.file, written ? "written" : "kept");
    }
    writer_close_object(&writer);
    if (!error)
        error = demo_add_cases(&adding, &demo, arguments->overwrite);
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
    struct arguments arguments = {.tenant = "default", .language = "ru"};
    const struct batch_option options[] = {
        {.name = "--tenant", .help = "Whose knowledge base.", .text = &arguments.tenant},
        {.name = "--language",
         .help = "Of the documents, a folder of config/demo (ru).",
         .text = &arguments.language},
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
