/* Requests to an object store, and files in pieces. */
#include "net/s3.h"

#include "base/clock.h"
#include "base/disk.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "net/fetch.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
    ATTEMPTS = 4,
    SILENCE_SECONDS = 10,      /* of a store that has nothing to read */
    ANSWER_BYTES = 256 * 1024, /* of answers that are not pieces */
    PIECES_MAX = 10000,        /* of one object, by the protocol */
    PIECE_MEMORY = 3 * S3_PIECE_BYTES,
    RANGE_TEXT = 64,
    SIGNED_MAX = 4
};

/* One request, before it is signed. */
struct s3_call {
    const char *method, *key, *query; /* the key "" = the bucket itself */
    const char *range;                /* NULL = whole */
    const char *body;                 /* NULL = none */
    size_t length, answer_max;
};

enum error s3_parse_url(struct arena *arena, const char *url, struct s3_store *store,
                        struct problem *problem)
{
    bool is_secure = strncmp(url, "https://", 8) == 0;
    const char *rest = url + (is_secure ? 8 : 7), *path = rest + strcspn(rest, "/");
    const char *standard_port = is_secure ? ":443" : ":80";
    size_t host = (size_t)(path - rest), port = strlen(standard_port), bucket;

    if ((!is_secure && strncmp(url, "http://", 7) != 0) || !host || strpbrk(url, "@?# \t"))
        return problem_set(problem, ERROR_INVALID, "object_store_url",
                           "an object store is http:// or https:// with a host, without user, "
                           "password or query");
    path += strspn(path, "/");
    bucket = strcspn(path, "/");
    if (!bucket)
        return problem_set(problem, ERROR_INVALID, "object_store_url",
                           "the URL of an object store must name a bucket: https://host/bucket");
    if (host > port && strncmp(rest + host - port, standard_port, port) == 0)
        host -= port; /* is not sent either */
    store->host = arena_copy(arena, rest, host);
    store->origin = arena_print(arena, "%s://%s", is_secure ? "https" : "http", store->host);
    store->bucket = arena_copy(arena, path, bucket);
    path += bucket;
    path += strspn(path, "/");
    store->prefix = arena_copy(arena, path, strlen(path));
    return ERROR_NONE;
}

static const char *path_of(struct arena *arena, const struct s3_store *store, const char *key)
{
    const char *prefix = store->prefix;
    bool slash = *prefix && prefix[strlen(prefix) - 1] != '/';

    if (!*key)
        return sigv4_path(arena, arena_print(arena, "/%s", store->bucket));
    return sigv4_path(
        arena, arena_print(arena, "/%s/%s%s%s", store->bucket, prefix, slash ? "/" : "", key));
}

static void add_header(struct fetch_request *request, const char *name, const char *value)
{
    request->headers[request->header_count++] = (struct fetch_header){name, value};
}

/* Headers that are signed are in the order of their names. */
static void sign(struct arena *arena, const struct s3_store *store, const struct s3_call *call,
                 const char *path, struct fetch_request *request)
{
    char *date = arena_alloc(arena, SIGV4_DATE_TEXT),
         *hash = arena_alloc(arena, DIGEST_SHA256_TEXT);
    struct sigv4_header headers[SIGNED_MAX];
    size_t count = 0;

    sigv4_date(clock_unix_seconds(), date);
    digest_sha256_hex(call->body ? call->body : "", call->length, hash);
    headers[count++] = (struct sigv4_header){"host", store->host};
    if (call->range)
        headers[count++] = (struct sigv4_header){"range", call->range};
    headers[count++] = (struct sigv4_header){"x-amz-content-sha256", hash};
    headers[count++] = (struct sigv4_header){"x-amz-date", date};
    for (size_t i = 0; i < count; i++)
        add_header(request, headers[i].name, headers[i].value);
    add_header(request, "Authorization",
               sigv4_authorization(arena, &store->key,
                                   &(struct sigv4_request){.method = call->method,
                                                           .path = path,
                                                           .query = call->query,
                                                           .headers = headers,
                                                           .header_count = count,
                                                           .date = date,
                                                           .payload_hash = hash}));
    if (call->body)
        add_header(request, "Content-Type", "application/octet-stream");
}

