/*
 * Detects the language of a text: by the script of most of its letters, and among languages of the
 * Latin script by their function words. Never fails; a text without letters is TEXT_UNKNOWN.
 */
#ifndef ASSAY_TEXT_LANGUAGE_H
#define ASSAY_TEXT_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum text_language {
    TEXT_UNKNOWN,
    TEXT_EN,
    TEXT_DE,
    TEXT_FR,
    TEXT_ES,
    TEXT_IT,
    TEXT_PT,
    TEXT_NL,
    TEXT_PL,
    TEXT_CS,
    TEXT_TR,
    TEXT_SV,
    TEXT_FI,
    TEXT_DA,
    TEXT_NO,
    TEXT_RO,
    TEXT_HU,
    TEXT_RU,
    TEXT_UK,
    TEXT_BE,
    TEXT_EL,
    TEXT_HE,
    TEXT_AR,
    TEXT_FA,
    TEXT_HI,
    TEXT_TH,
    TEXT_KO,
    TEXT_JA,
    TEXT_ZH,
    TEXT_LANGUAGE__MAX
};

/* ISO 639-1 codes; "unknown" for the first. */
extern const char *const language_codes[TEXT_LANGUAGE__MAX];

enum script {
    SCRIPT_OTHER,
    SCRIPT_LATIN,
    SCRIPT_CYRILLIC,
    SCRIPT_GREEK,
    SCRIPT_HEBREW,
    SCRIPT_ARABIC,
    SCRIPT_DEVANAGARI,
    SCRIPT_THAI,
    SCRIPT_HANGUL,
    SCRIPT_KANA,
    SCRIPT_HAN,
    SCRIPT__MAX
};

enum script script_of(int32_t character);
enum script language_script(enum text_language language);

enum text_language language_detect(const char *text, size_t length);

/* The language with that code, TEXT_UNKNOWN when there is none. */
enum text_language language_by_code(const char *code);

/* Whether a folded word is a function word of that language, which searches ignore: articles,
 * pronouns, prepositions, question words, polite phrases. */
bool language_is_stop_word(enum text_language language, const char *word);

/* Whether a character of an unspaced script is a function word: searches ignore a two-character
 * token that contains one. */
bool language_is_stop_character(int32_t character);

#endif
