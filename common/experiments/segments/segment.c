/* Schema and rules of a segment, and the lines of its list. */
#include "experiments/segments/segment.h"

#include "base/text.h"

#include <string.h>

enum { DESCRIPTION_MAX_LENGTH = 2000 };

#define OWNER struct segment_definition
static const struct field definition_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = SEGMENT_NAME_MAX,
           .help = "By which rules ask for the segment; no two have the same."),
    STRING(OWNER, description, .max_length = DESCRIPTION_MAX_LENGTH, .default_text = ""),
    CHOICE(OWNER, match, targeting_match_names, .choice_count = TARGETING_MATCH__MAX,
           .help = "How many of the rules must hold."),
    OBJECTS(OWNER, rules, targeting_rule_schema, .max_length = TARGETING_RULES_MAX,
            .help = "Users for whom they hold belong to the segment, beside those of the list. "
                    "Without rules the list alone counts."),
};
#undef OWNER

static bool rules_name_no_segment(const void *object)
{
    const struct segment_definition *definition = object;
    const struct targeting_rule *rules = definition->rules.items;

    for (size_t i = 0; i < definition->rules.count; i++)
        if (targeting_names_segment(&rules[i]))
            return false;
    return true;
}

static const struct schema_rule definition_rules[] = {
    {"errors.schemas.segment_rules_nest", rules_name_no_segment},
};

SCHEMA(segment_definition_schema, struct segment_definition, "SegmentDefinition", definition_fields,
       .help = "A named group of users.", RULES(definition_rules),
       .example = "{\"name\":\"Beta testers\",\"description\":\"Signed up in the app\","
                  "\"match\":\"all\",\"rules\":[{\"attribute\":\"plan\",\"operator\":\"in\","
                  "\"value\":[\"team\",\"business\"]}]}");
SCHEMA(segment_definition_stored_schema, struct segment_definition, "SegmentDefinitionStored",
       definition_fields, .extra = EXTRA_STORED);

static const char byte_order_mark[] = "\xef\xbb\xbf";

struct segment_lines segment_lines_start(char *bytes, size_t length)
{
    struct segment_lines lines = {.at = bytes, .end = bytes + length};

    if (length >= strlen(byte_order_mark) &&
        memcmp(bytes, byte_order_mark, strlen(byte_order_mark)) == 0)
        lines.at += strlen(byte_order_mark);
    return lines;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

/* The line without blanks around it, with a NUL behind it. */
static char *cut_line(struct segment_lines *lines, size_t *length)
{
    char *line = lines->at;
    char *stop = memchr(line, '\n', (size_t)(lines->end - line));

    if (!stop)
        stop = lines->end;
    lines->at = stop < lines->end ? stop + 1 : stop;
    lines->line++;
    while (line < stop && is_blank(*line))
        line++;
    while (line < stop && is_blank(stop[-1]))
        stop--;
    *stop = '\0';
    *length = (size_t)(stop - line);
    return line;
}

/* Removes the quotes where the text lies; false when nothing closes them. */
static bool unquote(char *text)
{
    char *out = text;

    for (const char *in = text + 1; *in; in++) {
        if (*in == '"' && *++in != '"') {
            *out = '\0';
            return true;
        }
        *out++ = *in;
    }
    return false;
}

static void end_column(char *text)
{
    size_t length = strcspn(text, ",;\t");

    while (length > 0 && is_blank(text[length - 1]))
        length--;
    text[length] = '\0';
}

static const char *check_user(const char *user)
{
    if (!*user)
        return "the line has no user id in its first column";
    return utf8_count(user) > SEGMENT_USER_MAX ? "a user id has at most 200 characters" : NULL;
}

enum segment_line segment_lines_next(struct segment_lines *lines, const char **user,
                                     const char **wrong)
{
    char *line = NULL;
    size_t length = 0;

    while (length == 0 && lines->at < lines->end)
        line = cut_line(lines, &length);
    if (length == 0)
        return SEGMENT_LINE_END;
    *user = line;
    *wrong = NULL;
    if (length > SEGMENT_LINE_MAX)
        *wrong = "the line is too long";
    else if (strlen(line) != length || utf8_valid_prefix(line, length) != length)
        *wrong = "the line is no text in UTF-8";
    else if (*line == '"')
        *wrong = unquote(line) ? NULL : "nothing closes the quotation mark";
    else
        end_column(line);
    if (!*wrong)
        *wrong = check_user(line);
    return *wrong ? SEGMENT_LINE_WRONG : SEGMENT_LINE_USER;
}
