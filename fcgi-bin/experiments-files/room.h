/* Admission of uploads: how many are analyzed at a time on this host, and the room that their rows
 * of numbers may take on the disk together. */
#ifndef ASSAY_EXPERIMENTS_FILES_ROOM_H
#define ASSAY_EXPERIMENTS_FILES_ROOM_H

#include "experiments/service.h"

/* Takes a place and room for an upload of `length` bytes; end the guard when it is analyzed.
 * ERROR_BUSY `uploads_busy`, with the header Retry-After, when others have them. */
MUST_CHECK enum error room_take(struct request *request, struct reply *reply, int64_t length,
                                struct arena_guard **guard);

#endif
