/* Answering received e-mails. */
#include "base/log.h"
#include "base/text.h"
#include "documents/mail_quotes.h"
#include "documents/reader.h"
#include "support/conversation/ask.h"
#include "support/conversation/conversation.h"
#include "support/conversation/events.h"
#include "support/email_channel/replies.h"
#include "support/mail/mail_rules.h"
#include "support/trends/threshold_choice.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LEASE_MARGIN = 60, /* seconds beside the time of an answer */
    ATTEMPTS = 5,
    INTERRUPTIONS_TRIED = 2, /* a message that kills its runners goes to a person */
    SECONDS_AN_HOUR = 3600,
    BODY_MOST = 1 << 20,
    HANDED_OVER_MOST = 5000 /* code points of a text that nobody has made shorter */
};

static const double pauses[] = {5, 30, 120, 600};

/* A ticket without words; the inbox says so in the reader's language. */
static const char no_words[] = "(operator requested)";

/* One message while it is answered. */
struct reply_work {
    const struct regression_tools *tools;
    struct job *job;
    struct problem *problem;
    struct received_mail mail;
    struct mail_call store;
    struct conversation_call conversation;
    const char *session_id, *words, *question;
    bool goes_on;          /* in a conversation that exists */
    const char *ticket_id; /* that waits for a person's reply; NULL = none */
};

/* -- the words --------------------------------------------------------------------------------- */

static void close_file(void *file)
{
    close((int)(intptr_t)file);
}

/* HTML is read by the reader of uploaded documents: in a confined process with limits. What it
 * cannot read is no text. */
static const char *words_of_html(const struct reply_work *work, const char *html)
{
    const struct support_settings *settings = work->tools->settings;
    const struct reader_limits limits = {settings->reader_memory_bytes, settings->reader_seconds,
                                         settings->reader_text_bytes};
    struct arena *arena = work->job->arena;
    struct arena_guard *guard = arena_guard(arena, close_file);
    struct reading_result result = {.count = 0};
    int file = memfd_create("mail.html", MFD_CLOEXEC);
    bool written = file >= 0 && write(file, html, strlen(html)) == (ssize_t)strlen(html);
    struct problem problem;

    guard->thing = file >= 0 ? (void *)(intptr_t)file : NULL;
    if (!written || reader_read(arena, arena_print(arena, "/proc/self/fd/%d", file), FILE_HTML,
                                &limits, settings->data_directory, NULL, &result, &problem))
        result.count = 0;
    arena_guard_end(guard);
    return result.count ? result.pages[0].text : "";
}

static const char *words_of(const struct reply_work *work)
{
    struct arena *arena = work->job->arena;
    const char *body = work->mail.body;

    if (work->mail.is_html)
        body = words_of_html(work, mail_html_without_quotes(arena, body));
    return mail_without_quotes(arena, body);
}

/* The answer with its sources as footnotes. */
static const char *reply_text(struct arena *arena, const struct graph_outcome *outcome)
{
    struct text text;
    bool has_notes = false;

    text_start(&text, arena, BODY_MOST);
    text_append_string(&text, outcome->answer);
    text_append_byte(&text, '\n');
    for (size_t i = 0; i < outcome->source_count; i++) {
        const struct graph_source *source = &outcome->sources[i];

        if (!source->cited)
            continue;
        text_append_format(&text, "%s[%zu] %s\n", has_notes ? "" : "\n", i + 1,
                           *source->title ? source->title : source->source);
        has_notes = true;
    }
    return text.bytes;
}

/* -- keeping ----------------------------------------------------------------------------------- */

static const char *own_domain(const struct reply_work *work)
{
    const char *at = strchr(work->tools->settings->smtp_from, '@');

    return at && at[1] ? at + 1 : "localhost";
}

/* As on_keep of struct ask. */
static enum error keep(const struct asked *asked, bool given, void *context)
{
    const struct reply_work *work = context;
    enum error error = mail_join(&work->store, &work->mail, asked->session_id, own_domain(work));

    if (error || !given)
        return error;
    return mail_queue(&work->store, asked->session_id,
                      reply_text(work->job->arena, &asked->outcome), true);
}

static enum error add_words(const struct reply_work *work)
{
    const char *question = *work->question ? work->question : no_words;
    enum error error = session_ensure(&work->conversation, work->session_id, "");

    if (!error && *work->question)
        error = session_add_words(&work->conversation, work->session_id, work->question);
    if (!error)
        error = mail_join(&work->store, &work->mail, work->session_id, own_domain(work));
    if (!error && work->ticket_id)
        return conversation_event_add(&work->conversation, EVENT_TICKET, work->session_id,
                                      work->ticket_id);
    return error ? error
                 : ticket_open(&work->conversation, work->session_id, question, NULL, NULL,
                               TICKET_PENDING);
}

/* Gives the message to a person: to the one who has its conversation, or by a new ticket. */
static enum error hand_over(const struct reply_work *work)
{
    enum error error = db_begin(work->job->db, DB_WRITE, work->problem);

    return error ? error : db_finish(work->job->db, add_words(work), work->problem);
}

/* -- answering --------------------------------------------------------------------------------- */

