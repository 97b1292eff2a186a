/* Reads documents: selects the format, the process and its limits, and converts the output of the
 * child process to pages. */
#include "documents/reader.h"
#include "base/text.h"
#include "documents/charset.h"
#include "documents/children.h"
#include "documents/formats.h"
#include "documents/markup_limits.h"
#include "documents/plain.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIPE_BYTES = 65536 };

const char *const file_type_names[FILE_TYPE__MAX] = {"",     "txt", "md",   "html",
                                                     "json", "csv", "docx", "pdf"};

enum file_type file_type_of(const char *name)
{
    const char *dot = strrchr(name, '.');

    if (!dot)
        return FILE_UNKNOWN;
    if (strcasecmp(dot, ".htm") == 0)
        return FILE_HTML;
    for (int i = FILE_TXT; i < FILE_TYPE__MAX; i++) {
        if (strcasecmp(dot + 1, file_type_names[i]) == 0)
            return (enum file_type)i;
    }
    return FILE_UNKNOWN;
}

bool file_type_needs_child(enum file_type type)
{
    return type == FILE_HTML || type == FILE_DOCX || type == FILE_PDF;
}

bool file_has_type_of(enum file_type type, const char *bytes, size_t length)
{
    if (type == FILE_PDF)
        return length >= 5 && memcmp(bytes, "%PDF-", 5) == 0;
    if (type == FILE_DOCX)
        return length >= 4 && memcmp(bytes, "PK\x03\x04", 4) == 0;
    return memchr(bytes, '\0', length) == NULL || charset_has_wide_mark(bytes, length);
}

static enum error say_too_large(struct problem *problem)
{
    return problem_set(problem, ERROR_TOO_LARGE, "text_too_large",
                       "the document holds more text than is allowed");
}

static enum error say_charset(enum charset_result result, struct problem *problem)
{
    return problem_set(problem, ERROR_MALFORMED, "unreadable_file", "%s", charset_reasons[result]);
}

static bool ran_out_of_time(int status)
{
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
}

/* The outcome of one child. */
static enum error explain(int status, bool timely, const struct text *text, struct problem *problem)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : FORMAT_DAMAGED;

    if (text->overflowed || code == FORMAT_TOO_LARGE)
        return say_too_large(problem);
    if (!timely || ran_out_of_time(status))
        return problem_set(problem, ERROR_MALFORMED, "unreadable_file",
                           "the document takes too long to read");
    if (code == CHILD_NO_PROGRAM || code == CHILD_CANNOT)
        return problem_set(problem, ERROR_UNAVAILABLE, "no_reader",
                           "no program is there to read this kind of document");
    if (code == FORMAT_TOO_MANY_ATTRIBUTES)
        return problem_set(problem, ERROR_MALFORMED, "unreadable_file",
                           "an element of the document has more than %d attributes",
                           MARKUP_ATTRIBUTES_MAX);
    if (code > FORMAT_CHARSET && code < FORMAT_CHARSET + CHARSET__MAX)
        return say_charset((enum charset_result)(code - FORMAT_CHARSET), problem);
    if (code != FORMAT_READ)
        return problem_set(problem, ERROR_MALFORMED, "unreadable_file",
                           "the document is damaged, encrypted, or not of the kind its name says");
    return ERROR_NONE;
}

/* What a child needs to know. */
struct format_job {
    enum file_type type;
    int64_t most; /* bytes of the unpacked document */
};

static int read_format(void *context, FILE *out)
{
    const struct format_job *job = context;

    return job->type == FILE_HTML ? format_read_html("/dev/stdin", out)
                                  : format_read_docx("/dev/stdin", job->most, out);
}

static int read_words(void *context, FILE *out)
{
    (void)context;
    return format_read_words(stdin, out, false);
}

