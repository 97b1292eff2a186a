/* Finds the position of a value in a JSON text, for error messages: a parsed value does not record
 * its position. Reads only documents that json_read() has accepted. */
#include "base/json.h"

#include <string.h>

struct cursor {
    const char *at, *end;
};

static void skip_blanks(struct cursor *cursor)
{
    while (cursor->at < cursor->end && strchr(" \t\r\n", *cursor->at))
        cursor->at++;
}

/* `at` moves from the opening quotation mark to the position after the closing one. */
static void skip_string(struct cursor *cursor)
{
    for (cursor->at++; cursor->at < cursor->end && *cursor->at != '"'; cursor->at++)
        if (*cursor->at == '\\')
            cursor->at++;
    cursor->at++;
}

static void skip_value(struct cursor *cursor)
{
    int depth = 0;

    while (cursor->at < cursor->end) {
        char byte = *cursor->at;

        if (!depth && strchr(",]}", byte))
            return;
        depth += byte == '[' || byte == '{';
        depth -= byte == ']' || byte == '}';
        if (byte == '"')
            skip_string(cursor);
        else
            cursor->at++;
    }
}

/* Moves to the next element, or to the closing bracket. */
static void skip_element(struct cursor *cursor)
{
    skip_blanks(cursor);
    skip_value(cursor);
    if (cursor->at < cursor->end && *cursor->at == ',')
        cursor->at++;
    skip_blanks(cursor);
}

/* Enters an array and moves to the element at `index`. */
static bool enter_element(struct cursor *cursor, size_t index)
{
    if (cursor->at >= cursor->end || *cursor->at != '[')
        return false;
    cursor->at++;
    skip_blanks(cursor);
    while (index-- && cursor->at < cursor->end && *cursor->at != ']')
        skip_element(cursor);
    return cursor->at < cursor->end && *cursor->at != ']';
}

/* Enters an object and moves to the value of the member. */
static bool enter_member(struct cursor *cursor, const char *name, size_t length)
{
    if (cursor->at >= cursor->end || *cursor->at != '{')
        return false;
    cursor->at++;
    skip_blanks(cursor);
    while (cursor->at < cursor->end && *cursor->at == '"') {
        const char *key = cursor->at + 1;
        bool same;

        skip_string(cursor);
        same = (size_t)(cursor->at - 1 - key) == length && memcmp(key, name, length) == 0;
        skip_blanks(cursor);
        cursor->at++; /* the colon */
        skip_blanks(cursor);
        if (same)
            return cursor->at < cursor->end;
        skip_element(cursor);
    }
    return false;
}

static bool enter(struct cursor *cursor, const char **path)
{
    size_t length, index = 0;

    if (**path != '[') {
        const char *name = *path + (**path == '.');

        length = strcspn(name, ".[");
        *path = name + length;
        return enter_member(cursor, name, length);
    }
    for (++*path; **path >= '0' && **path <= '9'; ++*path)
        index = index * 10 + (size_t)(**path - '0');
    *path += **path == ']';
    return enter_element(cursor, index);
}

size_t json_line_of(const char *bytes, size_t length, const char *path)
{
    struct cursor cursor = {bytes, bytes + length}, found;
    size_t line = 1;

    skip_blanks(&cursor);
    found = cursor;
    while (*path && enter(&cursor, &path))
        found = cursor;
    for (const char *at = bytes; at < found.at; at++)
        line += *at == '\n';
    return line;
}