static enum error load(struct job *job, struct problem *problem, struct reply_work *work)
{
    struct arena *arena = job->arena;
    enum error error;

    *work = (struct reply_work){.tools = job->context, .job = job, .problem = problem};
    work->store = (struct mail_call){job->db, arena, NULL, problem};
    error = mail_find(&work->store, job->key, &work->mail);
    if (error)
        return error;
    work->store.tenant = work->mail.tenant_id;
    work->conversation = (struct conversation_call){
        .db = job->db, .arena = arena, .tenant = work->mail.tenant_id, .problem = problem};
    error = mail_find_session(&work->store, &work->mail, &work->session_id);
    work->goes_on = work->session_id != NULL;
    if (!error && work->goes_on)
        error = ticket_waits(&work->conversation, work->session_id, &work->ticket_id);
    if (!work->goes_on)
        work->session_id = session_new_id(arena);
    return error;
}

/* Whether a person has to reply in any case. */
static enum error is_for_person(const struct reply_work *work, bool *for_person)
{
    const struct support_settings *settings = work->tools->settings;
    int64_t count = 0;
    enum error error =
        mail_count_automatic(&work->store, work->mail.sender, SECONDS_AN_HOUR, &count);

    *for_person = work->ticket_id || !*work->question ||
                  count >= settings->email_replies_per_hour ||
                  work->job->interruptions >= INTERRUPTIONS_TRIED;
    return error;
}

static enum error answer(struct reply_work *work)
{
    struct arena *arena = work->job->arena;
    struct document_call call = {work->job->db, arena, work->mail.tenant_id, work->problem};
    const struct trace_call traces = {work->job->db, arena, work->mail.tenant_id, work->problem};
    const struct string_list nothing = {0}; /* who writes is in no group */
    struct graph_tools graph = {.cache = work->tools->cache,
                                .call = &call,
                                .settings = work->tools->settings,
                                .synonyms = work->tools->synonyms,
                                .models = work->tools->models};
    const char *items[MAIL_WORDINGS_MAX];
    struct ask ask = {.question = work->question,
                      .wordings = {0, items},
                      .session_id = work->session_id,
                      .request_id = work->mail.id,
                      .channel = "email",
                      .only_certain = true,
                      .on_keep = keep,
                      .context = work};
    struct asked *asked = ARENA_NEW(arena, struct asked);
    enum error error;

    mail_wordings(arena,
                  utf8_copy_prefix(arena, work->words, (size_t)graph.settings->email_question_max),
                  &ask.wordings);
    error = document_reader_find(&call, &nothing, &call.reader);
    if (!error)
        error = threshold_in_force(&traces, graph.settings, &graph.settings);
    if (!error)
        error = ask_question(&graph, &ask, asked);
    return !error && asked->not_kept ? work->problem->error : error;
}

static enum error reply_to(struct job *job, struct problem *problem)
{
    struct reply_work work;
    bool for_person;
    enum error error = load(job, problem, &work);

    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): load() has filled it */
    if (error || strcmp(work.mail.state, "waiting") != 0)
        return error;
    work.words = words_of(&work);
    work.question = mail_question(job->arena, work.tools->settings, work.mail.subject, work.words,
                                  work.goes_on);
    error = is_for_person(&work, &for_person);
    if (error)
        return error;
    return for_person ? hand_over(&work) : answer(&work);
}

static void perform(struct job *job, struct job_verdict *verdict)
{
    struct problem problem = {0};

    if (!reply_to(job, &problem) || problem.error == ERROR_CONFLICT)
        return;
    log_event(LOG_ERROR, "email_not_answered", problem.text);
    verdict->outcome = JOB_FAILED;
    (void)!snprintf(verdict->error, sizeof verdict->error, "%s", problem.text);
}

/* After the last attempt a person gets the message as it came. */
static enum error record(struct job *job, const struct job_verdict *verdict,
                         struct problem *problem)
{
    struct reply_work work;
    enum error error;

    if (verdict->outcome == JOB_DONE || job->failures + 1 < ATTEMPTS)
        return ERROR_NONE;
    error = load(job, problem, &work);
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): load() has filled it */
    if (error || strcmp(work.mail.state, "waiting") != 0)
        return error;
    work.question = utf8_copy_prefix(
        job->arena, arena_print(job->arena, "%s\n\n%s", work.mail.subject, work.mail.body),
        HANDED_OVER_MOST);
    return add_words(&work);
}

enum error email_answer_due(const struct mail_call *call, const struct regression_tools *tools,
                            bool *more)
{
    struct job_kind kind = {.name = mail_answer_job.name,
                            .lease_seconds =
                                (int)tools->settings->request_timeout_sec + LEASE_MARGIN,
                            .attempts = ATTEMPTS,
                            .pauses = pauses,
                            .pause_count = sizeof pauses / sizeof *pauses,
                            .interruptions_max = 10,
                            .perform = perform,
                            .record = record};
    struct regression_tools context = *tools;
    struct job_counts tally = {0};
    enum error error = job_run_due(call->db, call->arena, &kind, &context,
                                   tools->settings->email_poll_batch, &tally, call->problem);

    *more = tally.claimed > 0;
    return error;
}
