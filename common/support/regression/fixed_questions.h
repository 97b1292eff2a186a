/*
 * Questions with the answers expected from the knowledge base, in a manually edited file: a JSON
 * array of {question, expected_keywords, expected_answer, category, grounding_doc}. A question
 * without a document must be refused.
 */
#ifndef ASSAY_SUPPORT_REGRESSION_FIXED_QUESTIONS_H
#define ASSAY_SUPPORT_REGRESSION_FIXED_QUESTIONS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/schema.h"

extern const char fixed_questions_path[]; /* below DATA_DIR */

struct fixed_question {
    const char *question, *expected_answer; /* "" = not given */
    const char *category;                   /* "uncategorized" = not given */
    const char *grounding_doc; /* its doc_id; NULL = the documents do not contain the answer */
    struct string_list expected_keywords;
};
SCHEMA_OF(fixed_question_schema, struct fixed_question);

struct fixed_questions {
    const struct fixed_question *items;
    size_t count;
};

/* ERROR_MALFORMED cases_malformed, with the case and its field; errors of data_file_read(). */
MUST_CHECK enum error fixed_questions_read(struct arena *arena, const char *path,
                                           struct fixed_questions *questions,
                                           struct problem *problem);

#endif