static enum error read_by_child(struct arena *arena, const char *path, enum file_type type,
                                const struct reader_limits *limits, const char *work_folder,
                                struct text *text, struct problem *problem)
{
    static const char *const pdftotext[] = {"pdftotext", "-q",         "-enc", "UTF-8",
                                            "-tsv",      "/dev/stdin", "-",    NULL};
    struct format_job job = {type, limits->text_bytes * READER_UNPACKED_FACTOR};
    const struct child_plan pdf[] = {{.arguments = pdftotext}, {.function = read_words}};
    const struct child_plan other[] = {{.function = read_format, .context = &job}};
    size_t count = type == FILE_PDF ? 2 : 1;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct children_result result;
    enum error error = ERROR_NONE;
    bool started;

    text_start(text, arena, (size_t)limits->text_bytes);
    if (file < 0)
        return problem_set(problem, ERROR_SYSTEM, "file_not_read", "the file cannot be read");
    started = children_run(type == FILE_PDF ? pdf : other, count, file, limits, work_folder, text,
                           &result);
    close(file);
    if (!started)
        return problem_set(problem, ERROR_UNAVAILABLE, "no_reader",
                           "this process cannot start a reader");
    for (size_t i = 0; i < count && !error; i++)
        error = explain(result.statuses[i], result.timely, text, problem);
    return error;
}

static enum error read_here(struct arena *arena, const char *path,
                            const struct reader_limits *limits, struct text *text,
                            struct problem *problem)
{
    struct arena_guard *guard = arena_guard(arena, arena_close_file);
    FILE *file = guard->thing = fopen(path, "rbe");
    size_t got = 1;

    text_start(text, arena, (size_t)limits->text_bytes);
    if (!file)
        return problem_set(problem, ERROR_SYSTEM, "file_not_read", "the file cannot be read");
    while (got && !text->overflowed) {
        char *room = text_extend(text, PIPE_BYTES);

        if (!room) {
            text->overflowed = fgetc(file) != EOF;
            break;
        }
        got = fread(room, 1, PIPE_BYTES, file);
        text_extend_to(text, room + got);
    }
    arena_guard_end(guard);
    if (text->overflowed)
        return say_too_large(problem);
    return ERROR_NONE;
}

static enum error read_plain(struct arena *arena, const char *path, enum file_type type,
                             const struct reader_limits *limits, struct reading_result *result,
                             struct problem *problem)
{
    struct charset_text decoded;
    enum charset_result charset;
    struct text text;
    enum error error = read_here(arena, path, limits, &text, problem);

    if (error)
        return error;
    charset = charset_decode(arena, text.bytes, text.length, NULL, &decoded);
    if (charset != CHARSET_DECODED)
        return say_charset(charset, problem);
    if (decoded.length > (size_t)limits->text_bytes)
        return say_too_large(problem);
    plain_read(arena, type, decoded.bytes, decoded.length, result);
    return ERROR_NONE;
}

/* Makes one page per form feed. */
static void split_pages(struct arena *arena, const struct text *text, struct reading_result *result)
{
    size_t count = 1, start = 0;

    for (size_t i = 0; i < text->length; i++)
        count += text->bytes[i] == '\f';
    result->pages = ARENA_ARRAY(arena, struct page, count);
    while (start < text->length) {
        const char *feed = memchr(text->bytes + start, '\f', text->length - start);
        size_t end = feed ? (size_t)(feed - text->bytes) : text->length;

        result->page_count++;
        plain_add_page(arena, result, text->bytes + start, end - start, result->page_count);
        start = end + 1;
    }
}

enum error reader_read(struct arena *arena, const char *path, enum file_type type,
                       const struct reader_limits *limits, const char *work_folder,
                       struct reading_result *result, struct problem *problem)
{
    struct text text;
    enum error error;

    *result = (struct reading_result){NULL, 0, 0};
    if (!file_type_needs_child(type))
        return read_plain(arena, path, type, limits, result, problem);
    error = read_by_child(arena, path, type, limits, work_folder, &text, problem);
    if (error)
        return error;
    if (type == FILE_PDF)
        split_pages(arena, &text, result);
    else
        plain_read(arena, type, text.bytes, text.length, result);
    return ERROR_NONE;
}
