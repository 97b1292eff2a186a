/*
 * How fast documents become text and chunks: megabytes of text a second, of a processor of the
 * reader's processes (children included) and of cutting. Without indexing and storing, which
 * tests/bench/stack/support measures. The documents are made up.
 */
#include "base/text.h"
#include "documents/reader.h"
#include "support/documents/chunk.h"
#include "support/documents/passages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zip.h>

enum { TEXT_BYTES = 8 << 20, PARAGRAPH_WORDS = 80, WORDS = 5000 };

static struct arena *kept, *scratch;
static char folder[] = "/tmp/assay-reading-XXXXXX";
static const char *words[WORDS];

static uint32_t draw(uint32_t below)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state % below);
}

static void make_words(void)
{
    for (int i = 0; i < WORDS; i++) {
        char word[16];
        uint32_t length = 3 + draw(8);

        for (uint32_t j = 0; j < length; j++)
            word[j] = (char)('a' + draw(26));
        words[i] = arena_copy(kept, word, length);
    }
}

/* Paragraphs between `open` and `close`, some 8 MB in all. */
static struct text write_paragraphs(const char *begin, const char *open, const char *close,
                                    const char *end)
{
    struct text text;

    text_start(&text, kept, (size_t)4 * TEXT_BYTES);
    text_append_string(&text, begin);
    while (text.length < TEXT_BYTES) {
        text_append_string(&text, open);
        for (int i = 0; i < PARAGRAPH_WORDS; i++)
            text_append_format(&text, "%s%s", words[draw(WORDS)], i % 12 == 11 ? ". " : " ");
        text_append_string(&text, close);
    }
    text_append_string(&text, end);
    return text;
}

static const char *write_file(const char *name, const struct text *text)
{
    const char *path = arena_print(kept, "%s/%s", folder, name);
    FILE *file = fopen(path, "we");

    if (!file || fwrite(text->bytes, 1, text->length, file) != text->length || fclose(file))
        exit(1);
    return path;
}

/* A DOCX is a ZIP archive with the text in one member. */
static const char *write_docx(const struct text *text)
{
    const char *path = arena_print(kept, "%s/a.docx", folder);
    zip_t *archive = zip_open(path, ZIP_CREATE, NULL);
    zip_source_t *source =
        archive ? zip_source_buffer(archive, text->bytes, text->length, 0) : NULL;

    if (!source || zip_file_add(archive, "word/document.xml", source, 0) < 0 || zip_close(archive))
        exit(1);
    return path;
}

static double seconds_of(int who)
{
    struct rusage usage;

    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static size_t cut(const struct reading_result *result)
{
    static const struct chunk_options options = {800, 200, true};
    struct chunk_list list = {0};
    size_t passages = 0;

    for (size_t i = 0; i < result->count; i++)
        chunk_text(scratch, result->pages[i].text, result->pages[i].length, result->pages[i].number,
                   &options, &list);
    for (size_t i = 0; i < list.count; i++)
        passages += passages_of(scratch, list.items[i].body, strlen(list.items[i].body)).count;
    return passages;
}

static void measure(const char *path, enum file_type type)
{
    static const struct reader_limits limits = {(int64_t)1 << 30, 60, (int64_t)1 << 28};
    struct reading_result result;
    struct problem problem = {0};
    double reading = seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN), cutting, bytes = 0;
    size_t passages;

    if (reader_read(scratch, path, type, &limits, folder, NULL, &result, &problem)) {
        fprintf(stderr, "reading: %s: %s\n", file_type_names[type], problem.text);
        exit(1);
    }
    cutting = seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
    for (size_t i = 0; i < result.count; i++)
        bytes += (double)result.pages[i].length / 1e6;
    passages = cut(&result);
    reading = cutting - reading;
    cutting = seconds_of(RUSAGE_SELF) - cutting + seconds_of(RUSAGE_CHILDREN);
    printf("%-4s %.1f MB of text: read %.0f MB/s, cut %.0f MB/s (%zu passages), both %.0f MB/s\n",
           file_type_names[type], bytes, bytes / reading, bytes / cutting, passages,
           bytes / (reading + cutting));
    unlink(path);
    arena_reset(scratch);
}

int main(void)
{
    struct text text;

    kept = arena_create((size_t)1 << 30);
    scratch = arena_create((size_t)4 << 30);
    if (!kept || !scratch || !mkdtemp(folder))
        return 1;
    make_words();
    text = write_paragraphs("", "", "\n\n", "");
    measure(write_file("a.txt", &text), FILE_TXT);
    text = write_paragraphs("# Made up\n\n", "## Part\n\n", "\n\n", "");
    measure(write_file("a.md", &text), FILE_MD);
    text = write_paragraphs("<!doctype html><title>Made up</title><body>", "<p>", "</p>\n", "");
    measure(write_file("a.html", &text), FILE_HTML);
    text = write_paragraphs("<?xml version=\"1.0\"?><w:document xmlns:w=\"http://schemas."
                            "openxmlformats.org/wordprocessingml/2006/main\"><w:body>",
                            "<w:p><w:r><w:t>", "</w:t></w:r></w:p>", "</w:body></w:document>");
    measure(write_docx(&text), FILE_DOCX);
    rmdir(folder);
    arena_destroy(kept);
    arena_destroy(scratch);
    return 0;
}
