/* Any bytes as the parts of a document that is a zip, or as the zip itself: it is read or refused,
 * and what is written is limited. The first byte says which format, the parts are separated by the
 * byte 0xff. The reader frees nothing, so each input has a process of its own. */
#include "fuzz.h"

#include "documents/formats.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

enum { SECONDS_MOST = 20, UNPACKED_MOST = 1 << 20, PARTS_MOST = 5, WHOLE = 'z' };

static const struct format {
    char mark;
    enum format_result (*read)(const char *path, int64_t most, FILE *out);
    const char *parts[PARTS_MOST];
} formats[] = {
    {'d',
     format_read_docx,
     {"word/document.xml", "word/styles.xml", "word/numbering.xml", "word/footnotes.xml"}},
    {'x',
     format_read_xlsx,
     {"xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/styles.xml", "xl/sharedStrings.xml",
      "xl/worksheets/sheet1.xml"}},
    {'p',
     format_read_pptx,
     {"ppt/presentation.xml", "ppt/_rels/presentation.xml.rels", "ppt/slides/slide1.xml",
      "ppt/slides/_rels/slide1.xml.rels", "ppt/notesSlides/notesSlide1.xml"}},
    {'o', format_read_odf, {"content.xml", "styles.xml"}},
    {'e', format_read_epub, {"META-INF/container.xml", "book.opf", "one.xhtml"}},
};

static void put(FILE *out, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        putc((int)(value >> 8 * i & 0xff), out);
}

/* The fields that a local header and an entry of the directory share; the parts are stored. */
static void put_common(FILE *out, const uint8_t *data, uint32_t length, const char *name)
{
    put(out, 20, 2);
    put(out, 0, 4);
    put(out, 0, 4);
    put(out, (uint32_t)crc32(0, data, length), 4);
    put(out, length, 4);
    put(out, length, 4);
    put(out, (uint32_t)strlen(name), 2);
    put(out, 0, 2);
}

struct part {
    const uint8_t *data;
    uint32_t length, offset;
};

static void write_zip(FILE *out, const struct format *format, struct part *parts, size_t count)
{
    uint32_t directory, end;

    for (size_t i = 0; i < count; i++) {
        parts[i].offset = (uint32_t)ftell(out);
        put(out, 0x04034b50, 4);
        put_common(out, parts[i].data, parts[i].length, format->parts[i]);
        fputs(format->parts[i], out);
        fwrite(parts[i].data, 1, parts[i].length, out);
    }
    directory = (uint32_t)ftell(out);
    for (size_t i = 0; i < count; i++) {
        put(out, 0x02014b50, 4);
        put(out, 20, 2);
        put_common(out, parts[i].data, parts[i].length, format->parts[i]);
        put(out, 0, 2);
        put(out, 0, 4);
        put(out, 0, 4);
        put(out, parts[i].offset, 4);
        fputs(format->parts[i], out);
    }
    end = (uint32_t)ftell(out);
    put(out, 0x06054b50, 4);
    put(out, 0, 4);
    put(out, (uint32_t)count, 2);
    put(out, (uint32_t)count, 2);
    put(out, end - directory, 4);
    put(out, directory, 4);
    put(out, 0, 2);
}

static size_t split(const struct format *format, const uint8_t *data, size_t size,
                    struct part *parts)
{
    size_t count = 0;

    while (count < PARTS_MOST && format->parts[count]) {
        const uint8_t *end = size ? memchr(data, 0xff, size) : NULL;
        size_t length = end ? (size_t)(end - data) : size;

        parts[count++] = (struct part){data, (uint32_t)length, 0};
        if (!end)
            break;
        data = end + 1;
        size -= length + 1;
    }
    return count;
}

static _Noreturn void read_package(const struct format *format, const uint8_t *data, size_t size,
                                   bool is_whole)
{
    struct part parts[PARTS_MOST];
    int file = memfd_create("package", 0);
    FILE *in = file >= 0 ? fdopen(file, "w") : NULL, *out;
    char path[64], *text = NULL;
    size_t length = 0;

    alarm(SECONDS_MOST);
    if (!in)
        _exit(EXIT_SUCCESS);
    if (is_whole)
        fwrite(data, 1, size, in);
    else
        write_zip(in, format, parts, split(format, data, size, parts));
    fflush(in);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    out = open_memstream(&text, &length);
    if (out) {
        (void)format->read(path, UNPACKED_MOST, out);
        fclose(out);
    }
    _exit(EXIT_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t skip = size > 1 && data[0] == WHOLE ? 2 : 1;
    int status = 0;

    for (size_t i = 0; size > skip && i < sizeof formats / sizeof formats[0]; i++) {
        pid_t child = (uint8_t)formats[i].mark == data[skip - 1] ? fork() : -1;

        if (child == 0)
            read_package(&formats[i], data + skip, size - skip, skip == 2);
        if (child < 0)
            continue;
        waitpid(child, &status, 0);
        PROMISE(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS,
                "a document is read to the end or refused");
    }
    return 0;
}
