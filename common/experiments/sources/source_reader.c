/* One experiment after the other; between two pages nothing is open. */
#include "experiments/sources/source_reader.h"

#include "base/clock.h"
#include "base/log.h"
#include "jobs/main_loop.h"

#include <string.h>

enum { SOURCES_PAGE = 100 };

static struct live_call call_of(const struct source_reader *reader, struct arena *arena)
{
    return (struct live_call){.db = reader->db,
                              .arena = arena,
                              .spike_events = reader->spike_events,
                              .clusters_max = reader->clusters_max,
                              .problem = reader->problem};
}

static void log_failure(const struct live_source *source, const char *failure, const char *words)
{
    struct log_line line;

    log_begin(&line, LOG_WARNING, "source_failed");
    log_text(&line, "detail", failure);
    log_text(&line, "experiment", source->project_id);
    if (words)
        log_text(&line, "words", words);
    log_write(&line);
}

/* What the program cannot read is shown with the experiment; the log has it once per outage. */
static enum error note_failure(const struct source_reader *reader, struct live_source *source,
                               const char *failure, const char *words)
{
    const struct live_call call = call_of(reader, reader->page);

    if (!source->failure || strcmp(source->failure, failure) != 0)
        log_failure(source, failure, words);
    source->stale_seconds = reader->settings->stale_seconds;
    source->event_age_seconds_max = reader->settings->event_age_seconds;
    return live_fail_source(&call, source, clock_unix_microseconds(), failure);
}

/* Live data was restored from an older copy: rows are compared with what was recorded of them, so
 * that reading them again adds nothing. */
static enum error begin_again(const struct source_reader *reader, const struct live_source *source)
{
    const struct live_call call = call_of(reader, reader->page);

    log_failure(source, "live data does not know the watermark: read from the beginning", NULL);
    return source_begin_again(&call, source);
}

/* The reasons of source_page_read(); anything else is of the database. */
static enum error settle(const struct source_reader *reader, struct live_source *source,
                         const char *words)
{
    const struct problem failed = *reader->problem;

    if (failed.reason && strcmp(failed.reason, "position_unknown") == 0 && source->position)
        return begin_again(reader, source);
    return note_failure(reader, source, failed.text, words);
}

static enum error read_page(const struct source_reader *reader, struct live_source *source,
                            bool *ended, bool *more)
{
    struct live_call call = call_of(reader, reader->page);
    struct source_page page;
    bool moved = false;
    enum error error;

    arena_reset(reader->page);
    db_release_before_wait(reader->db);
    if (source_page_read(reader->settings, reader->page, source, &page, reader->problem)) {
        *ended = true;
        return settle(reader, source, page.words);
    }
    error = source_apply_page(&call, reader->settings, source, &page, &moved);
    *more = !error && !moved && page.has_more;
    *ended = error || !*more;
    if (!*ended)
        source->position = page.position ? arena_copy_string(reader->arena, page.position) : NULL;
    return error;
}

static enum error read_pages(const struct source_reader *reader, struct live_source *source,
                             bool *more)
{
    enum error error = ERROR_NONE;
    bool ended = false;

    for (int64_t pages = reader->settings->pages;
         !error && !ended && pages > 0 && !main_loop_must_stop(); pages--)
        error = read_page(reader, source, &ended, more);
    return error;
}

/* All of them, as looking at a page only reads. */
static enum error check_waiting(const struct source_reader *reader, const char *project_id)
{
    const char *after = "";
    enum error error = ERROR_NONE;

    while (!error && after && !main_loop_must_stop()) {
        const struct live_call call = call_of(reader, reader->page);
        struct live_source source;
        bool found;

        after = arena_copy_string(reader->arena, after);
        arena_reset(reader->page);
        error = live_read_source(&call, project_id, &source, &found);
        if (!error && found)
            error = source_apply_waiting(&call, reader->settings, &source, &after);
        else
            after = NULL;
    }
    return error;
}

/* An experiment that is archived or deleted meanwhile takes no records. */
static bool is_closed(enum error error, const struct problem *problem)
{
    return error && problem->reason &&
           (strcmp(problem->reason, "project_not_found") == 0 ||
            strcmp(problem->reason, "project_archived") == 0);
}

/* A database that does not answer ends the round; anything else is one experiment's. */
static enum error go_on(const struct source_reader *reader, struct live_source *source,
                        enum error error)
{
    const struct problem failed = *reader->problem;

    if (!error || error == ERROR_UNAVAILABLE)
        return error;
    if (is_closed(error, reader->problem))
        return ERROR_NONE;
    return note_failure(reader, source, "the rows could not be recorded", failed.text);
}

static enum error read_source(const struct source_reader *reader, struct live_source *source,
                              bool *more)
{
    bool pages_left = false;
    enum error error = check_waiting(reader, source->project_id);

    if (!error)
        error = read_pages(reader, source, &pages_left);
    *more = *more || pages_left;
    return go_on(reader, source, error);
}

enum error source_read_all(const struct source_reader *reader, bool *more)
{
    struct live_source_list sources = {0};
    const char *after = "";
    enum error error = ERROR_NONE;

    *more = false;
    do {
        const struct live_call call = call_of(reader, reader->arena);

        error = live_list_sources(&call, after, SOURCES_PAGE, &sources);
        for (size_t i = 0; !error && i < sources.count && !main_loop_must_stop(); i++) {
            after = sources.items[i].project_id;
            error = read_source(reader, &sources.items[i], more);
        }
    } while (!error && sources.count == SOURCES_PAGE && !main_loop_must_stop());
    return error;
}
