/* Reads documents: selects the format, the process and its limits, and converts the output of the
 * child process to pages. */
#include "documents/reader.h"
#include "base/text.h"
#include "documents/charset.h"
#include "documents/children.h"
#include "documents/formats.h"
#include "documents/markup_limits.h"
#include "documents/plain.h"
#include "documents/scans.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIPE_BYTES = 65536 };

const char *const file_type_names[FILE_TYPE__MAX] = {
    "",    "txt", "md",   "html", "json", "csv", "docx", "xlsx", "pptx", "odt",
    "ods", "odp", "epub", "eml",  "pdf",  "png", "jpeg", "tiff", "webp"};

enum file_type file_type_of(const char *name)
{
    const char *dot = strrchr(name, '.');

    if (!dot)
        return FILE_UNKNOWN;
    if (strcasecmp(dot, ".htm") == 0)
        return FILE_HTML;
    if (strcasecmp(dot, ".jpg") == 0)
        return FILE_JPEG;
    if (strcasecmp(dot, ".tif") == 0)
        return FILE_TIFF;
    for (int i = FILE_TXT; i < FILE_TYPE__MAX; i++) {
        if (strcasecmp(dot + 1, file_type_names[i]) == 0)
            return (enum file_type)i;
    }
    return FILE_UNKNOWN;
}

bool file_type_needs_child(enum file_type type)
{
    return type == FILE_HTML || type >= FILE_DOCX;
}

bool file_is_image(enum file_type type)
{
    return type >= FILE_PNG;
}

const char *file_main_part(enum file_type type)
{
    switch (type) {
    case FILE_DOCX:
        return "word/document.xml";
    case FILE_XLSX:
        return "xl/workbook.xml";
    case FILE_PPTX:
        return "ppt/presentation.xml";
    case FILE_ODT:
    case FILE_ODS:
    case FILE_ODP:
        return "content.xml";
    case FILE_EPUB:
        return "META-INF/container.xml";
    default:
        return NULL;
    }
}

