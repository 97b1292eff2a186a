/* Reads documents: selects the format, the process and its limits, and converts the output of the
 * child process to pages. */
#include "documents/reader.h"
#include "base/clock.h"
#include "base/confine.h"
#include "base/sanitized.h"
#include "base/text.h"
#include "documents/charset.h"
#include "documents/formats.h"
#include "documents/markup_limits.h"
#include "documents/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_CANNOT = 3, PIPE_BYTES = 65536, NO_CHILD = -1 };

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

static void limit(int resource, rlim_t value)
{
    struct rlimit both = {value, value};

    setrlimit(resource, &both); /* a limit that cannot be lowered is low enough already */
}

/* From here on the process is the child: the document is its standard input, it writes to `out` and
 * exits. Other programs get none of our environment variables. */
static _Noreturn void run_child(int file, enum file_type type, const struct reader_limits *limits,
                                const char *work_folder, int out)
{
    static const char path[] = "/dev/stdin";
    const char *const folders[] = {work_folder, NULL};
    struct problem problem;
    FILE *stream;
    int nothing = open("/dev/null", O_RDWR);

    if (type == FILE_PDF || !SANITIZED)
        limit(RLIMIT_AS, (rlim_t)limits->memory_bytes);
    limit(RLIMIT_CPU, (rlim_t)limits->seconds);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    dup2(file, 0);
    dup2(nothing, 2);
    dup2(out, 1);
    closefrom(3);
    if (type == FILE_PDF) {
        (void)!unshare(CLONE_NEWUSER | CLONE_NEWNET); /* no network, if the kernel allows it */
        clearenv();
        setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
        execlp("pdftotext", "pdftotext", "-q", "-enc", "UTF-8", "-eol", "unix", path, "-",
               (char *)NULL);
        _exit(127);
    }
    stream = fdopen(1, "w");
    if (!stream || confine_process(CONFINE_AUTO, folders, &problem) != ERROR_NONE)
        _exit(CHILD_CANNOT);
    _exit(type == FILE_HTML
              ? format_read_html(path, stream)
              : format_read_docx(path, limits->text_bytes * READER_UNPACKED_FACTOR, stream));
}

static pid_t start_child(int file, enum file_type type, const struct reader_limits *limits,
                         const char *work_folder, int *from)
{
    int ends[2];
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return NO_CHILD;
    child = fork();
    if (child == 0)
        run_child(file, type, limits, work_folder, ends[1]);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return NO_CHILD;
    }
    *from = ends[0];
    return child;
}

/* Reads the output of the child until it exits, writes too much or takes too long. */
static bool drain(int from, const struct reader_limits *limits, struct text *text)
{
    int64_t end = clock_monotonic_microseconds() + limits->seconds * 2 * 1000000;
    struct pollfd wait = {.fd = from, .events = POLLIN};

    while (!text->overflowed) {
        int64_t left = (end - clock_monotonic_microseconds()) / 1000;
        char *room;
        ssize_t got;

        if (left <= 0 || poll(&wait, 1, (int)left) <= 0)
            return false;
        room = text_extend(text, PIPE_BYTES);
        if (!room) {
            text->overflowed = true;
            break;
        }
        got = read(from, room, PIPE_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        text_extend_to(text, room + got);
    }
    return true;
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

static enum error explain(int status, bool timely, const struct text *text, struct problem *problem)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : FORMAT_DAMAGED;

    if (text->overflowed || code == FORMAT_TOO_LARGE)
        return say_too_large(problem);
    if (!timely ||
        (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)))
        return problem_set(problem, ERROR_MALFORMED, "unreadable_file",
                           "the document takes too long to read");
    if (code == 127 || code == CHILD_CANNOT)
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

static enum error read_by_child(struct arena *arena, const char *path, enum file_type type,
                                const struct reader_limits *limits, const char *work_folder,
                                struct text *text, struct problem *problem)
{
    int from = -1, status = 0, file = open(path, O_RDONLY | O_CLOEXEC);
    pid_t child;
    bool timely;

    text_start(text, arena, (size_t)limits->text_bytes);
    if (file < 0)
        return problem_set(problem, ERROR_SYSTEM, "file_not_read", "the file cannot be read");
    child = start_child(file, type, limits, work_folder, &from);
    close(file);
    if (child == NO_CHILD)
        return problem_set(problem, ERROR_UNAVAILABLE, "no_reader",
                           "this process cannot start a reader");
    timely = drain(from, limits, text);
    if (!timely || text->overflowed)
        kill(child, SIGKILL);
    close(from);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return explain(status, timely, text, problem);
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
