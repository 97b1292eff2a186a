/*
 * The text-extraction server (cron-bin/document-reader). Confined workers cannot fork, so they send
 * an open file through a socket below the run directory. The server reads it as reader.h does, in a
 * child process, and sends the text back. Only the same user may connect.
 */
#ifndef ASSAY_DOCUMENTS_EXTRACTION_SERVER_H
#define ASSAY_DOCUMENTS_EXTRACTION_SERVER_H

#include "documents/reader.h"

/* Sends a file to the server of the stack. `file` is open for reading and stays open. Errors are
 * those of reader_read(), and ERROR_UNAVAILABLE `no_text_extraction` when the server does not
 * answer in time. */
MUST_CHECK enum error extraction_ask(struct arena *arena, const char *run_directory, int file,
                                     enum file_type type, const struct reader_limits *limits,
                                     struct reading_result *result, struct problem *problem);

/* Opens the listening socket. ERROR_SYSTEM `socket_not_open`. */
MUST_CHECK enum error extraction_listen(const char *run_directory, int *listener,
                                        struct problem *problem);

/* Serves one connection: reads the request, then the document, and sends the reply. */
void extraction_serve(int peer, const char *work_folder);

#endif
