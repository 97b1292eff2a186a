/* The phrases by which refusals are known, in lower case, ending with NULL: those of the embedded
 * answerer and what models and people write. One list for answering and for its evaluation. */
#ifndef ASSAY_SUPPORT_ANSWER_PHRASES_H
#define ASSAY_SUPPORT_ANSWER_PHRASES_H

extern const char *const refusal_phrases[];

#endif
