/* Parses models' replies: strict about content, tolerant about format. */
#include "support/models/replies.h"
#include "base/json.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SCORE_MOST = 100, SCORE_DIGITS = 3, REPLY_DEPTH = 8, LINES_MAX = 200 };

/* The whole number at `text`, alone or of 100: its end; NULL when there is none, or it is another
 * kind of number. 0 in `score` when it is not within 1 to 100. */
static const char *read_score(const char *text, int *score)
{
    size_t digits = strspn(text, "0123456789");
    const char *end = text + digits;

    if (!digits)
        return NULL;
    *score = digits <= SCORE_DIGITS ? (int)strtol(text, NULL, 10) : 0;
    if (*score > SCORE_MOST)
        *score = 0;
    if (strncmp(end, "/100", 4) == 0)
        end += 4;
    else if (*end == '/')
        return NULL;
    if (isdigit((unsigned char)*end) ||
        (strchr(".,", *end) && *end && isdigit((unsigned char)end[1])))
        return NULL;
    return end;
}

/* The score by `Score: N` and `N/100`: 0 when they differ, or there is none. */
static int score_in_prose(const char *text)
{
    static const char name[] = "score", frame[] = " \t*_\"'`";
    int said = 0;

    for (const char *at = text; *at; at++) {
        const char *number = at, *end;
        bool named = strncasecmp(at, name, sizeof name - 1) == 0;
        int score;

        if (named) {
            number += sizeof name - 1;
            number += strspn(number, frame);
            if (!*number || !strchr(":=", *number))
                continue;
            number += 1 + strspn(number + 1, frame);
        } else if (at > text && (isdigit((unsigned char)at[-1]) || strchr(".,-/", at[-1]))) {
            continue;
        }
        end = read_score(number, &score);
        if (!named && (!end || end[-1] != '0' || end - number < 5))
            continue; /* "N/100" has five characters at least */
        if (!end || !score || (said && said != score))
            return 0;
        said = score;
        at = end - 1;
    }
    return said;
}

bool model_reply_score(const char *text, int *score)
{
    const char *end;

    text += strspn(text, " \t\r\n*\"'`");
    end = read_score(text, score);
    if (!end || end[strspn(end, " \t\r\n*\"'`.%")])
        *score = score_in_prose(text);
    return *score > 0;
}

const char *model_reply_complexity(const char *text)
{
    text += strspn(text, " \t\r\n\"*");
    if (strncasecmp(text, "SIMPLE", 6) == 0)
        return "simple";
    if (strncasecmp(text, "GLOBAL", 6) == 0 || strncasecmp(text, "MULTI_HOP", 9) == 0 ||
        strncasecmp(text, "MULTIHOP", 8) == 0)
        return "global";
    return "complex";
}

const char *model_reply_line(struct arena *arena, const char *text)
{
    size_t length;

    text += strspn(text, " \t\r\n\"'`");
    length = strcspn(text, "\r\n");
    while (length && strchr(" \t\"'`", text[length - 1]))
        length--;
    text = arena_copy(arena, text, length);
    return utf8_count(text) < 3 ? NULL : text;
}

/* Past a bullet, or a number with a full stop or a bracket, and the blanks after it. */
static const char *past_bullet(const char *line)
{
    size_t digits = strspn(line, "0123456789");

    if (digits && digits < 4 && strchr(".):", line[digits]) && line[digits])
        line += digits + 1;
    else if (strchr("-*", *line) && *line)
        line++;
    else if (strncmp(line, "\xe2\x80\xa2", 3) == 0)
        line += 3;
    return line + strspn(line, " \t");
}

size_t model_reply_lines(struct arena *arena, const char *text, bool marked, const char **lines,
                         size_t most)
{
    size_t count = 0;

    while (*text && count < most) {
        size_t length = strcspn(text, "\r\n");
        const char *line = text_trimmed(arena, text, length);

        if (*line && (!marked || strncmp(line, "- ", 2) == 0)) {
            line = past_bullet(line);
            if (*line)
                lines[count++] = line;
        }
        text += length + strspn(text + length, "\r\n");
    }
    return count;
}

/* 1 yes, 0 no, -1 neither. */
static int verdict_word(const char *text)
{
    static const char *const words[] = {"yes", "true",  "relevant",   "supported",   "1",
                                        "no",  "false", "irrelevant", "unsupported", "0"};
    enum { YES_WORDS = 5 };
    size_t length;

    text += strspn(text, " \t\"*");
    for (length = 0; isalnum((unsigned char)text[length]);)
        length++;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == length && strncasecmp(text, words[i], length) == 0)
            return i < YES_WORDS;
    return -1;
}

