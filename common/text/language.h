/*
 * Which language a text is in: by the script of most of its letters, and among languages of the
 * Latin script by their function words. Never fails; a text without letters is LANGUAGE_UNKNOWN.
 */
#ifndef ASSAY_TEXT_LANGUAGE_H
#define ASSAY_TEXT_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum language {
    LANGUAGE_UNKNOWN,
    LANGUAGE_EN,
    LANGUAGE_DE,
    LANGUAGE_FR,
    LANGUAGE_ES,
    LANGUAGE_IT,
    LANGUAGE_PT,
    LANGUAGE_NL,
    LANGUAGE_PL,
    LANGUAGE_CS,
    LANGUAGE_TR,
    LANGUAGE_SV,
    LANGUAGE_FI,
    LANGUAGE_DA,
    LANGUAGE_NO,
    LANGUAGE_RO,
    LANGUAGE_HU,
    LANGUAGE_RU,
    LANGUAGE_UK,
    LANGUAGE_BE,
    LANGUAGE_EL,
    LANGUAGE_HE,
    LANGUAGE_AR,
    LANGUAGE_FA,
    LANGUAGE_HI,
    LANGUAGE_TH,
    LANGUAGE_KO,
    LANGUAGE_JA,
    LANGUAGE_ZH,
    LANGUAGE__MAX
};

/* ISO 639-1 codes; "unknown" for the first. */
extern const char *const language_codes[LANGUAGE__MAX];

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
enum script language_script(enum language language);

enum language language_detect(const char *text, size_t length);

/* The language with that code, LANGUAGE_UNKNOWN when there is none. */
enum language language_by_code(const char *code);

/* Whether a folded word says nothing about what is asked in that language: articles, pronouns,
 * prepositions, question words, polite phrases. */
bool language_is_stop_word(enum language language, const char *word);

/* Whether a character of an unspaced script is a function word: a two-character token that holds
 * one is not asked for. */
bool language_is_stop_character(int32_t character);

#endif
