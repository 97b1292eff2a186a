/* N-grams of a word: cut at its characters, identified by a hash of their bytes. */
#include "support/matching/ngrams.h"
#include "support/matching/synonyms.h"

#include <string.h>

/* Pieces of `length` characters from each place on; the last place is the end. */
static size_t add_ngrams(uint32_t *ngrams, const char *text, const size_t *places, size_t count,
                         size_t length)
{
    size_t added = 0;

    for (size_t i = 0; i + length <= count; i++)
        ngrams[added++] = (uint32_t)stem_hash(text + places[i], places[i + length] - places[i]);
    return added;
}

size_t word_ngrams(const struct word *word, bool ended, uint32_t *ngrams)
{
    char marked[WORD_BYTES_MAX + 3] = "^";
    size_t places[WORD_BYTES_MAX + 4] = {0}, length, count = 0, added;

    memcpy(marked + 1, word->text, word->length);
    length = 1 + word->length;
    if (ended && !word->pair)
        marked[length++] = '$';
    for (size_t i = 0; i < length; i++) {
        if (((unsigned char)marked[i] & 0xc0) != 0x80)
            places[count++] = i;
    }
    places[count] = length;
    if (word->pair)
        return add_ngrams(ngrams, marked, places + 1, count - 1, 1);
    added = add_ngrams(ngrams, marked, places, count, 3);
    return added + add_ngrams(ngrams + added, marked, places + 1, count - 1, 2);
}
