/* Stems: which stemmer a word wants, and one stemmer per language and process. */
#include "text/stem.h"

#include <libstemmer.h>
#include <string.h>

/* The names libstemmer knows; NULL where it has none. */
static const char *const algorithms[TEXT_LANGUAGE__MAX] = {
    [TEXT_EN] = "english",  [TEXT_DE] = "german",     [TEXT_FR] = "french", [TEXT_ES] = "spanish",
    [TEXT_IT] = "italian",  [TEXT_PT] = "portuguese", [TEXT_NL] = "dutch",  [TEXT_TR] = "turkish",
    [TEXT_SV] = "swedish",  [TEXT_RU] = "russian",    [TEXT_EL] = "greek",  [TEXT_AR] = "arabic",
    [TEXT_HI] = "hindi",    [TEXT_FI] = "finnish",    [TEXT_DA] = "danish", [TEXT_NO] = "norwegian",
    [TEXT_RO] = "romanian", [TEXT_HU] = "hungarian",
};

static struct sb_stemmer *stemmers[TEXT_LANGUAGE__MAX];

static struct sb_stemmer *stemmer_of(enum text_language language)
{
    if (!algorithms[language])
        return NULL;
    if (!stemmers[language])
        stemmers[language] = sb_stemmer_new(algorithms[language], NULL);
    return stemmers[language];
}

enum text_language stem_language(enum text_language language, const struct word *word)
{
    int32_t first = 0;

    if (word->pair || word->digits || !word->length)
        return TEXT_UNKNOWN;
    letter_read(word->text, word->length, &first);
    switch (script_of(first)) {
    case SCRIPT_LATIN:
        return language_script(language) == SCRIPT_LATIN ? language : TEXT_EN;
    case SCRIPT_CYRILLIC: /* Ukrainian and Belarusian words lose more than they gain by it */
        return language == TEXT_UK || language == TEXT_BE ? TEXT_UNKNOWN : TEXT_RU;
    case SCRIPT_GREEK:
        return TEXT_EL;
    case SCRIPT_ARABIC:
        return language == TEXT_FA ? TEXT_UNKNOWN : TEXT_AR;
    case SCRIPT_DEVANAGARI:
        return TEXT_HI;
    default:
        return TEXT_UNKNOWN;
    }
}

size_t stem_word(enum text_language language, const struct word *word,
                 char stem[WORD_BYTES_MAX + 1])
{
    struct sb_stemmer *stemmer = word->pair || word->digits ? NULL : stemmer_of(language);
    const char *found = word->text;
    size_t length = word->length;

    if (stemmer) {
        const sb_symbol *stemmed =
            sb_stemmer_stem(stemmer, (const sb_symbol *)word->text, (int)word->length);
        int stemmed_length = sb_stemmer_length(stemmer);

        if (stemmed && stemmed_length > 0 && stemmed_length <= WORD_BYTES_MAX) {
            found = (const char *)stemmed;
            length = (size_t)stemmed_length;
        }
    }
    memcpy(stem, found, length);
    stem[length] = '\0';
    return length;
}
