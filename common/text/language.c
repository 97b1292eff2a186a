/* Languages: scripts, detection, function words. */
#include "text/language.h"
#include "text/stop_words.h"
#include "text/words.h"

#include <stdlib.h>
#include <string.h>

const char *const language_codes[LANGUAGE__MAX] = {
    [LANGUAGE_UNKNOWN] = "unknown", [LANGUAGE_EN] = "en", [LANGUAGE_DE] = "de",
    [LANGUAGE_FR] = "fr",           [LANGUAGE_ES] = "es", [LANGUAGE_IT] = "it",
    [LANGUAGE_PT] = "pt",           [LANGUAGE_NL] = "nl", [LANGUAGE_PL] = "pl",
    [LANGUAGE_CS] = "cs",           [LANGUAGE_TR] = "tr", [LANGUAGE_SV] = "sv",
    [LANGUAGE_FI] = "fi",           [LANGUAGE_DA] = "da", [LANGUAGE_NO] = "no",
    [LANGUAGE_RO] = "ro",           [LANGUAGE_HU] = "hu", [LANGUAGE_RU] = "ru",
    [LANGUAGE_UK] = "uk",           [LANGUAGE_BE] = "be", [LANGUAGE_EL] = "el",
    [LANGUAGE_HE] = "he",           [LANGUAGE_AR] = "ar", [LANGUAGE_FA] = "fa",
    [LANGUAGE_HI] = "hi",           [LANGUAGE_TH] = "th", [LANGUAGE_KO] = "ko",
    [LANGUAGE_JA] = "ja",           [LANGUAGE_ZH] = "zh",
};

enum { STOP_WORDS_MAX = 320, DETECTION_BYTES = 4096 };

/* Languages of the Latin script stand first, up to this one. */
static const enum language latin_last = LANGUAGE_HU;

/* The words of a list, sorted; made at first use. `bytes` holds them one after the other. */
static struct stop_list {
    bool made;
    size_t count;
    const char *words[STOP_WORDS_MAX];
    char bytes[STOP_WORDS_MAX * 24];
} stop_lists[LANGUAGE__MAX];

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void stop_list_make(struct stop_list *list, const char *words)
{
    struct word_reader reader;
    struct word word;
    size_t used = 0;

    list->made = true;
    word_reader_start(&reader, words, strlen(words));
    while (word_next(&reader, &word)) {
        if (list->count == STOP_WORDS_MAX || used + word.length + 1 > sizeof list->bytes)
            abort(); /* a list of ours outgrew its place */
        list->words[list->count++] = memcpy(list->bytes + used, word.text, word.length + 1);
        used += word.length + 1;
    }
    qsort(list->words, list->count, sizeof list->words[0], by_text);
}

