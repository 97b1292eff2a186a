/* Strict reading of JSON with Jansson. Its memory is redirected to the arena of the document being
 * read, so that nothing has to be given back value by value. */
#include "base/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FILE_LIMIT = 16 * 1024 * 1024 };

/* Whose memory Jansson uses now. Workers are single-threaded processes. */
static struct arena *current_arena;

static void *allocate(size_t size)
{
    return arena_try_alloc(current_arena, size);
}

static void release(void *memory)
{
    (void)memory; /* the arena's reset does it */
}

/* Jansson reads recursively up to 2048 levels; our limit is lower, counted before it starts. */
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

enum error json_read_file(struct arena *arena, const char *path, json_t **document,
                          struct problem *problem)
{
    struct json_fault fault;
    FILE *file = fopen(path, "rbe");
    struct text bytes;
    char chunk[8192];
    size_t count;
    bool failed;

    if (!file)
        return problem_set(problem, errno == ENOENT ? ERROR_NOT_FOUND : ERROR_SYSTEM,
                           "file_unreadable", "%s: %s", path, strerror(errno));
    text_start(&bytes, arena, FILE_LIMIT);
    while ((count = fread(chunk, 1, sizeof chunk, file)) > 0)
        text_append(&bytes, chunk, count);
    failed = ferror(file) != 0;
    fclose(file);
    if (failed || bytes.overflowed)
        return problem_set(problem, failed ? ERROR_SYSTEM : ERROR_TOO_LARGE, "file_unreadable",
                           "%s: %s", path, failed ? "read error" : "file too large");
    if (json_read(arena, bytes.bytes, bytes.length, JSON_DEPTH_LIMIT, document, &fault))
        return problem_set(problem, ERROR_MALFORMED, "file_malformed", "%s: %s at byte %zu", path,
                           fault.text, fault.offset);
    return ERROR_NONE;
}
