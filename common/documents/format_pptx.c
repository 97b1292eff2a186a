/* Presentations (ECMA-376 part 1, 19): the slides in their order, with titles as headings. Runs in
 * a child process that exits afterwards, so nothing is freed. */
#include "documents/package.h"
#include "documents/paragraphs.h"
#include "documents/table.h"

#include <stdlib.h>
#include <string.h>

enum { SLIDES_MAX = 10000, ROWS_MOST = 1000 };

struct show {
    struct package package;
    struct package_relations *relations;
    char *slides[SLIDES_MAX];
    size_t count;
    struct paragraphs *text;
    bool in_text, is_title, is_merged;
};

static void begin_in_show(void *context, xmlTextReaderPtr reader, const char *name)
{
    struct show *show = context;
    const char *part;

    if (strcmp(name, "sldId") != 0 || show->count == SLIDES_MAX)
        return;
    part = package_target(show->relations, package_attribute(reader, "r:id"));
    if (part)
        show->slides[show->count++] = strdup(part);
}

static bool is_set(xmlTextReaderPtr reader, const char *name)
{
    char *value = package_attribute(reader, name);

    return value && (strcmp(value, "1") == 0 || strcmp(value, "true") == 0);
}

static void begin_cell(struct show *show, xmlTextReaderPtr reader)
{
    show->is_merged = is_set(reader, "hMerge") || is_set(reader, "vMerge");
    if (!show->is_merged)
        paragraphs_begin_cell(show->text, package_count(reader, "gridSpan", TABLE_COLUMNS_MAX),
                              package_count(reader, "rowSpan", ROWS_MOST));
}

static void begin_in_slide(void *context, xmlTextReaderPtr reader, const char *name)
{
    struct show *show = context;
    char *type;

    show->in_text = strcmp(name, "t") == 0;
    if (strcmp(name, "sp") == 0) {
        show->is_title = false;
    } else if (strcmp(name, "ph") == 0) {
        type = package_attribute(reader, "type");
        show->is_title = type && (strcmp(type, "title") == 0 || strcmp(type, "ctrTitle") == 0);
    } else if (strcmp(name, "br") == 0) {
        paragraphs_text(show->text, "\n");
    } else if (strcmp(name, "tbl") == 0) {
        paragraphs_begin_table(show->text);
    } else if (strcmp(name, "tr") == 0) {
        paragraphs_begin_row(show->text, false);
    } else if (strcmp(name, "tc") == 0) {
        begin_cell(show, reader);
    }
}

static void end_in_slide(void *context, const char *name)
{
    struct show *show = context;

    show->in_text = false;
    if (strcmp(name, "p") == 0) {
        paragraphs_end(show->text, show->is_title ? 1 : 0, false);
    } else if (strcmp(name, "sp") == 0) {
        show->is_title = false;
    } else if (strcmp(name, "tc") == 0 && !show->is_merged) {
        paragraphs_end_cell(show->text);
    } else if (strcmp(name, "tbl") == 0) {
        paragraphs_end_table(show->text);
    }
}

static void on_text(void *context, const char *text)
{
    struct show *show = context;

    if (show->in_text)
        paragraphs_text(show->text, text);
}

enum format_result format_read_pptx(const char *path, int64_t most, FILE *out)
{
    struct show *show = calloc(1, sizeof *show);
    const struct package_events order = {.begin = begin_in_show, .context = show};
    const struct package_events slide = {begin_in_slide, end_in_slide, on_text, show};
    xmlTextReaderPtr reader;

    if (!show || package_open(path, most, &show->package) != FORMAT_READ)
        return FORMAT_DAMAGED;
    show->text = paragraphs_create(out);
    show->relations = package_relations_of(&show->package, "ppt/presentation.xml");
    reader = package_reader(&show->package, "ppt/presentation.xml", true);
    if (!reader || !package_walk(reader, &order))
        return show->package.result == FORMAT_READ ? FORMAT_DAMAGED : show->package.result;
    for (size_t i = 0; i < show->count; i++) {
        reader = package_reader(&show->package, show->slides[i], false);
        if (reader && !package_walk(reader, &slide))
            return FORMAT_DAMAGED;
        fputc('\f', out);
    }
    return fflush(out) == 0 ? show->package.result : FORMAT_DAMAGED;
}