/* While it reads a piece it has nothing to say: 0 = as long as the attempt. */
static double silence_of(const struct s3_call *call)
{
    return call->length ? 0 : SILENCE_SECONDS;
}

static void send_call(struct arena *arena, const struct s3_store *store, const struct s3_call *call,
                      struct fetch_answer *answer)
{
    const char *path = path_of(arena, store, call->key);
    struct fetch_request request = {.url = arena_print(arena, "%s%s%s%s", store->origin, path,
                                                       *call->query ? "?" : "", call->query),
                                    .method = call->method,
                                    .body = call->body,
                                    .body_length = call->length,
                                    .answer_max =
                                        call->answer_max ? call->answer_max : ANSWER_BYTES,
                                    .private_too = true,
                                    .policy = {.connect_seconds = 5,
                                               .attempt_seconds = store->seconds / 2,
                                               .total_seconds = store->seconds,
                                               .silence_seconds = silence_of(call),
                                               .attempts = ATTEMPTS,
                                               .first_pause_seconds = .2,
                                               .pause_factor = 3,
                                               .jitter = true,
                                               .retry_after_seconds = store->seconds}};

    sign(arena, store, call, path, &request);
    fetch(arena, &request, answer);
}

/* The text of an XML element of an answer; "" when it has none. */
static const char *element_of(struct arena *arena, const struct fetch_answer *answer,
                              const char *name)
{
    const char *open = arena_print(arena, "<%s>", name);
    const char *from = answer->body ? strstr(answer->body, open) : NULL, *end;

    if (!from)
        return "";
    from += strlen(open);
    end = strchr(from, '<');
    return arena_copy(arena, from, end ? (size_t)(end - from) : 0);
}

/* What an answer that was not expected means. A code of the protocol is a word; another text of the
 * server is not repeated. */
static enum error refuse(struct arena *arena, const struct fetch_answer *answer,
                         struct problem *problem)
{
    const char *code = element_of(arena, answer, "Code");

    if (answer->outcome != FETCH_ANSWERED)
        return problem_set(problem, ERROR_UNAVAILABLE, "object_store_away",
                           "the object store does not answer (%s)",
                           fetch_outcome_name(answer->outcome));
    if (strlen(code) > RANGE_TEXT)
        code = "";
    if (answer->status == 404 && strcmp(code, "NoSuchBucket") == 0)
        return problem_set(problem, ERROR_UNAVAILABLE, "object_store_bucket",
                           "the object store has no such bucket (404 %s)", code);
    if (answer->status == 404)
        return problem_set(problem, ERROR_NOT_FOUND, "object_missing",
                           "the object store has no such object (404 %s)", code);
    if (answer->status == 401 || answer->status == 403)
        return problem_set(problem, ERROR_FORBIDDEN, "object_store_refused",
                           "the object store refuses: wrong key, missing rights, or the clock of "
                           "this host is wrong (%d %s)",
                           answer->status, code);
    if (answer->status >= 500)
        return problem_set(problem, ERROR_UNAVAILABLE, "object_store_away",
                           "the object store cannot answer (%d %s)", answer->status, code);
    return problem_set(problem, ERROR_SYSTEM, "object_store_answer",
                       "the object store answered %d %s", answer->status, code);
}

/* A call that must be answered by one of two statuses. */
static enum error call_store(struct arena *arena, const struct s3_store *store,
                             const struct s3_call *call, int status, int other,
                             struct fetch_answer *answer, struct problem *problem)
{
    send_call(arena, store, call, answer);
    if (answer->outcome == FETCH_ANSWERED && (answer->status == status || answer->status == other))
        return ERROR_NONE;
    return refuse(arena, answer, problem);
}

static enum error write_piece(int file, int64_t at, const char *piece, size_t length,
                              struct problem *problem)
{
    for (size_t done = 0; done < length;) {
        ssize_t put = pwrite(file, piece + done, length - done, at + (int64_t)done);

        if (put <= 0)
            return problem_set(problem, ERROR_SYSTEM, "file_not_written",
                               "the file cannot be written");
        done += (size_t)put;
    }
    return ERROR_NONE;
}

