/*
 * A desk where confined processes, which cannot have children, have documents read: they send an
 * open file through a socket below the run directory, a program that stays
 * (cron-bin/document-reader) reads it as reader.h does, and sends its text back. Nobody but the
 * same user may ask.
 */
#ifndef ASSAY_DOCUMENTS_EXTRACTION_SERVER_H
#define ASSAY_DOCUMENTS_EXTRACTION_SERVER_H

#include "documents/reader.h"

/* Asks the desk of the stack. `file` is open for reading and stays so. Errors are those of
 * reader_read(), and ERROR_UNAVAILABLE `no_desk` where nobody answers in time. */
MUST_CHECK enum error extraction_ask(struct arena *arena, const char *run_directory, int file,
                                     enum file_type type, const struct reader_limits *limits,
                                     struct reading_result *result, struct problem *problem);

/* Takes the socket; `desk` is then to be accepted from. ERROR_SYSTEM `desk_not_open`. */
MUST_CHECK enum error extraction_listen(const char *run_directory, int *desk,
                                        struct problem *problem);

/* Answers one who has come: reads his order, then the document, and sends what comes of it. */
void extraction_serve(int peer, const char *work_folder);

#endif
