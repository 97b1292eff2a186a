/* Files that go with a prompt. */
#ifndef ASSAY_ORCHESTRATOR_BROWSER_ATTACHMENTS_H
#define ASSAY_ORCHESTRATOR_BROWSER_ATTACHMENTS_H

#include <stddef.h>

struct attachments {
    size_t count;
    const char *const *names; /* file names given by the user */
    const int *files;         /* open, each read from its beginning */
};

#endif
