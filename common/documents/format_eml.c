/* E-mails as documents: what a reader sees of the headers, then the text. The HTML part is taken if
 * there is one, since tables are lost in the other. Runs in a child process that exits afterwards,
 * so nothing is freed. */
#include "documents/formats.h"
#include "documents/mime.h"

#include <stdlib.h>
#include <string.h>

enum { MAIL_MOST = 256 << 20, MEMORY = 1 << 30, VALUE_POINTS = 1000 };

static char *read_all(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rbe");
    char *bytes = malloc(MAIL_MOST);

    *length = 0;
    if (!file || !bytes)
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the process ends with this call */
        return NULL;
    *length = fread(bytes, 1, MAIL_MOST, file);
    fclose(file);
    return bytes;
}

static void write_value(struct arena *arena, const struct mime_message *message, const char *name,
                        const char *shown, FILE *out)
{
    const char *value = mime_decoded(arena, mime_value(message, name), VALUE_POINTS);

    if (*value)
        fprintf(out, "%s%s\n\n", shown, value);
}

static void write_attachments(const struct mime_message *message, FILE *out)
{
    size_t written = 0;

    for (size_t i = 0; i < message->attachment_count && i < MIME_PARTS_MAX; i++)
        if (*message->attachments[i])
            fprintf(out, "%s%s", written++ ? ", " : "Attachments: ", message->attachments[i]);
    fputs(written ? "\n\n" : "", out);
}

enum format_result format_read_eml(const char *path, FILE *out)
{
    struct arena *arena = arena_create(MEMORY);
    struct mime_message message;
    size_t length;
    char *bytes = read_all(path, &length);

    if (!arena || !bytes)
        return FORMAT_DAMAGED;
    mime_read(arena, bytes, length, MAIL_MOST, &message);
    if (!message.header_count)
        return FORMAT_DAMAGED;
    write_value(arena, &message, "Subject", "# ", out);
    write_value(arena, &message, "From", "From: ", out);
    write_value(arena, &message, "To", "To: ", out);
    write_value(arena, &message, "Date", "Date: ", out);
    write_attachments(&message, out);
    if (message.html)
        return format_write_html(strdup(message.html), strlen(message.html), out);
    if (message.text)
        fputs(message.text, out);
    return fflush(out) == 0 ? FORMAT_READ : FORMAT_DAMAGED;
}