bool language_is_stop_word(enum language language, const char *word)
{
    struct stop_list *list = &stop_lists[language];

    if (!stop_word_lists[language])
        return false;
    if (!list->made)
        stop_list_make(list, stop_word_lists[language]);
    return bsearch(&word, list->words, list->count, sizeof list->words[0], by_text) != NULL;
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

enum language language_by_code(const char *code)
{
    for (int i = LANGUAGE_EN; i < LANGUAGE__MAX; i++) {
        if (strcmp(code, language_codes[i]) == 0)
            return (enum language)i;
    }
    return LANGUAGE_UNKNOWN;
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

enum script language_script(enum language language)
{
    if (language >= LANGUAGE_EN && language <= latin_last)
        return SCRIPT_LATIN;
    switch (language) {
    case LANGUAGE_RU:
    case LANGUAGE_UK:
    case LANGUAGE_BE:
        return SCRIPT_CYRILLIC;
    case LANGUAGE_EL:
        return SCRIPT_GREEK;
    case LANGUAGE_HE:
        return SCRIPT_HEBREW;
    case LANGUAGE_AR:
    case LANGUAGE_FA:
        return SCRIPT_ARABIC;
    case LANGUAGE_HI:
        return SCRIPT_DEVANAGARI;
    case LANGUAGE_TH:
        return SCRIPT_THAI;
    case LANGUAGE_KO:
        return SCRIPT_HANGUL;
    case LANGUAGE_JA:
        return SCRIPT_KANA;
    case LANGUAGE_ZH:
        return SCRIPT_HAN;
    default:
        return SCRIPT_OTHER;
    }
}

/* Letters that decide between languages of one script. */
struct clues {
    size_t letters[SCRIPT__MAX];
    size_t ukrainian, belarusian, persian, plain_latin;
    int votes[LANGUAGE__MAX];
};

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

/* Letters that one of the Latin languages has and the others (almost) lack. */
static const struct {
    const char *letters;
    enum language language;
} diacritics[] = {
    {"ßäöü", LANGUAGE_DE}, {"ñ¿¡", LANGUAGE_ES},    {"çêèàœùâî", LANGUAGE_FR},
    {"ãõ", LANGUAGE_PT},   {"łąęśżź", LANGUAGE_PL}, {"řěůčšž", LANGUAGE_CS},
    {"şğı", LANGUAGE_TR},  {"å", LANGUAGE_SV},      {"șță", LANGUAGE_RO},
    {"őű", LANGUAGE_HU},   {"øæ", LANGUAGE_DA},     {"ìò", LANGUAGE_IT},
};

static void vote_by_letters(struct clues *clues, const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof diacritics / sizeof diacritics[0]; i++) {
        const char *at = diacritics[i].letters;

        while (*at) {
            int32_t letter = 0;
            size_t taken = letter_read(at, strlen(at), &letter);

            if (memmem(text, length, at, taken))
                clues->votes[diacritics[i].language] += 1;
            at += taken;
        }
    }
}

static void vote_by_words(struct clues *clues, const char *text, size_t length)
{
    struct word_reader reader;
    struct word word;

    word_reader_start(&reader, text, length);
    while (word_next(&reader, &word)) {
        for (int i = LANGUAGE_EN; i <= (int)latin_last; i++)
            clues->votes[i] +=
                word.digits ? 0 : 2 * language_is_stop_word((enum language)i, word.text);
    }
}

static enum language latin_language(struct clues *clues, const char *text, size_t length)
{
    enum language best = LANGUAGE_EN;

    vote_by_words(clues, text, length);
    vote_by_letters(clues, text, length);
    for (int i = LANGUAGE_EN; i <= (int)latin_last; i++) {
        if (clues->votes[i] > clues->votes[best])
            best = (enum language)i;
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
    /* Japanese is written with both; Kana are the smaller part of many texts. */
    if (best == SCRIPT_HAN && clues->letters[SCRIPT_KANA] * 5 > clues->letters[SCRIPT_HAN])
        return SCRIPT_KANA;
    return best;
}

enum language language_detect(const char *text, size_t length)
{
    struct clues clues = {.plain_latin = 0};

    if (length > DETECTION_BYTES)
        length = DETECTION_BYTES;
    for (size_t at = 0; at < length;) {
        int32_t character = 0;
        size_t taken = letter_read(text + at, length - at, &character);

        if (taken && letter_kind(character) != LETTER_NONE)
            count_letter(&clues, character);
        at += taken ? taken : 1;
    }
    switch (main_script(&clues)) {
    case SCRIPT_LATIN:
        return latin_language(&clues, text, length);
    case SCRIPT_CYRILLIC:
        if (clues.belarusian)
            return LANGUAGE_BE;
        return clues.ukrainian ? LANGUAGE_UK : LANGUAGE_RU;
    case SCRIPT_GREEK:
        return LANGUAGE_EL;
    case SCRIPT_HEBREW:
        return LANGUAGE_HE;
    case SCRIPT_ARABIC:
        return clues.persian ? LANGUAGE_FA : LANGUAGE_AR;
    case SCRIPT_DEVANAGARI:
        return LANGUAGE_HI;
    case SCRIPT_THAI:
        return LANGUAGE_TH;
    case SCRIPT_HANGUL:
        return LANGUAGE_KO;
    case SCRIPT_KANA:
        return LANGUAGE_JA;
    case SCRIPT_HAN:
        return LANGUAGE_ZH;
    default:
        return LANGUAGE_UNKNOWN;
    }
}
