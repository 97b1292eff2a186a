/*
 * The side of the embedder (cron-bin/embedder): its sockets, and serving one of them. Two kinds of
 * processes serve: those of questions, and one of passages at idle priority.
 */
#ifndef ASSAY_EMBEDDING_EMBEDDER_SERVER_H
#define ASSAY_EMBEDDING_EMBEDDER_SERVER_H

#include "embedding/encoder.h"

/* Opens the listening socket of questions or passages. ERROR_SYSTEM `socket_not_open`. */
MUST_CHECK enum error embedder_listen(const char *run_directory, bool questions, int *listener,
                                      struct problem *problem);

/* Serves a caller, if one comes within a second, until it has no more texts. `encoder` is of this
 * process. */
void embedder_serve(int listener, bool questions, struct encoder *encoder);

#endif
