/* Strict reading of JSON with Jansson. Its allocations come from the arena of the document being
 * read, so that no value has to be freed. */
#include "base/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_LIMIT = 16 * 1024 * 1024 };

/* The arena that Jansson uses now. Workers are single-threaded processes. */
static struct arena *current_arena;

/* Jumps out of Jansson to the arena's recovery point when memory runs out; all memory of Jansson is
 * the arena's. If this returned NULL, Jansson would report a valid document as malformed, or lose a
 * member. */
static void *allocate(size_t size)
{
    return arena_alloc(current_arena, size);
}

static void release(void *memory)
{
    (void)memory; /* the arena's reset does it */
}

/* Jansson reads recursively up to 2048 levels; our limit is lower, checked before it starts. */
static bool too_deep(const char *bytes, size_t length, int limit, size_t *offset)
{
    int depth = 0;
    bool in_string = false;

    for (size_t i = 0; i < length; i++) {
        if (in_string) {
            if (bytes[i] == '\\')
                i++;
            else if (bytes[i] == '"')
                in_string = false;
        } else if (bytes[i] == '"') {
            in_string = true;
        } else if (bytes[i] == '[' || bytes[i] == '{') {
            if (++depth > limit) {
                *offset = i;
                return true;
            }
        } else if (bytes[i] == ']' || bytes[i] == '}') {
            depth--;
        }
    }
    return false;
}

static enum error fault_at(struct json_fault *fault, size_t offset, const char *text)
{
    fault->offset = offset;
    snprintf(fault->text, sizeof fault->text, "%s", text);
    return ERROR_MALFORMED;
}

enum error json_read(struct arena *arena, const char *bytes, size_t length, int depth,
                     json_t **document, struct json_fault *fault)
{
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY;
    size_t offset = utf8_valid_prefix(bytes, length);
    json_error_t error;

    if (offset < length)
        return fault_at(fault, offset, "invalid UTF-8");
    if (too_deep(bytes, length, depth, &offset))
        return fault_at(fault, offset, "nested too deeply");
    current_arena = arena;
    json_set_alloc_funcs(allocate, release);
    *document = json_loadb(bytes, length, flags, &error);
    if (!*document && json_error_code(&error) == json_error_numeric_overflow)
        *document = json_loadb(bytes, length, flags | JSON_DECODE_INT_AS_REAL, &error);
    if (*document)
        return ERROR_NONE;
    return fault_at(fault, error.position > 0 ? (size_t)error.position : 0, error.text);
}

/* Reads exactly `size` bytes; later bytes of the file are ignored. */
static bool read_whole(const char *path, char *bytes, size_t size)
{
    FILE *file = fopen(path, "rbe");
    bool complete = file && fread(bytes, 1, size, file) == size;

    if (file)
        fclose(file);
    return complete;
}

enum error json_read_file(struct arena *arena, const char *path, json_t **document,
                          struct problem *problem)
{
    struct json_fault fault;
    struct stat status;
    char *bytes;

    if (stat(path, &status) != 0)
        return problem_set(problem, errno == ENOENT ? ERROR_NOT_FOUND : ERROR_SYSTEM,
                           "file_unreadable", "%s: %s", path, strerror(errno));
    if (status.st_size > FILE_LIMIT)
        return problem_set(problem, ERROR_TOO_LARGE, "file_unreadable", "%s: file too large", path);
    bytes = arena_alloc(arena, (size_t)status.st_size);
    if (!read_whole(path, bytes, (size_t)status.st_size))
        return problem_set(problem, ERROR_SYSTEM, "file_unreadable", "%s: cannot be read", path);
    if (json_read(arena, bytes, (size_t)status.st_size, JSON_DEPTH_LIMIT, document, &fault))
        return problem_set(problem, ERROR_MALFORMED, "file_malformed", "%s: %s at byte %zu", path,
                           fault.text, fault.offset);
    return ERROR_NONE;
}

struct string_list json_strings(struct arena *arena, const json_t *array)
{
    struct string_list strings = {.items =
                                      ARENA_ARRAY(arena, const char *, json_array_size(array))};
    const json_t *item;
    size_t i;

    json_array_foreach(array, i, item)
    {
        if (json_is_string(item))
            strings.items[strings.count++] = json_string_value(item);
    }
    return strings;
}
