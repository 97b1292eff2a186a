/* Performs and answers the slash command. */
#include "experiments/chat/command.h"

#include <ctype.h>
#include <string.h>

enum { WORD_BYTES_MAX = 64 };

static const char usage[] =
    "`/ab-test projects`, `/ab-test status <project_id>`, `/ab-test run <project_id>`";
static const char blanks[] = " \t\r\n\v\f";

static struct project_call call_of(const struct chat_session *session)
{
    return (struct project_call){.db = session->db,
                                 .arena = session->format->arena,
                                 .actor = &session->actor,
                                 .problem = session->problem};
}

static const char *say(const struct chat_format *format, const char *key)
{
    return chat_reply(format, chat_translate(format, key, NO_TEXT_ARGUMENTS));
}

static const char *say_of(const struct chat_format *format, const char *key, const char *id)
{
    return chat_reply(format, chat_translate(format, key, TEXT_ARGUMENTS({"id", id})));
}

/* The id is user input. */
const char *chat_not_found(const struct chat_format *format, const char *id)
{
    return say_of(format, "chats.not_found", chat_name(format, id));
}

enum error chat_find_project(const struct chat_session *session, const char *id,
                             struct project *project, bool *found)
{
    const struct project_call call = call_of(session);
    enum error error = project_read(&call, id, project);

    *found = error == ERROR_NONE;
    return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
}

static enum error projects(const struct chat_session *session, const char *id, const char **reply)
{
    const struct project_filter filter = {.status = STATUS_ACTIVE,
                                          .metric_type = -1,
                                          .sort_by = SORT_UPDATED_AT,
                                          .limit = session->settings->chatapp_projects_shown};
    const struct project_call call = call_of(session);
    struct arena *arena = session->format->arena;
    struct object_list list;
    struct text lines;
    int64_t total;
    enum error error = project_list(&call, &filter, &list, &total);

    (void)id;
    if (error)
        return error;
    text_start(&lines, arena, session->format->text_max);
    for (size_t i = 0; i < list.count && !lines.overflowed; i++) { /* whole lines */
        const struct project *project = (const struct project *)list.items + i;

        text_append_format(&lines, "%s*%s* `%s`", i ? "\n" : "",
                           chat_name(session->format, project->project_name), project->id);
    }
    *reply = list.count ? chat_reply(session->format, lines.bytes)
                        : say(session->format, "chats.no_projects");
    return ERROR_NONE;
}

/* The size that the newest analysis found. */
static enum error read_size(const struct chat_session *session, const char *id,
                            struct chat_project *about)
{
    const struct project_call call = call_of(session);
    struct project_page page = {.limit = 1};
    enum error error = project_analysis_runs(&call, id, &page);

    if (!error && page.items.count) {
        const struct analysis_run *run = page.items.items;
        const struct calculation_results *results = run->analysis->calculations->results;

        about->total = GIVEN_INTEGER(results->total_sample_size);
        about->days = GIVEN_INTEGER(results->estimated_duration_days);
    }
    return error;
}

static enum error status(const struct chat_session *session, const char *id, const char **reply)
{
    struct project project;
    struct chat_project about = {.project = &project};
    bool found;
    enum error error = chat_find_project(session, id, &project, &found);

    if (!error && found && project.last_analysis_at)
        error = read_size(session, id, &about);
    if (error)
        return error;
    *reply =
        found ? chat_project_reply(session->format, &about) : chat_not_found(session->format, id);
    return ERROR_NONE;
}

static enum error run(const struct chat_session *session, const char *id, const char **reply)
{
    struct project project;
    bool found;
    enum error error = chat_find_project(session, id, &project, &found);

    if (!error && found)
        error = chat_enqueue_analysis(session, id);
    if (error)
        return error;
    *reply = found ? say_of(session->format, "chats.run_queued", id)
                   : chat_not_found(session->format, id);
    return ERROR_NONE;
}

static const struct {
    const char *word;
    bool needs_id;
    enum error (*act)(const struct chat_session *session, const char *id, const char **reply);
} commands[] = {{"projects", false, projects}, {"status", true, status}, {"run", true, run}};

/* The next word of the text, and the rest behind it. */
static const char *next_word(struct arena *arena, const char **text)
{
    const char *start = *text + strspn(*text, blanks);
    size_t length = strcspn(start, blanks);

    *text = start + length;
    return arena_copy(arena, start, length < WORD_BYTES_MAX ? length : WORD_BYTES_MAX);
}

static const char *in_lower_case(struct arena *arena, const char *word)
{
    char *lower = arena_copy_string(arena, word);

    for (char *p = lower; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return lower;
}

enum error chat_command(const struct chat_session *session, const char *text, const char **reply)
{
    const struct chat_format *format = session->format;
    struct arena *arena = format->arena;
    const char *word = in_lower_case(arena, next_word(arena, &text));
    const char *id = next_word(arena, &text);

    if (!*word)
        word = commands[0].word;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(word, commands[i].word) == 0 && (*id || !commands[i].needs_id))
            return commands[i].act(session, id, reply);
    *reply = chat_reply(format,
                        chat_translate(format, "chats.usage", TEXT_ARGUMENTS({"commands", usage})));
    return ERROR_NONE;
}
