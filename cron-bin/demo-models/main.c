/* Serves the simulated models of the demonstration on a loopback port. nginx/stack runs it beside
 * the orchestrator when ORCH_DEMO_LANGUAGE is set. `--help` lists the options and exit codes. */
#include "base/help.h"
#include "base/log.h"
#include "orchestrator/demo/server.h"
#include "orchestrator/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: demo-models\n"
    "\n"
    "Serves the simulated models of the demonstration on 127.0.0.1 at ORCH_DEMO_PORT, in\n"
    "the protocol of OpenAI, until it is stopped. Answers are texts of config/demo.\n"
    "\n"
    "Exit codes: 0 stopped; 1 the settings are wrong; 2 the command line is wrong; 3 the\n"
    "port is taken.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_PORT, MEMORY_MAX = 64 * 1024 * 1024 };

/* The texts of all languages; those of ORCH_DEMO_LANGUAGE must be there. */
static enum error load(struct arena *arena, const struct orchestrator_settings *settings,
                       struct simulated_server *server, struct problem *problem)
{
    const char *locales = getenv("ASSAY_LOCALES_DIR");
    struct simulated_texts *texts;
    enum error error = locale_open_catalogues(locales ? locales : "locales", problem);

    if (error)
        return error;
    if (!settings->demo_language)
        return problem_set(problem, ERROR_INVALID, "demo_language",
                           "ORCH_DEMO_LANGUAGE is not set");
    texts = ARENA_ARRAY(arena, struct simulated_texts, (size_t)language_count());
    *server = (struct simulated_server){.port = settings->demo_port,
                                        .texts = texts,
                                        .language_count = (size_t)language_count(),
                                        .fallback = &texts[LANGUAGE_EN]};
    for (int i = 0; i < language_count(); i++) {
        const char *tag = language_tag((enum language)i);
        const struct demo_files files = {settings->sql_directory, tag};
        bool is_wanted = strcmp(tag, settings->demo_language) == 0;
        struct problem missing = {0};

        error = simulated_texts_read(arena, &files, &texts[i], is_wanted ? problem : &missing);
        if (error && is_wanted)
            return error;
        if (is_wanted)
            server->fallback = &texts[i];
    }
    return ERROR_NONE;
}

int main(int argc, char **argv)
{
    struct arena *arena = arena_create(MEMORY_MAX);
    struct orchestrator_settings settings = {0};
    struct simulated_server server;
    struct problem problem = {0};
    int listener;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (argc > 1) {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    if (!arena || orchestrator_settings_load(&settings, arena, NULL, &problem) ||
        load(arena, &settings, &server, &problem)) {
        fprintf(stderr, "demo-models: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.demo-models", (enum log_level)settings.log_level,
             (enum log_format)settings.log_format);
    if (simulated_server_listen(&server, &listener, &problem)) {
        log_event(LOG_ERROR, "not_listening", problem.text);
        return EXIT_PORT;
    }
    simulated_server_run(&server, listener);
    return EXIT_DONE;
}
