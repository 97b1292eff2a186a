/* Any form, through the pipeline to a handler that looks at its parts. The first line of an input
 * is the Content-Type, the rest is the body. What a malformed one is answered exactly is held by
 * tests/unit/http_answers_test.c over the same corpus. */
#include "fuzz.h"
#include "wire.h"

#include "base/log.h"
#include "crypto/crypto.h"
#include "http/multipart.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INPUT_MEMORY_MAX = 1 << 26, BODY_MAX = 1 << 20, FILE_MAX = 4096, MOST_NOTES = 3 };

static const struct form_part_rule parts[] = {{"file", .file = true, .required = true},
                                              {"note", .most = MOST_NOTES}};
static const struct form_rule rule = {parts, COUNT_OF(parts), .file_limit = 1};

static bool handled;

static void check_part(const struct form_part *part)
{
    struct stat state;

    if (part->file < 0) {
        PROMISE(strcmp(part->name, "note") == 0, "a field is one that was asked for");
        PROMISE(strlen(part->text) == part->length, "a field is text");
        PROMISE(utf8_valid_prefix(part->text, part->length) == part->length, "a text is UTF-8");
        return;
    }
    PROMISE(strcmp(part->name, "file") == 0 && part->file_name, "a file is one that was asked for");
    PROMISE(fstat(part->file, &state) == 0, "a file is open");
    PROMISE((size_t)state.st_size == part->length, "a file is as long as it is said to be");
    PROMISE(part->length <= FILE_MAX, "a file keeps to its limit");
    PROMISE(lseek(part->file, 0, SEEK_CUR) == 0, "a file is at its beginning");
}

static enum error look(struct request *request, struct reply *reply)
{
    size_t notes = 0;

    (void)reply;
    handled = true;
    for (size_t i = 0; i < request->form->count; i++) {
        check_part(&request->form->parts[i]);
        notes += request->form->parts[i].file < 0;
    }
    PROMISE(request->form->count == notes + 1, "there is one file");
    PROMISE(notes <= MOST_NOTES, "there are no more notes than may be");
    return ERROR_NONE;
}

static const struct route routes[] = {
    {METHOD_POST, "/form", .form = &rule, .status = 204, .handler = look, .name = "form",
     .tag = "t", .summary = "s"},
};

static void write_error(struct json_writer *writer, const struct request *request,
                        const struct http_error *error)
{
    write_error_detail(writer, request, error, ERROR_CODE);
}

static const char *too_large(const struct request *request, size_t announced, size_t limit)
{
    (void)announced;
    return arena_print(request->arena, "more than %zu bytes", limit);
}

static const struct wire_format format = {.write_error = write_error,
                                          .headers = "",
                                          .request_id_in = HEADERS("HTTP_X_REQUEST_ID"),
                                          .request_id_out = HEADERS("X-Request-ID"),
                                          .too_large = too_large};
static const struct http_service service = {.name = "fuzz", .format = &format};
static const struct http_family family = {.service = &service, .name = "form", ROUTES(routes)};

static struct server server;
static struct arena *process_arena;

static void close_server(void)
{
    server_stop(&server);
    arena_destroy(process_arena);
}

static void open_server(void)
{
    struct problem problem;

    if (server.region)
        return;
    process_arena = arena_create(1 << 24);
    server = (struct server){.family = &family,
                             .policy = {.body_limits = {BODY_MAX, FILE_MAX},
                                        .memory_limit = INPUT_MEMORY_MAX,
                                        .json_depth = 16}};
    PROMISE(!crypto_start(&problem) &&
                !server_start(&server, process_arena, NULL, "locales", &problem),
            "the server starts");
    log_open("fuzz", LOG_CRITICAL, LOG_JSON);
    atexit(close_server);
}

static int next_descriptor(void)
{
    int descriptor = dup(STDERR_FILENO);

    close(descriptor);
    return descriptor;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_create(INPUT_MEMORY_MAX);
    const uint8_t *line = memchr(data, '\n', size);
    size_t type = line ? (size_t)(line - data) : 0;
    struct wire wire;
    int descriptor;

    open_server();
    descriptor = next_descriptor();
    handled = false;
    wire_start(&wire, arena);
    wire_add(&wire, "REQUEST_METHOD", "POST");
    wire_add(&wire, "DOCUMENT_URI", "/form");
    wire_add(&wire, "CONTENT_TYPE", arena_copy(arena, (const char *)data, type));
    wire.body = (const char *)data + type + (line != NULL);
    wire.body_length = size - type - (line != NULL);
    wire_serve(&wire, &server);
    PROMISE(handled == (wire.status == 204), "only what was refused reaches no handler");
    PROMISE(handled || wire.status == 400 || wire.status == 413 || wire.status == 422,
            "a form is right, malformed, too large or unprocessable");
    PROMISE(next_descriptor() == descriptor, "no file stays open");
    arena_destroy(arena);
    return 0;
}
