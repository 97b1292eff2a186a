/* Parts of zipped documents. Runs in a child process that exits afterwards, so nothing is freed. */
#include "documents/package.h"
#include "documents/docx_parts.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MOST = 20000, RELATIONS_MAX = 20000 };

static void be_silent(void *context, const char *message, ...)
{
    (void)context, (void)message;
}

enum format_result package_open(const char *path, int64_t most, struct package *package)
{
    *package = (struct package){zip_open(path, ZIP_RDONLY, NULL), most, FORMAT_READ};
    if (!package->archive || zip_get_num_entries(package->archive, 0) > ENTRIES_MOST)
        return FORMAT_DAMAGED;
    xmlSetGenericErrorFunc(NULL, be_silent);
    return FORMAT_READ;
}

static char *fail(struct package *package, bool is_needed, enum format_result result)
{
    if (package->result == FORMAT_READ && (is_needed || result == FORMAT_TOO_LARGE))
        package->result = result;
    return NULL;
}

char *package_part(struct package *package, const char *name, bool is_needed, size_t *length)
{
    zip_stat_t about;
    zip_file_t *file;
    char *bytes;
    zip_int64_t got;

    *length = 0;
    if (zip_stat(package->archive, name, 0, &about) != 0 || !(about.valid & ZIP_STAT_SIZE))
        return fail(package, is_needed, FORMAT_DAMAGED);
    if (about.size > (zip_uint64_t)package->left)
        return fail(package, is_needed, FORMAT_TOO_LARGE);
    file = zip_fopen(package->archive, name, 0);
    bytes = malloc(about.size + 1);
    if (!file || !bytes)
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends soon */
        return fail(package, is_needed, FORMAT_DAMAGED);
    got = zip_fread(file, bytes, about.size);
    zip_fclose(file);
    if (got < 0 || (zip_uint64_t)got != about.size)
        return fail(package, is_needed, FORMAT_DAMAGED);
    package->left -= got;
    bytes[got] = '\0';
    *length = (size_t)got;
    return bytes;
}

xmlTextReaderPtr package_reader(struct package *package, const char *name, bool is_needed)
{
    size_t length;
    const char *bytes = package_part(package, name, is_needed, &length);
    xmlTextReaderPtr reader = docx_reader(bytes, length);

    if (bytes && !reader)
        (void)fail(package, is_needed, FORMAT_TOO_MANY_ATTRIBUTES);
    return reader;
}

bool package_walk(xmlTextReaderPtr reader, const struct package_events *events)
{
    int state;

    while ((state = xmlTextReaderRead(reader)) == 1) {
        const char *name = (const char *)xmlTextReaderConstLocalName(reader);
        int type = xmlTextReaderNodeType(reader);
        bool empty = xmlTextReaderIsEmptyElement(reader) == 1;

        if (type == XML_READER_TYPE_ELEMENT && events->begin)
            events->begin(events->context, reader, name);
        if (((type == XML_READER_TYPE_ELEMENT && empty) || type == XML_READER_TYPE_END_ELEMENT) &&
            events->end)
            events->end(events->context, name);
        if ((type == XML_READER_TYPE_TEXT || type == XML_READER_TYPE_CDATA ||
             type == XML_READER_TYPE_SIGNIFICANT_WHITESPACE) &&
            events->text)
            events->text(events->context, (const char *)xmlTextReaderConstValue(reader));
    }
    return state == 0;
}

char *package_attribute(xmlTextReaderPtr reader, const char *name)
{
    return (char *)xmlTextReaderGetAttribute(reader, BAD_CAST name);
}

size_t package_count(xmlTextReaderPtr reader, const char *name, size_t most)
{
    long value = docx_number(reader, name, 1);

    return value < 1 ? 1 : (size_t)value > most ? most : (size_t)value;
}

struct package_relations {
    struct {
        char *id, *target;
    } items[RELATIONS_MAX];
    size_t count;
};

static void add_relation(void *context, xmlTextReaderPtr reader, const char *name)
{
    struct package_relations *relations = context;
    char *mode;

    if (strcmp(name, "Relationship") != 0 || relations->count == RELATIONS_MAX)
        return;
    mode = package_attribute(reader, "TargetMode");
    if (mode && strcmp(mode, "External") == 0)
        return;
    relations->items[relations->count].id = package_attribute(reader, "Id");
    relations->items[relations->count].target = package_attribute(reader, "Target");
    if (relations->items[relations->count].id && relations->items[relations->count].target)
        relations->count++;
}

static char *text_of_parts(const char *first, size_t length, const char *second, const char *third)
{
    char *text = malloc(length + strlen(second) + strlen(third) + 1);

    if (!text)
        abort(); /* a child without memory ends like one killed for it */
    memcpy(text, first, length);
    memcpy(text + length, second, strlen(second));
    memcpy(text + length + strlen(second), third, strlen(third) + 1);
    return text;
}

char *package_path(const char *from, const char *target)
{
    const char *slash = strrchr(from, '/');
    size_t length = slash ? (size_t)(slash - from) + 1 : 0;

    if (*target == '/')
        return text_of_parts("", 0, target + 1, "");
    while (strncmp(target, "../", 3) == 0) {
        target += 3;
        if (length)
            length--;
        while (length && from[length - 1] != '/')
            length--;
    }
    return text_of_parts(from, length, target, "");
}

struct package_relations *package_relations_of(struct package *package, const char *part)
{
    struct package_relations *relations = calloc(1, sizeof *relations);
    const char *slash = strrchr(part, '/');
    size_t folder = slash ? (size_t)(slash - part) + 1 : 0;
    char *file = text_of_parts(part + folder, strlen(part + folder), ".rels", "");
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends with this call */
    xmlTextReaderPtr reader =
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends with this call */
        package_reader(package, text_of_parts(part, folder, "_rels/", file), false);
    struct package_events events = {.begin = add_relation, .context = relations};

    if (!relations)
        abort();
    if (reader)
        (void)package_walk(reader, &events);
    for (size_t i = 0; i < relations->count; i++)
        relations->items[i].target = package_path(part, relations->items[i].target);
    return relations;
}

const char *package_target(const struct package_relations *relations, const char *id)
{
    for (size_t i = 0; id && i < relations->count; i++)
        if (strcmp(relations->items[i].id, id) == 0)
            return relations->items[i].target;
    return NULL;
}
