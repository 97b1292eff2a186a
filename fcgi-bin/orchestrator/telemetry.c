/* Lines of usage, each in one write. */
#include "orchestrator/telemetry.h"

#include "base/clock.h"
#include "base/log.h"
#include "crypto/digest.h"
#include "crypto/token.h"
#include "orchestrator/runs/task_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 16 * 1024 };

static const char *const hashed_paths[] = {"/api/v1/orchestrate",
                                           "/api/v1/orchestrate/upload",
                                           "/api/v1/orchestrate/stream",
                                           "/api/v1/consensus",
                                           "/api/v1/compare",
                                           "/api/v1/debate",
                                           "/api/v1/smart",
                                           "/api/v1/smart/v2",
                                           "/api/v1/batch",
                                           "/api/v1/pipeline"};

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

static bool is_hashed(const struct request *request)
{
    if (request->method != METHOD_POST)
        return false;
    for (size_t i = 0; i < COUNT_OF(hashed_paths); i++)
        if (strcmp(request->path, hashed_paths[i]) == 0)
            return true;
    return false;
}

/* Of the body as it came; NULL where none was read to its end. */
static const char *hash_of(const struct request *request, char hash[DIGEST_SHA256_TEXT])
{
    if (request->form_sha256)
        return request->form_sha256;
    if (!request->bytes || !request->length)
        return NULL;
    digest_sha256_hex(request->bytes, request->length, hash);
    return hash;
}

/* The path with {id} in the place of each UUID. */
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
    static bool has_failed;
    char hash[DIGEST_SHA256_TEXT];
    struct json_writer writer;
    struct text line;

    if (file < 0)
        return;
    text_start(&line, request->arena, LINE_MAX_BYTES);
    writer_start(&writer, &line);
    writer_open_object(&writer);
    writer_key_string(&writer, "ts", shown_time(request->arena, store_now(request->arena)));
    writer_key_string(&writer, "endpoint", endpoint_of(request));
    writer_key_string(&writer, "method", method_names[request->method]);
    writer_key_integer(&writer, "status", status);
    writer_key_integer(&writer, "duration_ms", (clock_monotonic_microseconds() - begun_at) / 1000);
    writer_key_string(&writer, "request_id", request->id);
    writer_key_string(&writer, "prompt_hash", is_hashed(request) ? hash_of(request, hash) : NULL);
    writer_close_object(&writer);
    text_append_byte(&line, '\n');
    if (write(file, line.bytes, line.length) == (ssize_t)line.length || has_failed)
        return;
    has_failed = true;
    log_event(LOG_WARNING, "usage_telemetry_write_failed", strerror(errno));
}
