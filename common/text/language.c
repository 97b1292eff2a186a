/* Scripts, language detection and function words. */
#include "text/language.h"
#include "text/stop_words.h"
#include "text/words.h"

#include <stdlib.h>
#include <string.h>

const char *const language_codes[TEXT_LANGUAGE__MAX] = {
    [TEXT_UNKNOWN] = "unknown", [TEXT_EN] = "en", [TEXT_DE] = "de", [TEXT_FR] = "fr",
    [TEXT_ES] = "es",           [TEXT_IT] = "it", [TEXT_PT] = "pt", [TEXT_NL] = "nl",
    [TEXT_PL] = "pl",           [TEXT_CS] = "cs", [TEXT_TR] = "tr", [TEXT_SV] = "sv",
    [TEXT_FI] = "fi",           [TEXT_DA] = "da", [TEXT_NO] = "no", [TEXT_RO] = "ro",
    [TEXT_HU] = "hu",           [TEXT_RU] = "ru", [TEXT_UK] = "uk", [TEXT_BE] = "be",
    [TEXT_EL] = "el",           [TEXT_HE] = "he", [TEXT_AR] = "ar", [TEXT_FA] = "fa",
    [TEXT_HI] = "hi",           [TEXT_TH] = "th", [TEXT_KO] = "ko", [TEXT_JA] = "ja",
    [TEXT_ZH] = "zh",
};

enum { LATIN_END = 0x280 }; /* the Latin letters used for detection are below this */
enum { FUNCTION_WORDS_MAX = 4096, FUNCTION_SLOTS = 8192, DETECTION_BYTES = 4096 };

/* Languages of the Latin script come first, up to this one. */
static const enum text_language latin_last = TEXT_HU;

/* The function words of all languages in one hash table, made at first use: one lookup returns
 * every language of a word, which detection needs for each word. */
static struct {
    bool made;
    size_t count, used;
    uint16_t slots[FUNCTION_SLOTS]; /* index in `words`, plus 1; 0 = empty */
    struct function_word {
        uint32_t at;        /* offset in `bytes` */
        uint32_t languages; /* bits 1 << enum text_language */
    } words[FUNCTION_WORDS_MAX];
    char bytes[FUNCTION_WORDS_MAX * 12];
} functions;

