/* The parts of a command that takes documents from elsewhere. */
#include "support/sources/program.h"
#include "accounts/groups.h"
#include "base/log.h"
#include "support/documents/contexts.h"

#include <stdio.h>
#include <stdlib.h>

enum { MEMORY_MAX = 256 * 1024 * 1024 /* the names of FOLDER_FILES_MAX files */ };

bool source_program_start(struct source_program *program)
{
    *program = (struct source_program){
        .tenant = "default", .groups = "none", .arena = arena_create(MEMORY_MAX)};
    return program->arena != NULL;
}

static enum error open_parts(struct source_program *program)
{
    enum error error =
        program_open("ingest", getenv("ASSAY_RUN_DIR"), program->arena, &program->settings,
                     &program->store, &program->metrics, &program->problem);

    if (!error)
        error = groups_of_text(program->arena, program->groups, &program->new_groups,
                               &program->problem);
    if (error)
        return error;
    if (contexts_are_wanted(&program->settings) &&
        models_open(&program->settings, &program->models, &program->problem))
        log_event(LOG_ERROR, "registry_not_read", program->problem.text);
    program->work = arena_create((size_t)program->settings.index_memory_bytes);
    return program->work ? ERROR_NONE
                         : problem_set(&program->problem, ERROR_SYSTEM, "out_of_memory",
                                       "no memory for a document");
}

bool source_program_open(struct source_program *program)
{
    if (!open_parts(program))
        return true;
    (void)source_program_fail(program);
    return false;
}

int source_program_fail(const struct source_program *program)
{
    fprintf(stderr, "ingest: %s\n", program->problem.text);
    return SOURCES_FAILED;
}

int source_program_end(struct source_program *program, int status)
{
    models_close(program->models);
    if (program->work)
        arena_destroy(program->work);
    if (program->store)
        store_close(program->store);
    metrics_close(program->metrics);
    arena_destroy(program->arena);
    return fflush(stdout) == 0 ? status : SOURCES_FAILED;
}
