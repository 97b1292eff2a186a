/* Private to common/embedding: the messages between the embedder and its callers. Each request is
 * one message, and each reply. */
#ifndef ASSAY_EMBEDDING_PROTOCOL_H
#define ASSAY_EMBEDDING_PROTOCOL_H

#include "embedding/embedder.h"

enum { EMBEDDER_PROTOCOL = 1 };

/* In the run directory. */
extern const char embedder_questions_socket[], embedder_passages_socket[];

/* Followed by the bytes of the text, at most EMBEDDER_TEXT_MAX; without any only the model is asked
 * for. */
struct embedder_request {
    uint32_t protocol, length;
};

struct embedder_reply {
    uint32_t protocol;
    uint32_t embedded; /* 1 = `vector` holds the text's; 0 = only the model's name */
    struct embedder_vector vector;
};

#endif