static size_t piece_length(int64_t at, int64_t size)
{
    return size - at < S3_PIECE_BYTES ? (size_t)(size - at) : (size_t)S3_PIECE_BYTES;
}

/* -- storing ----------------------------------------------------------------------------------- */

/* An object on its way. */
struct s3_upload {
    const struct s3_store *store;
    const char *key;
    const char *id; /* of an upload in parts */
    int file;
    int64_t size;
    struct arena *piece; /* reset after each piece */
    struct text parts;   /* the list that completes it */
};

static enum error put_piece(struct s3_upload *upload, const char *query, int64_t at,
                            struct fetch_answer *answer, struct problem *problem)
{
    size_t length = piece_length(at, upload->size);
    char *bytes = arena_alloc(upload->piece, length + 1);
    const struct s3_call call = {
        .method = "PUT", .key = upload->key, .query = query, .body = bytes, .length = length};

    if (!disk_read(upload->file, at, bytes, length))
        return problem_set(problem, ERROR_SYSTEM, "file_not_read", "the file cannot be read");
    return call_store(upload->piece, upload->store, &call, 200, 201, answer, problem);
}

static enum error put_part(struct s3_upload *upload, int number, struct problem *problem)
{
    int64_t at = (int64_t)(number - 1) * S3_PIECE_BYTES;
    struct fetch_answer answer;
    const char *tag;
    enum error error = put_piece(
        upload, arena_print(upload->piece, "partNumber=%d&uploadId=%s", number, upload->id), at,
        &answer, problem);

    if (error)
        return error;
    tag = fetch_find_header(upload->piece, &answer, "ETag");
    if (!tag || strpbrk(tag, "<&>"))
        return problem_set(problem, ERROR_SYSTEM, "object_store_answer",
                           "the object store gave no tag for a part");
    text_append_format(&upload->parts, "<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>",
                       number, tag);
    arena_reset(upload->piece);
    return ERROR_NONE;
}

static enum error begin_parts(struct arena *arena, struct s3_upload *upload,
                              struct problem *problem)
{
    const struct s3_call call = {
        .method = "POST", .key = upload->key, .query = "uploads=", .body = "", .length = 0};
    struct fetch_answer answer;
    struct text id;
    enum error error = call_store(arena, upload->store, &call, 200, 201, &answer, problem);

    if (error)
        return error;
    text_start(&id, arena, S3_KEY_MAX * 4);
    text_append_url(&id, element_of(arena, &answer, "UploadId"));
    if (!id.length)
        return problem_set(problem, ERROR_SYSTEM, "object_store_answer",
                           "the object store gave no id for an upload");
    upload->id = id.bytes;
    return ERROR_NONE;
}

/* The answer may be 200 and hold an error all the same. */
static enum error complete_parts(struct arena *arena, struct s3_upload *upload,
                                 struct problem *problem)
{
    const struct s3_call call = {.method = "POST",
                                 .key = upload->key,
                                 .query = arena_print(arena, "uploadId=%s", upload->id),
                                 .body = upload->parts.bytes,
                                 .length = upload->parts.length};
    struct fetch_answer answer;
    enum error error = call_store(arena, upload->store, &call, 200, 201, &answer, problem);

    if (!error && strstr(answer.body, "<Error>"))
        return problem_set(problem, ERROR_UNAVAILABLE, "object_store_away",
                           "the object store did not complete an upload");
    return error;
}

/* Parts that are left behind cost space; a store that is away forgets them by its own rules. */
static void abandon_parts(struct arena *arena, const struct s3_upload *upload)
{
    const struct s3_call call = {.method = "DELETE",
                                 .key = upload->key,
                                 .query = arena_print(arena, "uploadId=%s", upload->id)};
    struct fetch_answer answer;

    send_call(arena, upload->store, &call, &answer);
}

static enum error put_in_parts(struct arena *arena, struct s3_upload *upload,
                               struct problem *problem)
{
    int count = (int)((upload->size + S3_PIECE_BYTES - 1) / S3_PIECE_BYTES);
    enum error error = begin_parts(arena, upload, problem);

