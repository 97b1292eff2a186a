/*
 * Forms with files (multipart/form-data, RFC 7578), and urlencoded forms without files. A route
 * that has `.form` gets request->form instead of a body: fields as text, files on disk. The body is
 * never held in memory: file parts are written to unnamed files of the folder as they arrive. The
 * files disappear when the request ends.
 *
 * The pipeline answers 413 or 422 to parts that are too large, too many or not terminated; no
 * handler is called.
 */
#ifndef ASSAY_HTTP_MULTIPART_H
#define ASSAY_HTTP_MULTIPART_H

#include "http/request.h"

enum { FORM_PARTS_MAX = 64 };

/* What a route accepts. Limits of 0 are those of the whole body (the route's body_limit). */
struct form_rule {
    /* The name of each part; a part with another name is refused. */
    const struct form_part_rule {
        const char *name;
        bool file; /* written to disk; else text of at most FORM_TEXT_MAX bytes */
        bool required;
        size_t most; /* parts of that name; 0 = 1 */
        const char *help;
    } * parts;
    size_t part_count;
    int file_limit; /* position in policy->body_limits of the limit of one file; 0 = no limit of its
                       own */
};

enum { FORM_TEXT_MAX = 1024 * 1024 };

struct form_part {
    const char *name;
    const char *file_name;    /* as sent, without folders; NULL for text */
    const char *content_type; /* as sent; NULL = none */
    const char *text;         /* of a field */
    int file;                 /* open for reading, at its beginning; -1 for a field. Closed by the
                                 pipeline */
    size_t length;            /* bytes of the text or the file */
};

struct form {
    size_t count;
    struct form_part parts[FORM_PARTS_MAX];
};

/* The first part of that name, NULL when there is none. */
const struct form_part *form_find(const struct form *form, const char *name);

/* Links a file part at `path` (in a folder that the worker may write to). It replaces an existing
 * file atomically, after the data is on the disk. ERROR_UNAVAILABLE with the reason `disk_full` or
 * `file_not_saved`. */
MUST_CHECK enum error form_save(const struct form_part *part, const char *path,
                                struct problem *problem);

#endif
