/* The prompts of the nodes of the answer graph. Experiments override them by their ids. */
#ifndef ASSAY_SUPPORT_MODELS_PROMPTS_H
#define ASSAY_SUPPORT_MODELS_PROMPTS_H

enum prompt {
    PROMPT_QA,
    PROMPT_CONVERSATIONAL_QA,
    PROMPT_SELF_EVAL,
    PROMPT_EXTRACT_CLAIMS,
    PROMPT_VERIFY_CLAIM,
    PROMPT_CLASSIFY,
    PROMPT_SUGGEST,
    PROMPT_TRANSFORM,
    PROMPT_CONVERSATIONAL_TRANSFORM,
    PROMPT_GRADE_BATCH,
    PROMPT_REWRITE,
    PROMPT_TOOLS,
    PROMPT_HYDE,
    PROMPT__MAX
};

extern const char *const prompt_ids[PROMPT__MAX];
extern const char *const prompt_texts[PROMPT__MAX];

#endif
