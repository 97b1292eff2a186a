/* Where parsing of a document stopped: the record of a list, and the member. A client that sent a
 * thousand records learns which one is malformed. */
#include "http/http_internal.h"

enum { LEVELS_MAX = 16, PLACE_MAX = 512, KEY_SHOWN_MAX = 64 };

/* An array with the index of its item, or an object with the key of its member. */
struct level {
    bool array;
    int64_t index;
    const char *key; /* in the document; NULL = none yet */
    size_t key_length;
};

struct walk {
    size_t depth;
    struct level levels[LEVELS_MAX];
    const char *word; /* the last string */
    size_t word_length;
};

/* Returns the position after the quote that ends the string. `at` is after the opening quote. */
static const char *pass_string(struct walk *walk, const char *at, const char *end)
{
    walk->word = at;
    while (at < end && *at != '"')
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    walk->word_length = (size_t)(at - walk->word);
    return at < end ? at + 1 : at;
}

/* False when the document is nested deeper than this reports. */
static bool take_mark(struct walk *walk, char mark)
{
    struct level *top = walk->depth ? &walk->levels[walk->depth - 1] : NULL;

    switch (mark) {
    case '[':
    case '{':
        if (walk->depth == LEVELS_MAX)
            return false;
        walk->levels[walk->depth++] = (struct level){.array = mark == '['};
        return true;
    case ']':
    case '}':
        walk->depth -= walk->depth > 0;
        return true;
    case ',':
        if (top) {
            top->index++;
            top->key = NULL;
            top->key_length = 0;
        }
        return true;
    case ':':
        if (top && !top->array) {
            top->key = walk->word;
            top->key_length = walk->word_length < KEY_SHOWN_MAX ? walk->word_length : 0;
        }
        return true;
    default:
        return true;
    }
}

const char *json_path_at(struct arena *arena, const char *bytes, size_t offset)
{
    const char *at = bytes, *end = bytes + offset;
    struct walk walk = {0};
    bool in_record = false;
    struct text place;

    while (at < end) {
        if (*at == '"')
            at = pass_string(&walk, at + 1, end);
        else if (!take_mark(&walk, *at++))
            return NULL;
    }
    text_start(&place, arena, PLACE_MAX);
    for (size_t i = 0; i < walk.depth; i++) {
        const struct level *level = &walk.levels[i];

        in_record = in_record || (i > 0 && !level->array && walk.levels[i - 1].array);
        if (!level->array && !level->key_length)
            break;
        if (place.length)
            text_append_byte(&place, '.');
        if (level->array)
            text_append_format(&place, "%lld", (long long)level->index);
        else
            text_append(&place, level->key, level->key_length);
    }
    if (!in_record || utf8_valid_prefix(place.bytes, place.length) != place.length)
        return NULL;
    return place.bytes;
}
