/* Stems: which stemmer a word wants, and one stemmer per language and process. */
#include "text/stem.h"

#include <libstemmer.h>
#include <string.h>

/* The names libstemmer knows; NULL where it has none. */
static const char *const algorithms[LANGUAGE__MAX] = {
    [LANGUAGE_EN] = "english",   [LANGUAGE_DE] = "german",   [LANGUAGE_FR] = "french",
    [LANGUAGE_ES] = "spanish",   [LANGUAGE_IT] = "italian",  [LANGUAGE_PT] = "portuguese",
    [LANGUAGE_NL] = "dutch",     [LANGUAGE_TR] = "turkish",  [LANGUAGE_SV] = "swedish",
    [LANGUAGE_RU] = "russian",   [LANGUAGE_EL] = "greek",    [LANGUAGE_AR] = "arabic",
    [LANGUAGE_HI] = "hindi",     [LANGUAGE_FI] = "finnish",  [LANGUAGE_DA] = "danish",
    [LANGUAGE_NO] = "norwegian", [LANGUAGE_RO] = "romanian", [LANGUAGE_HU] = "hungarian",
};

static struct sb_stemmer *stemmers[LANGUAGE__MAX];

static struct sb_stemmer *stemmer_of(enum language language)
{
    if (!algorithms[language])
        return NULL;
    if (!stemmers[language])
        stemmers[language] = sb_stemmer_new(algorithms[language], NULL);
    return stemmers[language];
}

enum language stem_language(enum language language, const struct word *word)
{
    int32_t first = 0;

    if (word->pair || word->digits || !word->length)
        return LANGUAGE_UNKNOWN;
    letter_read(word->text, word->length, &first);
    switch (script_of(first)) {
    case SCRIPT_LATIN:
        return language_script(language) == SCRIPT_LATIN ? language : LANGUAGE_EN;
    case SCRIPT_CYRILLIC: /* Ukrainian and Belarusian words lose more than they gain by it */
        return language == LANGUAGE_UK || language == LANGUAGE_BE ? LANGUAGE_UNKNOWN : LANGUAGE_RU;
    case SCRIPT_GREEK:
        return LANGUAGE_EL;
    case SCRIPT_ARABIC:
        return language == LANGUAGE_FA ? LANGUAGE_UNKNOWN : LANGUAGE_AR;
    case SCRIPT_DEVANAGARI:
        return LANGUAGE_HI;
    default:
        return LANGUAGE_UNKNOWN;
    }
}

size_t stem_word(enum language language, const struct word *word, char stem[WORD_BYTES_MAX + 1])
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
