/* Lines of usage, each in one write. */
#include "orchestrator/telemetry.h"

#include "base/clock.h"
#include "base/log.h"
#include "crypto/digest.h"
#include "crypto/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 16 * 1024 };

struct usage_line {
    int64_t ts;
    const char *endpoint, *method;
    int64_t status, duration_ms;
    const char *request_id;
    const char *prompt_hash; /* NULL = the request has no prompt */
};

#define OWNER struct usage_line
static const struct field line_fields[] = {
    TIME(OWNER, ts, .time = TIME_Z),
    STRING(OWNER, endpoint),
    STRING(OWNER, method),
    INTEGER(OWNER, status),
    INTEGER(OWNER, duration_ms),
    STRING(OWNER, request_id),
    STRING(OWNER, prompt_hash, .nullable = true),
};
#undef OWNER
static SCHEMA(line_schema, struct usage_line, "UsageLine", line_fields);

static void make_folder(char *path)
{
    char *slash = strrchr(path, '/');

    if (!slash || slash == path)
        return;
    *slash = '\0';
    (void)!mkdir(path, 0750);
    *slash = '/';
}

int telemetry_open(const struct orchestrator_settings *settings, struct arena *arena)
{
    const char *given = settings->telemetry_path, *home = getenv("HOME");
    char *path;
    int file;

    if (!settings->telemetry_enabled)
        return -1;
    path = given[0] == '~' && home ? arena_print(arena, "%s%s", home, given + 1)
                                   : arena_copy_string(arena, given);
    make_folder(path);
    file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
    if (file < 0)
        log_event(LOG_WARNING, "usage_telemetry_off", strerror(errno));
    return file;
}

/* Of the body as it came; NULL where the route takes no prompt, or none was read to its end. */
static const char *hash_of(const struct request *request, char hash[DIGEST_SHA256_TEXT])
{
    if (!request->route || !(request->route->traits & TRAIT_PROMPT))
        return NULL;
    if (request->form_sha256)
        return request->form_sha256;
    if (!request->bytes || !request->length)
        return NULL;
    digest_sha256_hex(request->bytes, request->length, hash);
    return hash;
}

/* The path with {id} instead of each UUID. */
static const char *endpoint_of(struct request *request)
{
    enum { UUID_LENGTH = TOKEN_UUID_TEXT - 1 };
    struct text text;

    text_start(&text, request->arena, 4096);
    for (const char *at = request->path; *at;) {
        size_t length = strcspn(at, "/");
        char *part = arena_copy(request->arena, at, length);

        if (length == UUID_LENGTH && token_is_uuid(part))
            text_append_string(&text, "{id}");
        else
            text_append(&text, part, length);
        at += length;
        if (*at)
            text_append_byte(&text, *at++);
    }
    return text.bytes;
}

void telemetry_note(int file, struct request *request, int status, int64_t begun_at)
{
    static bool has_failed; /* of the process: one warning is enough */
    char hash[DIGEST_SHA256_TEXT];
    struct json_writer writer;
    struct text line;

    if (file < 0)
        return;
    text_start(&line, request->arena, LINE_MAX_BYTES);
    writer_start(&writer, &line);
    schema_write(
        &writer, &line_schema,
        &(struct usage_line){.ts = clock_unix_microseconds(),
                             .endpoint = endpoint_of(request),
                             .method = method_names[request->method],
                             .status = status,
                             .duration_ms = (clock_monotonic_microseconds() - begun_at) / 1000,
                             .request_id = request->id,
                             .prompt_hash = hash_of(request, hash)});
    text_append_byte(&line, '\n');
    if (write(file, line.bytes, line.length) == (ssize_t)line.length || has_failed)
        return;
    has_failed = true;
    log_event(LOG_WARNING, "usage_telemetry_write_failed", strerror(errno));
}
