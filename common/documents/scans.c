/* Text of scanned pages: what script, which language packs, and the pipeline of programs. Pages
 * that have been read are kept in files until the document is stored, so that a process that takes
 * the work over does not read them again. */
#include "documents/scans.h"
#include "documents/children.h"
#include "documents/formats.h"
#include "documents/raster.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SCRIPT_BYTES = 65536, PACKS_BYTES = 200, LIST_BYTES = 8 << 20 };

/* Scripts as tesseract names them, and the packs that read them, in the order of preference; all of
 * Latin are used together, of others the first that is installed. */
static const struct {
    const char *script, *packs[5];
    bool all, with_english;
} scripts[] = {
    {"Latin", {"eng", "deu", "fra", "spa"}, .all = true},
    {"Cyrillic", {"rus"}, .with_english = true},
    {"Arabic", {"ara"}, .with_english = true},
    {"Han", {"chi_sim", "jpn"}},
    {"Japanese", {"jpn", "chi_sim"}},
    {"Hiragana", {"jpn"}},
    {"Katakana", {"jpn"}},
    {"Korean", {"kor"}},
    {"Hangul", {"kor"}},
    {"Thai", {"tha"}, .with_english = true},
    {"Devanagari", {"hin"}, .with_english = true},
    {"Hebrew", {"heb"}, .with_english = true},
};
enum { SCRIPT_COUNT = sizeof scripts / sizeof scripts[0], PACKS_OF_SCRIPT = 5 };

static int clean(void *context, FILE *out)
{
    (void)context;
    return raster_remove_lines(stdin, out) ? FORMAT_READ : FORMAT_DAMAGED;
}

static int find_words(void *context, FILE *out)
{
    (void)context;
    return format_read_words(stdin, out, true);
}

/* The children that make a picture of the page; none for an image. Returns how many. */
static size_t plan_raster(struct scan_job *job, int page, struct child_plan plans[CHILDREN_MAX])
{
    const char **arguments = ARENA_ARRAY(job->arena, const char *, 11);
    const char *number = arena_print(job->arena, "%d", page);
    const char *side = arena_print(job->arena, "%lld", (long long)job->options->pixels);
    const char *const all[] = {"pdftoppm",  "-q", "-f",    number,       "-l", number,
                               "-scale-to", side, "-gray", "/dev/stdin", NULL};

    if (job->type != FILE_PDF)
        return 0;
    memcpy((void *)arguments, (const void *)all, sizeof all);
    plans[0] = (struct child_plan){.arguments = arguments};
    plans[1] = (struct child_plan){.function = clean};
    return 2;
}

static enum scan_outcome outcome_of(const struct children_result *result, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int status = result->statuses[i];

        if (!result->timely || (WIFSIGNALED(status) && WTERMSIG(status) != SIGPIPE &&
                                WTERMSIG(status) != SIGABRT && WTERMSIG(status) != SIGSEGV))
            return SCAN_TOO_LONG;
        if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_NO_PROGRAM)
            return SCAN_NO_PROGRAM;
    }
    for (size_t i = 0; i < count; i++)
        if (!WIFEXITED(result->statuses[i]) || WEXITSTATUS(result->statuses[i]) != 0)
            return SCAN_DAMAGED;
    return SCAN_READ;
}

static enum scan_outcome run(struct scan_job *job, const struct child_plan *plans, size_t count,
                             struct text *output)
{
    int file = open(job->path, O_RDONLY | O_CLOEXEC);
    struct children_result result;
    bool started;

    if (file < 0)
        return SCAN_DAMAGED;
    started =
        children_run(plans, count, file, &job->options->page, job->work_folder, output, &result);
    close(file);
    return started ? outcome_of(&result, count) : SCAN_NO_PROGRAM;
}

void scan_find_pictures(struct scan_job *job, bool *pages, int count)
{
    static const char *const list[] = {"pdfimages", "-list", "/dev/stdin", NULL};
    const struct child_plan plan = {.arguments = list};
    struct text output;

    if (job->type != FILE_PDF) {
        pages[1] = true;
        return;
    }
    text_start(&output, job->arena, LIST_BYTES);
    (void)run(job, &plan, 1, &output); /* a list that was cut off names the first pages */
    for (const char *at = output.bytes; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        long page = strtol(at, NULL, 10);

        if (page >= 1 && page <= count)
            pages[page] = true;
    }
}

static bool has_pack(const char *languages, const char *pack)
{
    size_t length = strlen(pack);

    for (const char *at = languages; (at = strstr(at, pack)); at += length)
        if ((at == languages || at[-1] == '\n') && (at[length] == '\n' || !at[length]))
            return true;
    return false;
}

static enum scan_outcome list_languages(struct scan_job *job)
{
    static const char *const list[] = {"tesseract", "--list-langs", NULL};
    const struct child_plan plan = {.arguments = list};
    struct text output;
    enum scan_outcome outcome;

