/* Reads parts of messages: texts, images and files, in the forms of the dialects. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_PART_H
#define ASSAY_ORCHESTRATOR_STREAMS_PART_H

#include "llm/llm.h"

/* A part in OpenAI's forms, of chats and of responses: text, input_text, output_text, image_url,
 * input_image, file, input_file. False for other kinds, for files of a provider's store, and for
 * members that would be lost. */
bool part_read(struct arena *arena, const json_t *json, struct llm_part *part);

/* Takes `data:TYPE;base64,DATA` apart; anything else is a URL. False for data without base64. */
bool part_set_url(struct arena *arena, const char *url, struct llm_part *part);

#endif