/* The slot of a word, or the free slot for it. */
static uint16_t *function_slot(const char *word)
{
    uint32_t hash = 2166136261u; /* FNV-1a */

    for (const char *at = word; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    hash ^= hash >> 15;
    for (;; hash++) {
        uint16_t *slot = &functions.slots[hash & (FUNCTION_SLOTS - 1)];

        if (!*slot || strcmp(functions.bytes + functions.words[*slot - 1].at, word) == 0)
            return slot;
    }
}

static void functions_add(const struct word *word, enum text_language language)
{
    uint16_t *slot = function_slot(word->text);

    if (!*slot) {
        if (functions.count == FUNCTION_WORDS_MAX ||
            functions.used + word->length + 1 > sizeof functions.bytes)
            abort(); /* the arrays are too small for the word lists */
        memcpy(functions.bytes + functions.used, word->text, word->length + 1);
        functions.words[functions.count++] = (struct function_word){(uint32_t)functions.used, 0};
        functions.used += word->length + 1;
        *slot = (uint16_t)functions.count;
    }
    functions.words[*slot - 1].languages |= UINT32_C(1) << language;
}

static void functions_make(void)
{
    struct word_reader reader;
    struct word word;

    functions.made = true;
    for (int i = 0; i < TEXT_LANGUAGE__MAX; i++) {
        if (!stop_word_lists[i])
            continue;
        word_reader_start(&reader, stop_word_lists[i], strlen(stop_word_lists[i]));
        while (word_next(&reader, &word))
            functions_add(&word, (enum text_language)i);
    }
}

/* Bits of the languages in which the word is a function word. */
static uint32_t function_languages(const char *word)
{
    uint16_t slot;

    if (!functions.made)
        functions_make();
    slot = *function_slot(word);
    return slot ? functions.words[slot - 1].languages : 0;
}

bool language_is_stop_word(enum text_language language, const char *word)
{
    return function_languages(word) >> language & 1;
}

bool language_is_stop_character(int32_t character)
{
    const char *at = stop_characters;

    while (*at) {
        int32_t one = 0;

        at += letter_read(at, strlen(at), &one);
        if (one == character)
            return true;
    }
    return false;
}

enum text_language language_by_code(const char *code)
{
    for (int i = TEXT_EN; i < TEXT_LANGUAGE__MAX; i++) {
        if (strcmp(code, language_codes[i]) == 0)
            return (enum text_language)i;
    }
    return TEXT_UNKNOWN;
}

static const struct {
    int32_t first, last;
    enum script script;
} script_blocks[] = {
    {0x0041, 0x024f, SCRIPT_LATIN},      {0x0370, 0x03ff, SCRIPT_GREEK},
    {0x0400, 0x052f, SCRIPT_CYRILLIC},   {0x0590, 0x05ff, SCRIPT_HEBREW},
    {0x0600, 0x077f, SCRIPT_ARABIC},     {0x08a0, 0x08ff, SCRIPT_ARABIC},
    {0x0900, 0x097f, SCRIPT_DEVANAGARI}, {0x0e00, 0x0e7f, SCRIPT_THAI},
    {0x1100, 0x11ff, SCRIPT_HANGUL},     {0x1e00, 0x1eff, SCRIPT_LATIN},
    {0x1f00, 0x1fff, SCRIPT_GREEK},      {0x3041, 0x30ff, SCRIPT_KANA},
    {0x3400, 0x9fff, SCRIPT_HAN},        {0xac00, 0xd7a3, SCRIPT_HANGUL},
    {0xf900, 0xfaff, SCRIPT_HAN},        {0xfb1d, 0xfb4f, SCRIPT_HEBREW},
    {0xfb50, 0xfdff, SCRIPT_ARABIC},     {0xff66, 0xff9f, SCRIPT_KANA},
    {0x20000, 0x3fffd, SCRIPT_HAN},
};

enum script script_of(int32_t character)
{
    for (size_t i = 0; i < sizeof script_blocks / sizeof script_blocks[0]; i++) {
        if (character >= script_blocks[i].first && character <= script_blocks[i].last)
            return script_blocks[i].script;
    }
    return SCRIPT_OTHER;
}

enum script language_script(enum text_language language)
{
    if (language >= TEXT_EN && language <= latin_last)
        return SCRIPT_LATIN;
    switch (language) {
    case TEXT_RU:
    case TEXT_UK:
    case TEXT_BE:
        return SCRIPT_CYRILLIC;
    case TEXT_EL:
        return SCRIPT_GREEK;
    case TEXT_HE:
        return SCRIPT_HEBREW;
    case TEXT_AR:
    case TEXT_FA:
        return SCRIPT_ARABIC;
    case TEXT_HI:
        return SCRIPT_DEVANAGARI;
    case TEXT_TH:
        return SCRIPT_THAI;
    case TEXT_KO:
        return SCRIPT_HANGUL;
    case TEXT_JA:
        return SCRIPT_KANA;
    case TEXT_ZH:
        return SCRIPT_HAN;
    default:
        return SCRIPT_OTHER;
    }
}

/* Letters that distinguish languages of one script. */
struct clues {
    size_t letters[SCRIPT__MAX];
    size_t ukrainian, belarusian, persian, plain_latin;
    uint64_t seen[LATIN_END / 64]; /* bits of characters below LATIN_END that occur */
    int votes[TEXT_LANGUAGE__MAX];
};

static void note_seen(struct clues *clues, int32_t character)
{
    if (character < LATIN_END)
        clues->seen[character / 64] |= UINT64_C(1) << character % 64;
}

static bool letter_was_seen(const struct clues *clues, int32_t letter)
{
    return clues->seen[letter / 64] >> letter % 64 & 1;
}

static void count_letter(struct clues *clues, int32_t character)
{
    enum script script = script_of(character);

    clues->letters[script]++;
    switch (character) {
    case 0x0456: /* і */
    case 0x0457:
    case 0x0454:
    case 0x0491:
    case 0x0406:
    case 0x0407:
    case 0x0404:
        clues->ukrainian++;
        break;
    case 0x045e: /* ў */
    case 0x040e:
        clues->belarusian++;
        break;
    case 0x067e: /* پ */
    case 0x0686:
    case 0x0698:
    case 0x06af:
    case 0x06cc:
    case 0x06a9:
        clues->persian++;
        break;
    default:
        clues->plain_latin += script == SCRIPT_LATIN && character < 0x80;
    }
}

/* Letters that one of the Latin languages has and the others (almost) lack; all below LATIN_END. */
static const struct {
    const char *letters;
    enum text_language language;
} diacritics[] = {
    {"ßäöü", TEXT_DE},   {"ñ¿¡", TEXT_ES},    {"çêèàœùâî", TEXT_FR}, {"ãõ", TEXT_PT},
    {"łąęśżź", TEXT_PL}, {"řěůčšž", TEXT_CS}, {"şğı", TEXT_TR},      {"å", TEXT_SV},
    {"șță", TEXT_RO},    {"őű", TEXT_HU},     {"øæ", TEXT_DA},       {"ìò", TEXT_IT},
};

static void vote_by_letters(struct clues *clues)
{
    for (size_t i = 0; i < sizeof diacritics / sizeof diacritics[0]; i++) {
        for (const char *at = diacritics[i].letters; *at;) {
            int32_t letter = 0;

            at += letter_read(at, strlen(at), &letter);
            clues->votes[diacritics[i].language] += letter_was_seen(clues, letter);
        }
    }
}

static void vote_by_words(struct clues *clues, const char *text, size_t length)
{
    struct word_reader reader;
    struct word word;

    word_reader_start(&reader, text, length);
    while (word_next(&reader, &word)) {
        uint32_t languages = word.digits ? 0 : function_languages(word.text);

        for (; languages; languages &= languages - 1)
            clues->votes[__builtin_ctz(languages)] += 2;
    }
}

static enum text_language latin_language(struct clues *clues, const char *text, size_t length)
{
    enum text_language best = TEXT_EN;

    vote_by_words(clues, text, length);
    vote_by_letters(clues);
    for (int i = TEXT_EN; i <= (int)latin_last; i++) {
        if (clues->votes[i] > clues->votes[best])
            best = (enum text_language)i;
    }
    return best;
}

static enum script main_script(const struct clues *clues)
{
    enum script best = SCRIPT_OTHER;
    size_t most = 0;

    for (int i = SCRIPT_LATIN; i < SCRIPT__MAX; i++) {
        if (clues->letters[i] > most) {
            most = clues->letters[i];
            best = (enum script)i;
        }
    }
    /* Japanese uses both; in many texts Kana are the smaller part. */
    if (best == SCRIPT_HAN && clues->letters[SCRIPT_KANA] * 5 > clues->letters[SCRIPT_HAN])
        return SCRIPT_KANA;
    return best;
}

enum text_language language_detect(const char *text, size_t length)
{
    struct clues clues = {.plain_latin = 0};

    if (length > DETECTION_BYTES)
        length = DETECTION_BYTES;
    for (size_t at = 0; at < length;) {
        int32_t character = 0;
        size_t taken = letter_read(text + at, length - at, &character);

        if (taken)
            note_seen(&clues, character);
        if (taken && letter_kind(character) != LETTER_NONE)
            count_letter(&clues, character);
        at += taken ? taken : 1;
    }
    switch (main_script(&clues)) {
    case SCRIPT_LATIN:
        return latin_language(&clues, text, length);
    case SCRIPT_CYRILLIC:
        if (clues.belarusian)
            return TEXT_BE;
        return clues.ukrainian ? TEXT_UK : TEXT_RU;
    case SCRIPT_GREEK:
        return TEXT_EL;
    case SCRIPT_HEBREW:
        return TEXT_HE;
    case SCRIPT_ARABIC:
        return clues.persian ? TEXT_FA : TEXT_AR;
    case SCRIPT_DEVANAGARI:
        return TEXT_HI;
    case SCRIPT_THAI:
        return TEXT_TH;
    case SCRIPT_HANGUL:
        return TEXT_KO;
    case SCRIPT_KANA:
        return TEXT_JA;
    case SCRIPT_HAN:
        return TEXT_ZH;
    default:
        return TEXT_UNKNOWN;
    }
}
