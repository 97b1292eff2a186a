/* Terms of words: stems by the language of the text, four-grams independent of it. */
#include "search/terms.h"
#include "text/stem.h"

#include <string.h>

size_t term_stem(enum text_language text_language, const struct word *word,
                 char stem[WORD_BYTES_MAX + 1])
{
    return stem_word(stem_language(text_language, word), word, stem);
}

/* The byte offset of each character of `^word`, and of the end; returns the number of
 * characters. */
static size_t character_places(const char *marked, size_t length, size_t places[WORD_BYTES_MAX + 2])
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++) {
        if (((unsigned char)marked[i] & 0xc0) != 0x80)
            places[count++] = i;
    }
    places[count] = length;
    return count;
}

size_t term_grams(const struct word *word, struct term_gram grams[TERM_GRAMS_MAX])
{
    char marked[WORD_BYTES_MAX + 1];
    size_t places[WORD_BYTES_MAX + 2], characters, count = 0;

    if (word->pair || word->digits || word->length < TERM_GRAM_LENGTH)
        return 0;
    marked[0] = '^';
    memcpy(marked + 1, word->text, word->length);
    characters = character_places(marked, word->length + 1, places);
    if (characters <= TERM_GRAM_LENGTH)
        return 0;
    for (size_t i = 0; i + TERM_GRAM_LENGTH <= characters && count < TERM_GRAMS_MAX; i++) {
        size_t length = places[i + TERM_GRAM_LENGTH] - places[i];

        grams[count].bytes[0] = TERM_GRAM_MARK;
        memcpy(grams[count].bytes + 1, marked + places[i], length);
        grams[count++].length = length + 1;
    }
    return count;
}