static int verdict_value(const json_t *value)
{
    if (json_is_boolean(value))
        return json_is_true(value);
    if (json_is_integer(value))
        return json_integer_value(value) == 1 ? 1 : json_integer_value(value) == 0 ? 0 : -1;
    return json_is_string(value) ? verdict_word(json_string_value(value)) : -1;
}

/* The documents covered so far: -1 not yet. */
struct grades {
    int *values;
    size_t count, given;
};

static bool put_grade(struct grades *grades, int64_t place, int verdict)
{
    if (place < 1 || place > (int64_t)grades->count || verdict < 0 ||
        grades->values[place - 1] >= 0)
        return false;
    grades->values[place - 1] = verdict;
    grades->given++;
    return true;
}

static bool grades_from_json(const json_t *document, struct grades *grades)
{
    static const char *const keys[] = {"grades", "documents", "results"};
    const json_t *list = document;

    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && !json_is_array(list); i++)
        list = json_object_get(document, keys[i]);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);

        if (!put_grade(grades, json_integer_value(json_object_get(item, "index")),
                       verdict_value(json_object_get(item, "relevant"))))
            return false;
    }
    return grades->given == grades->count;
}

/* The JSON in a reply, from its first bracket to the last one that fits. */
static json_t *find_json(struct arena *arena, const char *text)
{
    const char *start = strpbrk(text, "{[");
    const char *end = start ? strrchr(start, *start == '{' ? '}' : ']') : NULL;
    struct json_fault fault;
    json_t *document;

    if (!end || json_read(arena, start, (size_t)(end - start) + 1, REPLY_DEPTH, &document, &fault))
        return NULL;
    return document;
}

static void forget(struct grades *grades)
{
    for (size_t i = 0; i < grades->count; i++)
        grades->values[i] = -1;
    grades->given = 0;
}

static bool grades_from_named_lines(const char *const *lines, size_t count, struct grades *grades)
{
    static const char name[] = "document";

    for (size_t i = 0; i < count; i++) {
        const char *line = lines[i];
        char *end;
        long place;

        if (strncasecmp(line, name, sizeof name - 1) != 0)
            continue;
        place = strtol(line + sizeof name - 1, &end, 10);
        end += strspn(end, " \t");
        if (*end != ':' || !put_grade(grades, place, verdict_word(end + 1)))
            return false;
    }
    return grades->given == grades->count;
}

static bool grades_from_bare_lines(const char *const *lines, size_t count, struct grades *grades)
{
    if (count != grades->count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!put_grade(grades, (int64_t)i + 1, verdict_word(lines[i])))
            return false;
    return true;
}

bool model_reply_grades(struct arena *arena, const char *text, size_t count, bool *relevant)
{
    struct grades grades = {ARENA_ARRAY(arena, int, count + 1), count, 0};
    const char *lines[LINES_MAX];
    size_t line_count = model_reply_lines(arena, text, false, lines, LINES_MAX);
    json_t *document = find_json(arena, text);
    bool whole;

    forget(&grades);
    whole = document && grades_from_json(document, &grades);
    if (!whole) {
        forget(&grades);
        whole = grades_from_named_lines(lines, line_count, &grades);
    }
    if (!whole) {
        forget(&grades);
        whole = grades_from_bare_lines(lines, line_count, &grades);
    }
    for (size_t i = 0; whole && i < count; i++)
        relevant[i] = grades.values[i] == 1;
    return whole;
}

bool model_reply_verdicts(struct arena *arena, const char *text, size_t count, bool *supported,
                          const char **evidence)
{
    bool any = false;

    for (size_t i = 0; i < count; i++) {
        supported[i] = false;
        evidence[i] = "";
    }
    while (*text) {
        size_t length = strcspn(text, "\r\n"), place;
        const char *line = text_trimmed(arena, text, length), *colon;
        char *end;

        place = (size_t)strtol(line, &end, 10);
        text += length + strspn(text + length, "\r\n");
        end += strspn(end, ".): \t");
        if (place < 1 || place > count ||
            (strncasecmp(end, "SUPPORTED", 9) != 0 && strncasecmp(end, "UNSUPPORTED", 11) != 0))
            continue;
        any = true;
        supported[place - 1] = strncasecmp(end, "SUPPORTED", 9) == 0;
        colon = strchr(end, ':');
        evidence[place - 1] =
            supported[place - 1] && colon ? text_trimmed(arena, colon + 1, strlen(colon + 1)) : "";
    }
    return any;
}