    if (error)
        return error;
    text_start(&upload->parts, arena, (size_t)count * 256 + 256);
    text_append_string(&upload->parts, "<CompleteMultipartUpload>");
    for (int number = 1; number <= count && !error; number++)
        error = put_part(upload, number, problem);
    text_append_string(&upload->parts, "</CompleteMultipartUpload>");
    if (!error)
        error = complete_parts(arena, upload, problem);
    if (error)
        abandon_parts(arena, upload);
    return error;
}

enum error s3_put(struct arena *arena, const struct s3_store *store, const char *key, int file,
                  int64_t size, struct problem *problem)
{
    struct s3_upload upload = {.store = store,
                               .key = key,
                               .file = file,
                               .size = size,
                               .piece = arena_create_below(arena, PIECE_MEMORY)};
    struct fetch_answer answer;
    enum error error;

    if (size > (int64_t)PIECES_MAX * S3_PIECE_BYTES)
        error =
            problem_set(problem, ERROR_TOO_LARGE, "object_too_large",
                        "a file of %lld bytes is too large for the object store", (long long)size);
    else if (size > S3_PIECE_BYTES)
        error = put_in_parts(arena, &upload, problem);
    else
        error = put_piece(&upload, "", 0, &answer, problem);
    arena_destroy(upload.piece);
    return error;
}

/* -- fetching ---------------------------------------------------------------------------------- */

static enum error get_piece(struct arena *arena, const struct s3_store *store, const char *key,
                            int file, int64_t at, size_t length, struct problem *problem)
{
    const struct s3_call call = {.method = "GET",
                                 .key = key,
                                 .query = "",
                                 .range = arena_print(arena, "bytes=%lld-%lld", (long long)at,
                                                      (long long)(at + (int64_t)length) - 1),
                                 .answer_max = /* also what says why there is no piece */
                                 length > ANSWER_BYTES ? length : ANSWER_BYTES};
    struct fetch_answer answer;
    enum error error = call_store(arena, store, &call, 206, 200, &answer, problem);

    if (error)
        return error;
    if (answer.length != length)
        return problem_set(problem, ERROR_SYSTEM, "object_store_answer",
                           "the object store gave %zu bytes in place of %zu", answer.length,
                           length);
    return write_piece(file, at, answer.body, length, problem);
}

enum error s3_get(struct arena *arena, const struct s3_store *store, const char *key, int file,
                  int64_t size, struct problem *problem)
{
    struct arena *piece = arena_create_below(arena, PIECE_MEMORY);
    enum error error = ERROR_NONE;

    for (int64_t at = 0; at < size && !error; at += S3_PIECE_BYTES) {
        error = get_piece(piece, store, key, file, at, piece_length(at, size), problem);
        arena_reset(piece);
    }
    arena_destroy(piece);
    return error;
}

enum error s3_is_there(struct arena *arena, const struct s3_store *store, const char *key,
                       bool *there, struct problem *problem)
{
    const struct s3_call call = {.method = "GET", .key = key, .query = "", .range = "bytes=0-0"};
    struct fetch_answer answer;
    enum error error;

    send_call(arena, store, &call, &answer);
    *there = answer.outcome == FETCH_ANSWERED &&
             (answer.status == 200 || answer.status == 206 || answer.status == 416 /* empty */);
    error = *there ? ERROR_NONE : refuse(arena, &answer, problem);
    return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
}

/* -- the rest ---------------------------------------------------------------------------------- */

enum error s3_delete(struct arena *arena, const struct s3_store *store, const char *key,
                     struct problem *problem)
{
    const struct s3_call call = {.method = "DELETE", .key = key, .query = ""};
    struct fetch_answer answer;
    enum error error = call_store(arena, store, &call, 204, 200, &answer, problem);

    return error == ERROR_NOT_FOUND ? ERROR_NONE : error;
}

/* The list is asked for, and not HEAD, whose answer has no body that says why. */
enum error s3_check(struct arena *arena, const struct s3_store *store, struct problem *problem)
{
    const struct s3_call call = {.method = "GET", .key = "", .query = "list-type=2&max-keys=1"};
    struct fetch_answer answer;

    return call_store(arena, store, &call, 200, 200, &answer, problem);
}
