/*
 * Holds the sentences of an answer that a model has written against the documents that it was
 * given. A sentence is supported when one document contains its numbers, codes and names, and
 * nearly all of its other words; a number must stand with the same words as in the document, and a
 * denial must deny what the document denies. No model is called.
 */
#ifndef ASSAY_SUPPORT_ANSWER_GROUNDING_H
#define ASSAY_SUPPORT_ANSWER_GROUNDING_H

#include "base/arena.h"
#include "text/language.h"

#include <stdbool.h>
#include <stddef.h>

struct grounding_source {
    const char *text;
    const char *names; /* title and headings: names may occur there only */
    enum text_language language;
};

/* In the order of how far a sentence is from its support. */
enum grounding_kind {
    GROUNDING_SUPPORTED,
    GROUNDING_FILLER, /* without a word that could be checked: "Yes." */
    GROUNDING_WORDS,  /* other words, or a denial: a paraphrase may still be true */
    GROUNDING_NAME,
    GROUNDING_NUMBER,
    GROUNDING__MAX
};
extern const char *const grounding_reasons[GROUNDING__MAX];

/* Of a sentence's words: less is no paraphrase of a document in the same language. */
extern const double grounding_paraphrase_least;

struct grounding_result {
    enum grounding_kind kind;
    double share;       /* of its words that the nearest document contains */
    bool same_language; /* as that document */
    size_t document;    /* that one, by its place among the sources; 0 without any */
};

struct grounding;

/* All memory is from the arena; the texts are borrowed. */
struct grounding *grounding_read(struct arena *arena, const struct grounding_source *sources,
                                 size_t count);

/* A part of an answer, with or without markers. One that has several markers is supported when the
 * parts that end with them are. */
struct grounding_result grounding_check(const struct grounding *grounding, const char *text,
                                        size_t length);

/* Whether a document contains this text nearly word by word, and it is no mere word or two. */
bool grounding_is_quote(const struct grounding *grounding, const char *text);

/* The end of the part of an answer that begins at `at`: a sentence or a line, the markers behind
 * it, and the blanks after it. */
size_t grounding_part_end(const char *text, size_t length, size_t at);

#endif