    if (job->languages)
        return SCAN_READ;
    text_start(&output, job->arena, SCRIPT_BYTES);
    outcome = run(job, &plan, 1, &output);
    if (outcome == SCAN_READ)
        job->languages = output.bytes;
    return outcome;
}

/* The packs for a script as tesseract takes them; NULL when none is installed. */
static const char *packs_of(struct scan_job *job, size_t script)
{
    struct text packs;

    text_start(&packs, job->arena, PACKS_BYTES);
    for (size_t i = 0; i < PACKS_OF_SCRIPT && scripts[script].packs[i]; i++) {
        if (!has_pack(job->languages, scripts[script].packs[i]))
            continue;
        text_append_format(&packs, "%s%s", packs.length ? "+" : "", scripts[script].packs[i]);
        if (!scripts[script].all)
            break;
    }
    if (packs.length && scripts[script].with_english && has_pack(job->languages, "eng"))
        text_append_string(&packs, "+eng");
    return packs.length ? packs.bytes : NULL;
}

/* The script of the page, by tesseract; Latin when there are too few letters to tell. */
static enum scan_outcome find_script(struct scan_job *job, int page, size_t *script)
{
    static const char *const detect[] = {"tesseract", "stdin", "stdout", "--psm",
                                         "0",         "-l",    "osd",    NULL};
    struct child_plan plans[CHILDREN_MAX];
    size_t count = plan_raster(job, page, plans);
    struct text output;
    enum scan_outcome outcome;
    const char *found;

    *script = 0;
    if (!has_pack(job->languages, "osd"))
        return SCAN_READ;
    plans[count++] = (struct child_plan){.arguments = detect};
    text_start(&output, job->arena, SCRIPT_BYTES);
    outcome = run(job, plans, count, &output);
    found = strstr(output.bytes, "Script: ");
    for (size_t i = 0; found && i < SCRIPT_COUNT; i++) {
        size_t length = strlen(scripts[i].script);

        if (strncmp(found + 8, scripts[i].script, length) == 0 && found[8 + length] == '\n')
            *script = i;
    }
    return outcome == SCAN_DAMAGED ? SCAN_READ : outcome; /* it fails on pages with few letters */
}

static enum scan_outcome read_words(struct scan_job *job, int page, const char *packs,
                                    struct text *text)
{
    const char *const all[] = {
        "tesseract", "stdin", "stdout", "--psm", has_pack(job->languages, "osd") ? "1" : "3",
        "-l",        packs,   "tsv",    NULL};
    struct child_plan plans[CHILDREN_MAX];
    size_t count = plan_raster(job, page, plans);

    plans[count++] = (struct child_plan){.arguments = all};
    plans[count++] = (struct child_plan){.function = find_words};
    return run(job, plans, count, text);
}

static const char *kept_path(const struct scan_job *job, int page)
{
    return job->options->folder ? arena_print(job->arena, "%s/%s-%d.txt", job->options->folder,
                                              job->options->key, page)
                                : NULL;
}

static bool read_kept(const struct scan_job *job, const char *path, struct text *text)
{
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t got = 1;

    (void)job;
    if (file < 0)
        return false;
    while (got > 0 && !text->overflowed) {
        char *room = text_extend(text, SCRIPT_BYTES);

        got = room ? read(file, room, SCRIPT_BYTES) : 0;
        text_extend_to(text, room && got > 0 ? room + got : room);
    }
    close(file);
    return got == 0;
}

/* Written under another name first, so that a page is kept whole or not at all. */
static void keep(const struct scan_job *job, const char *path, const struct text *text)
{
    const char *part = path ? arena_print(job->arena, "%s.part", path) : NULL;
    int file = part ? open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    bool whole;

    if (file < 0)
        return;
    whole = write(file, text->bytes, text->length) == (ssize_t)text->length;
    close(file);
    if (!whole || rename(part, path) != 0)
        unlink(part);
}

enum scan_outcome scan_read_page(struct scan_job *job, int page, struct text *text,
                                 const char **missing)
{
    const char *path = kept_path(job, page), *packs;
    enum scan_outcome outcome;
    size_t script;

    text_start(text, job->arena, (size_t)job->options->page.text_bytes);
    if (read_kept(job, path, text))
        return SCAN_READ;
    text_start(text, job->arena, (size_t)job->options->page.text_bytes);
    outcome = list_languages(job);
    if (outcome == SCAN_READ)
        outcome = find_script(job, page, &script);
    if (outcome != SCAN_READ)
        return outcome;
    packs = packs_of(job, script);
    if (!packs) {
        *missing = scripts[script].packs[0];
        return SCAN_NO_LANGUAGE;
    }
    outcome = read_words(job, page, packs, text);
    if (outcome == SCAN_READ)
        keep(job, path, text);
    return outcome;
}
