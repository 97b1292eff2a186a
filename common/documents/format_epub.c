/* Books (EPUB 3): the chapters in the order of the spine, read as HTML. Runs in a child process
 * that exits afterwards, so nothing is freed. */
#include "documents/package.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS_MAX = 20000 };

struct book {
    const char *path; /* of the package document */
    struct {
        char *id, *part;
    } items[ITEMS_MAX];
    size_t count;
    char *spine[ITEMS_MAX]; /* ids */
    size_t chapters;
};

static void begin_in_container(void *context, xmlTextReaderPtr reader, const char *name)
{
    struct book *book = context;

    if (strcmp(name, "rootfile") == 0 && !book->path)
        book->path = package_attribute(reader, "full-path");
}

static void begin_in_package(void *context, xmlTextReaderPtr reader, const char *name)
{
    struct book *book = context;
    char *id, *target;

    if (strcmp(name, "item") == 0 && book->count < ITEMS_MAX) {
        id = package_attribute(reader, "id");
        target = package_attribute(reader, "href");
        if (!id || !target)
            return;
        book->items[book->count].id = id;
        book->items[book->count++].part = package_path(book->path, target);
    } else if (strcmp(name, "itemref") == 0 && book->chapters < ITEMS_MAX) {
        id = package_attribute(reader, "idref");
        if (id)
            book->spine[book->chapters++] = id;
    }
}

static enum format_result write_chapter(struct package *package, const char *part, FILE *out)
{
    size_t length;
    char *bytes = package_part(package, part, false, &length);

    return bytes && length ? format_write_html(bytes, length, out) : FORMAT_READ;
}

enum format_result format_read_epub(const char *path, int64_t most, FILE *out)
{
    struct book *book = calloc(1, sizeof *book);
    const struct package_events container = {.begin = begin_in_container, .context = book};
    const struct package_events contents = {.begin = begin_in_package, .context = book};
    enum format_result result = FORMAT_READ;
    struct package package;
    xmlTextReaderPtr reader;

    if (!book || package_open(path, most, &package) != FORMAT_READ)
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends with this call */
        return FORMAT_DAMAGED;
    reader = package_reader(&package, "META-INF/container.xml", true);
    if (reader && package_walk(reader, &container) && book->path)
        reader = package_reader(&package, book->path, true);
    if (!reader || !book->path || !package_walk(reader, &contents))
        return package.result == FORMAT_READ ? FORMAT_DAMAGED : package.result;
    for (size_t i = 0; i < book->chapters && result == FORMAT_READ; i++)
        for (size_t j = 0; j < book->count; j++)
            if (strcmp(book->items[j].id, book->spine[i]) == 0) {
                result = write_chapter(&package, book->items[j].part, out);
                break;
            }
    return result == FORMAT_READ ? package.result : result;
}