bool file_has_type_of(enum file_type type, const char *bytes, size_t length)
{
    if (type == FILE_PDF)
        return length >= 5 && memcmp(bytes, "%PDF-", 5) == 0;
    if (type == FILE_PNG)
        return length >= 4 && memcmp(bytes, "\x89PNG", 4) == 0;
    if (type == FILE_JPEG)
        return length >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0;
    if (type == FILE_TIFF)
        return length >= 4 && (memcmp(bytes, "II*\0", 4) == 0 || memcmp(bytes, "MM\0*", 4) == 0);
    if (type == FILE_WEBP)
        return length >= 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0;
    if (file_main_part(type))
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
    static const char path[] = "/dev/stdin";
    const struct format_job *job = context;

    switch (job->type) {
    case FILE_DOCX:
        return format_read_docx(path, job->most, out);
    case FILE_XLSX:
        return format_read_xlsx(path, job->most, out);
    case FILE_PPTX:
        return format_read_pptx(path, job->most, out);
    case FILE_ODT:
    case FILE_ODS:
    case FILE_ODP:
        return format_read_odf(path, job->most, out);
    case FILE_EPUB:
        return format_read_epub(path, job->most, out);
    case FILE_EML:
        return format_read_eml(path, out);
    default:
        return format_read_html(path, out);
    }
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

/* -- scans ------------------------------------------------------------------------------------- */

static const char *reason_of(struct arena *arena, enum scan_outcome outcome, const char *missing)
{
    switch (outcome) {
    case SCAN_NO_PROGRAM:
        return "the program tesseract, which reads them, is not installed";
    case SCAN_NO_LANGUAGE:
        return arena_print(arena, "tesseract has no language pack `%s`, which reads their script",
                           missing);
    case SCAN_TOO_LONG:
        return "they take too long to read";
    default:
        return "they are damaged";
    }
}

/* Adds what is read of a page in its place; `count` pages follow each other in `result`. */
static void add_scanned(struct arena *arena, struct reading_result *result, const struct text *text,
                        int number)
{
    struct text whole = *text;

    while (whole.length && strchr("\f\n", whole.bytes[whole.length - 1]))
        text_cut(&whole, whole.length - 1);
    plain_add_page(arena, result, whole.bytes, whole.length, number);
}

static bool reads_more(const struct reading_result *result, enum scan_outcome outcome)
{
    return outcome != SCAN_NO_PROGRAM || result->scanned;
}

/* Reads the pages without text. When tesseract is not there, none is tried after the first. */
static void read_scans(struct scan_job *job, struct reading_result *result)
{
    const struct reading_result given = *result;
    enum scan_outcome outcome = SCAN_READ;
    const char *missing = "";
    size_t next = 0;
    bool *pictures = ARENA_ARRAY(job->arena, bool, (size_t)given.page_count + 1);
    int count = 0, tried = 0;

    if (given.page_count == (int)given.count)
        return;
    scan_find_pictures(job, pictures, given.page_count);
    for (int number = 1; number <= given.page_count; number++)
        count += pictures[number];
    result->count = 0;
    result->pages = ARENA_ARRAY(job->arena, struct page, (size_t)given.page_count + 1);
    for (int number = 1; number <= given.page_count; number++) {
        struct text text;

        if (next < given.count && given.pages[next].number == number) {
            result->pages[result->count++] = given.pages[next++];
            continue;
        }
        if (!pictures[number])
            continue;
        if (tried++ >= job->options->pages || !reads_more(result, outcome)) {
            result->unread++;
            continue;
        }
        if (job->options->progress)
            job->options->progress(job->options->context, tried, count);
        outcome = scan_read_page(job, number, &text, &missing);
        if (outcome == SCAN_READ) {
            result->scanned++;
            add_scanned(job->arena, result, &text, number);
            continue;
        }
        result->unread++;
        result->unread_because = reason_of(job->arena, outcome, missing);
    }
    if (result->unread && !result->unread_because)
        result->unread_because = "the document has more of them than OCR_PAGES_MAX";
}

void reader_forget_scans(const struct reader_scans *scans, int pages)
{
    char path[4096];

    for (int page = 1; scans->folder && page <= pages; page++) {
        if (snprintf(path, sizeof path, "%s/%s-%d.txt", scans->folder, scans->key, page) <
            (int)sizeof path)
            unlink(path);
    }
}

void reader_forget_old_scans(const char *folder, int64_t before)
{
    DIR *files = opendir(folder);
    const struct dirent *entry;
    struct stat stat;

    while (files && (entry = readdir(files)))
        if (*entry->d_name != '.' &&
            fstatat(dirfd(files), entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(stat.st_mode) && stat.st_mtime < before)
            unlinkat(dirfd(files), entry->d_name, 0);
    if (files)
        closedir(files);
}

static enum error read_text(struct arena *arena, const char *path, enum file_type type,
                            const struct reader_limits *limits, const char *work_folder,
                            struct reading_result *result, struct problem *problem)
{
    struct text text;
    enum error error;

    if (file_is_image(type)) {
        result->page_count = 1;
        return ERROR_NONE;
    }
    if (!file_type_needs_child(type))
        return read_plain(arena, path, type, limits, result, problem);
    error = read_by_child(arena, path, type, limits, work_folder, &text, problem);
    if (error)
        return error;
    if (type == FILE_PDF || type == FILE_PPTX || type == FILE_ODP)
        split_pages(arena, &text, result);
    else
        plain_read(arena, type, text.bytes, text.length, result);
    return ERROR_NONE;
}

enum error reader_read(struct arena *arena, const char *path, enum file_type type,
                       const struct reader_limits *limits, const char *work_folder,
                       const struct reader_scans *scans, struct reading_result *result,
                       struct problem *problem)
{
    struct scan_job job = {
        .arena = arena, .path = path, .type = type, .options = scans, .work_folder = work_folder};
    enum error error;

    *result = (struct reading_result){.pages = NULL};
    error = read_text(arena, path, type, limits, work_folder, result, problem);
    if (!error && scans && (type == FILE_PDF || file_is_image(type)))
        read_scans(&job, result);
    return error;
}
