/* Tells names from other words by their capitals, in scripts that have them. */
#include "support/answer/names.h"

bool name_is_capital(const char *text, const struct word *word)
{
    int32_t written, folded;
    size_t length = letter_read(text + word->start, word->end - word->start, &written);

    return length && !word->pair && word->letters &&
           letter_read(word->text, word->length, &folded) && written != folded;
}
