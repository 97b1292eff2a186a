/* Stems: selects the stemmer of a word, keeps one stemmer per language and process, and caches
 * recent stems, because searches stem the same words repeatedly. */
#include "text/stem.h"

#include <libstemmer.h>
#include <string.h>

/* Their names in libstemmer; NULL where it has none. */
static const char *const algorithms[TEXT_LANGUAGE__MAX] = {
    [TEXT_EN] = "english",  [TEXT_DE] = "german",     [TEXT_FR] = "french", [TEXT_ES] = "spanish",
    [TEXT_IT] = "italian",  [TEXT_PT] = "portuguese", [TEXT_NL] = "dutch",  [TEXT_TR] = "turkish",
    [TEXT_SV] = "swedish",  [TEXT_RU] = "russian",    [TEXT_EL] = "greek",  [TEXT_AR] = "arabic",
    [TEXT_HI] = "hindi",    [TEXT_FI] = "finnish",    [TEXT_DA] = "danish", [TEXT_NO] = "norwegian",
    [TEXT_RO] = "romanian", [TEXT_HU] = "hungarian",
};

static struct sb_stemmer *stemmers[TEXT_LANGUAGE__MAX];

enum { KEPT_STEMS = 4096, KEPT_BYTES = 30 }; /* 252 KiB; longer words are not kept */

/* A word and its stem; each slot holds the last word with its hash. */
struct kept_stem {
    uint8_t language, length, stem_length; /* length 0: none */
    char word[KEPT_BYTES], stem[KEPT_BYTES];
};
static struct kept_stem kept_stems[KEPT_STEMS];

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
    case SCRIPT_CYRILLIC: /* stemming Ukrainian and Belarusian as Russian does more harm than good
                           */
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

/* The slot for the stem of a word; it may hold another word. */
static struct kept_stem *kept_place(enum text_language language, const struct word *word)
{
    uint64_t hash = (uint64_t)language;

    for (size_t i = 0; i < word->length; i++)
        hash = hash * 31 + (unsigned char)word->text[i];
    return &kept_stems[hash % KEPT_STEMS];
}

static bool is_kept(const struct kept_stem *kept, enum text_language language,
                    const struct word *word)
{
    return kept->length == word->length && kept->language == language &&
           memcmp(kept->word, word->text, word->length) == 0;
}

/* A stem of 0 bytes, or one that is too long, is discarded: the word stays as it is. */
static size_t stem_by(struct sb_stemmer *stemmer, const struct word *word, const char **stem)
{
    const sb_symbol *stemmed =
        sb_stemmer_stem(stemmer, (const sb_symbol *)word->text, (int)word->length);
    int length = sb_stemmer_length(stemmer);

    if (!stemmed || length <= 0 || length > WORD_BYTES_MAX) {
        *stem = word->text;
        return word->length;
    }
    *stem = (const char *)stemmed;
    return (size_t)length;
}

static void keep(struct kept_stem *kept, enum text_language language, const struct word *word,
                 const char *stem, size_t length)
{
    kept->language = (uint8_t)language;
    kept->length = (uint8_t)word->length;
    kept->stem_length = (uint8_t)length;
    memcpy(kept->word, word->text, word->length);
    memcpy(kept->stem, stem, length);
}

size_t stem_word(enum text_language language, const struct word *word,
                 char stem[WORD_BYTES_MAX + 1])
{
    struct sb_stemmer *stemmer = word->pair || word->digits ? NULL : stemmer_of(language);
    const char *found = word->text;
    size_t length = word->length;

    if (stemmer && length) {
        struct kept_stem *kept = kept_place(language, word);

        if (is_kept(kept, language, word)) {
            found = kept->stem;
            length = kept->stem_length;
        } else {
            length = stem_by(stemmer, word, &found);
            if (word->length <= KEPT_BYTES && length <= KEPT_BYTES)
                keep(kept, language, word, found, length);
        }
    }
    memcpy(stem, found, length);
    stem[length] = '\0';
    return length;
}
