/* E-mail as a channel of the support service: reads the mailbox, answers, sends. `--help` lists the
 * options and exit codes. */
#include "base/clock.h"
#include "support/email_channel/poll.h"
#include "support/email_channel/replies.h"
#include "support/programs/daemon.h"

static const char help[] =
    "usage: email-channel [--every SECONDS]\n"
    "\n"
    "E-mail as a channel of the support service: reads unseen messages of the mailbox\n"
    "(EMAIL_CHANNEL_MODE=imap) or those that a mail provider has posted (webhook),\n"
    "answers them or hands them to a person, and sends replies. Any number of copies\n"
    "may run. Does nothing with EMAIL_CHANNEL_MODE=disabled.\n"
    "\n"
    "  --every SECONDS  Keep running and look again after SECONDS (0.01 to 86400); the\n"
    "                   mailbox is read once per IMAP_POLL_INTERVAL_SEC.\n"
    "                   Without it the program works once and ends.\n"
    "\n"
    "Exit codes: 0 done; 1 failed; 2 the command line is wrong.\n";

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };
enum { BACKOFF_MOST = 300, HOUSEKEEPING_SECONDS = 3600 };

struct channel {
    struct regression_tools tools;
    int64_t poll_at, housekeeping_at; /* monotonic microseconds */
    double backoff;                   /* seconds after a failure; 0 = the last poll was fine */
};

static int64_t in_seconds(double seconds)
{
    return clock_monotonic_microseconds() + (int64_t)(seconds * 1e6);
}

/* After failures the pauses are 1, 2, 4 … 300 seconds. */
static enum error poll_if_due(struct daemon_program *program, const struct mail_call *call,
                              bool *more)
{
    struct channel *channel = program->context;
    enum error error;

    *more = false;
    if (program->settings.email_mode != EMAIL_IMAP ||
        clock_monotonic_microseconds() < channel->poll_at)
        return ERROR_NONE;
    error = email_poll(call, &program->settings, program->metrics, more);
    channel->backoff = !error ? 0 : channel->backoff > 0 ? channel->backoff * 2 : 1;
    if (channel->backoff > BACKOFF_MOST)
        channel->backoff = BACKOFF_MOST;
    if (!*more)
        channel->poll_at =
            in_seconds(error ? channel->backoff : program->settings.imap_poll_interval);
    return error;
}

static enum error tidy_if_due(struct daemon_program *program, const struct mail_call *call)
{
    struct channel *channel = program->context;

    if (clock_monotonic_microseconds() < channel->housekeeping_at)
        return ERROR_NONE;
    channel->housekeeping_at = in_seconds(HOUSEKEEPING_SECONDS);
    return email_forget(call, &program->settings);
}

/* A mailbox that cannot be read holds up neither answers nor replies. */
static enum error serve(struct daemon_program *program, struct db *db, bool *more)
{
    struct channel *channel = program->context;
    struct problem problem = {0};
    const struct mail_call call = {db, program->job, NULL, &program->problem};
    const struct mail_call poll_call = {db, program->job, NULL, &problem};
    bool fetched = false, answered = false, sent = false;
    enum error polled = poll_if_due(program, &poll_call, &fetched), error;

    if (channel->tools.models)
        models_refresh(channel->tools.models);
    error = email_answer_due(&call, &channel->tools, &answered);
    if (!error)
        error = email_send_due(&call, &program->settings, &sent);
    if (!error)
        error = tidy_if_due(program, &call);
    *more = !error && (fetched || answered || sent);
    if (!error && polled)
        program->problem = problem;
    return error ? error : polled;
}

static int run(struct daemon_program *program)
{
    struct channel channel = {.poll_at = 0};
    enum error error =
        engine_open(program->arena, &program->settings, &channel.tools, &program->problem);

    program->context = &channel;
    if (!error)
        error = daemon_loop(program, serve, "email_failed");
    engine_close(&channel.tools);
    return error && !program->stays ? daemon_fail(program, EXIT_FAILED) : EXIT_DONE;
}

static bool is_on(const struct daemon_program *program)
{
    return program->settings.email_mode != EMAIL_DISABLED;
}

int main(int argc, char **argv)
{
    const struct daemon_plan plan = {.name = "email-channel",
                                     .help = help,
                                     .counts = true,
                                     .memory = 512 << 20,
                                     .failed = EXIT_FAILED,
                                     .usage = EXIT_USAGE,
                                     .has_duty = is_on,
                                     .run = run};

    return daemon_main(argc, argv, &plan);
}
