/* multipart/form-data, read in one pass through a window of fixed size: text parts into the
 * request's arena, file parts into unnamed files. */
#include "http/multipart.h"
#include "base/disk.h"
#include "crypto/digest_stream.h"
#include "http/http_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WINDOW = 64 * 1024,
    HEADERS_MAX = 8 * 1024, /* bytes of the headers of a part */
    BOUNDARY_MAX = 70,      /* characters (RFC 2046 section 5.1.1) */
    URLENCODED_MAX = 1024 * 1024
};

enum outcome { OUTCOME_DONE, OUTCOME_ANSWERED, OUTCOME_MALFORMED };

struct reader {
    struct serving *serving;
    const struct form_rule *rule;
    struct form *form;
    char delimiter[BOUNDARY_MAX + 5]; /* CR LF - - boundary */
    size_t delimiter_length;
    size_t begin, end;
    bool answered;                /* over a limit: 413 is in the reply */
    struct digest_stream *digest; /* of the body; NULL = not wanted */
    char window[WINDOW];
};

/* Where the bytes of the current part go. */
struct sink {
    struct form_part *part;
    struct text text;
    size_t limit;
};

/* Appends more input to the window. False at the end of the body. */
static bool fill(struct reader *reader)
{
    struct request *request = &reader->serving->request;
    long count;

    memmove(reader->window, reader->window + reader->begin, reader->end - reader->begin);
    reader->end -= reader->begin;
    reader->begin = 0;
    count = request_read(request, reader->window + reader->end, WINDOW - reader->end);
    reader->answered = reader->answered || count == -2;
    if (count <= 0)
        return false;
    if (reader->digest)
        digest_stream_add(reader->digest, reader->window + reader->end, (size_t)count);
    reader->end += (size_t)count;
    return true;
}

static bool disk_failed(struct reader *reader)
{
    struct request *request = &reader->serving->request;

    (void)problem_set(&request->problem, ERROR_UNAVAILABLE, disk_reason(errno, "file_not_saved"),
                      "a part of a form could not be written: %s", strerror(errno));
    answer_problem(reader->serving, ERROR_UNAVAILABLE);
    reader->answered = true;
    return false;
}

static bool write_all(int file, const char *bytes, size_t length)
{
    while (length) {
        ssize_t count = write(file, bytes, length);

        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        bytes += count;
        length -= (size_t)count;
    }
    return true;
}

/* NULL `part` drops the bytes. */
static bool take_bytes(struct reader *reader, struct sink *sink, const char *bytes, size_t length)
{
    struct form_part *part = sink->part;

    if (!part || !length)
        return true;
    part->length += length;
    if (part->length > sink->limit) {
        answer_too_large(reader->serving, 0, sink->limit);
        reader->answered = true;
        return false;
    }
    if (part->file < 0)
        text_append(&sink->text, bytes, length);
    else if (!write_all(part->file, bytes, length))
        return disk_failed(reader);
    return true;
}

/* Passes everything up to the next delimiter to the sink, and skips the delimiter. */
static bool read_content(struct reader *reader, struct sink *sink)
{
    for (;;) {
        const char *start = reader->window + reader->begin;
        size_t left = reader->end - reader->begin;
        const char *found = memmem(start, left, reader->delimiter, reader->delimiter_length);
        size_t keep = reader->delimiter_length - 1;
        size_t count = found ? (size_t)(found - start) : left > keep ? left - keep : 0;

        if (!take_bytes(reader, sink, start, count))
            return false;
        reader->begin += count;
        if (found) {
            reader->begin += reader->delimiter_length;
            return true;
        }
        if (!fill(reader))
            return false;
    }
}

/* The bytes up to and without the next CR LF; NULL when there is none within HEADERS_MAX. */
static const char *read_line(struct reader *reader)
{
    for (;;) {
        const char *start = reader->window + reader->begin;
        size_t left = reader->end - reader->begin;
        const char *found = memmem(start, left, "\r\n", 2);

        if (found && found - start <= HEADERS_MAX) {
            reader->begin += (size_t)(found - start) + 2;
            return arena_copy(reader->serving->request.arena, start, (size_t)(found - start));
        }
        if (left > HEADERS_MAX || !fill(reader))
            return NULL;
    }
}

/* The value of a parameter such as name="...": quoted, with \" and \\ inside, or a bare word. */
static const char *parameter(struct arena *arena, const char *header, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = strchr(header, ';'); at; at = strchr(at, ';')) {
        char *value, *out;

        at += 1 + strspn(at + 1, " \t");
        if (strncasecmp(at, name, length) != 0 || at[length] != '=') {
            const char *quote = strchr(at, '"');
            const char *next = strchr(at, ';');

            /* A semicolon inside a quoted value does not end it. */
            if (quote && next && quote < next) {
                for (quote++; *quote && *quote != '"'; quote++)
                    quote += *quote == '\\' && quote[1];
                at = *quote ? quote : quote - 1;
            }
            continue;
        }
        at += length + 1;
        if (*at != '"')
            return arena_copy(arena, at, strcspn(at, "; \t"));
        value = out = arena_alloc(arena, strlen(at));
        for (at++; *at && *at != '"'; at++) {
            if (*at == '\\' && (at[1] == '"' || at[1] == '\\'))
                at++;
            *out++ = *at;
        }
        *out = '\0';
        return *at ? value : NULL;
    }
    return NULL;
}

/* The parsed headers of a part. */
struct part_head {
    const char *name;
    const char *file_name;
    const char *content_type;
};

static bool read_head(struct reader *reader, struct part_head *head)
{
    struct arena *arena = reader->serving->request.arena;
    size_t total = 0;
    const char *line;

    *head = (struct part_head){0};
    while ((line = read_line(reader)) != NULL && *line) {
        total += strlen(line);
        if (total > HEADERS_MAX)
            return false;
        if (strncasecmp(line, "Content-Disposition:", 20) == 0) {
            head->name = parameter(arena, line, "name");
            head->file_name = parameter(arena, line, "filename");
        } else if (strncasecmp(line, "Content-Type:", 13) == 0) {
            head->content_type = line + 13 + strspn(line + 13, " \t");
        }
    }
    return line && head->name;
}

static const struct form_part_rule *find_rule(const struct form_rule *rule, const char *name)
{
    for (size_t i = 0; i < rule->part_count; i++)
        if (strcmp(rule->parts[i].name, name) == 0)
            return &rule->parts[i];
    return NULL;
}

static size_t count_parts(const struct form *form, const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < form->count; i++)
        count += strcmp(form->parts[i].name, name) == 0;
    return count;
}

static int open_nameless(const struct http_policy *policy)
{
    const char *temporary = getenv("TMPDIR");
    const char *folder = policy->data_directory ? policy->data_directory
                         : temporary            ? temporary
                                                : "/tmp";
    char path[PATH_MAX];
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return file;
    if (snprintf(path, sizeof path, "%s/form-XXXXXX", folder) >= (int)sizeof path)
        return -1;
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

static bool fault(struct reader *reader, const char *field, const char *type, const char *message)
{
    (void)request_fault(&reader->serving->request, "body", field, type, message);
    answer_faults(reader->serving);
    reader->answered = true;
    return false;
}

static bool unknown_part(struct reader *reader, const char *name)
{
    return fault(reader, name, "extra_forbidden", "Extra inputs are not permitted");
}

/* Adds the next part to the form. */
static bool begin_part(struct reader *reader, const struct part_head *head, struct sink *sink)
{
    const struct http_policy *policy = reader->serving->policy;
    const struct form_part_rule *rule = find_rule(reader->rule, head->name);
    struct form *form = reader->form;
    struct form_part *part;

    *sink = (struct sink){.limit = FORM_TEXT_MAX};
    if (!rule)
        return unknown_part(reader, head->name);
    if (form->count == FORM_PARTS_MAX ||
        count_parts(form, head->name) >= (rule->most ? rule->most : 1))
        return fault(reader, rule->name, "too_long", "Too many parts of this name");
    part = &form->parts[form->count];
    *part = (struct form_part){.name = rule->name, .content_type = head->content_type, .file = -1};
    if (rule->file) {
        sink->limit =
            reader->rule->file_limit ? policy->body_limits[reader->rule->file_limit] : SIZE_MAX;
        part->file_name = head->file_name ? head->file_name : "";
        part->file = open_nameless(policy);
        if (part->file < 0)
            return disk_failed(reader);
    } else {
        text_start(&sink->text, reader->serving->request.arena, FORM_TEXT_MAX);
    }
    sink->part = part;
    form->count++;
    return true;
}

static bool end_part(struct reader *reader, struct sink *sink)
{
    struct form_part *part = sink->part;

    if (!part)
        return true;
    if (part->file >= 0)
        return lseek(part->file, 0, SEEK_SET) == 0 || disk_failed(reader);
    part->text = sink->text.bytes;
    if (utf8_valid_prefix(part->text, part->length) != part->length ||
        strlen(part->text) != part->length)
        return fault(reader, part->name, "string_unicode", "Input should be valid text");
    return true;
}

/* After a delimiter: "--" is the end, CR LF the next part. */
static bool next_part(struct reader *reader, bool *ended)
{
    const char *line;

    while (reader->end - reader->begin < 2)
        if (!fill(reader))
            return false;
    *ended = memcmp(reader->window + reader->begin, "--", 2) == 0;
    if (*ended)
        return true;
    line = read_line(reader);
    return line && line[strspn(line, " \t")] == '\0';
}

/* The epilogue is ignored, but counts against the limit. */
static void drop_rest(struct reader *reader)
{
    do
        reader->begin = reader->end;
    while (fill(reader));
}

static enum outcome read_parts(struct reader *reader)
{
    struct sink sink = {0};
    struct part_head head;
    bool ended = false;

    /* Makes a delimiter at the very beginning look like the others. */
    memcpy(reader->window, "\r\n", 2);
    reader->end = 2;
    if (!read_content(reader, &sink))
        return reader->answered ? OUTCOME_ANSWERED : OUTCOME_MALFORMED;
    while (next_part(reader, &ended) && !ended)
        if (!read_head(reader, &head) || !begin_part(reader, &head, &sink) ||
            !read_content(reader, &sink) || !end_part(reader, &sink))
            return reader->answered ? OUTCOME_ANSWERED : OUTCOME_MALFORMED;
    if (ended)
        drop_rest(reader);
    return reader->answered ? OUTCOME_ANSWERED : ended ? OUTCOME_DONE : OUTCOME_MALFORMED;
}

static bool add_pair(struct reader *reader, const char *name, const char *value)
{
    struct form *form = reader->form;
    const struct form_part_rule *rule = find_rule(reader->rule, name);

    if (!rule)
        return unknown_part(reader, name);
    if (rule->file)
        return fault(reader, name, "value_error",
                     "Value error, a file has to be sent as multipart/form-data");
    if (form->count == FORM_PARTS_MAX || count_parts(form, name) >= (rule->most ? rule->most : 1))
        return fault(reader, rule->name, "too_long", "Too many parts of this name");
    form->parts[form->count++] =
        (struct form_part){.name = rule->name, .text = value, .file = -1, .length = strlen(value)};
    return true;
}

static enum outcome read_urlencoded(struct reader *reader)
{
    struct arena *arena = reader->serving->request.arena;
    struct text text;

    text_start(&text, arena, URLENCODED_MAX);
    while (fill(reader)) {
        text_append(&text, reader->window, reader->end);
        reader->begin = reader->end;
        if (text.overflowed) {
            answer_too_large(reader->serving, 0, URLENCODED_MAX);
            return OUTCOME_ANSWERED;
        }
    }
    if (reader->answered)
        return OUTCOME_ANSWERED;
    for (const char *at = text.bytes; *at;) {
        size_t length = strcspn(at, "&");
        size_t name = strcspn(at, "=&");
        size_t value = name < length ? name + 1 : length;

        if (!add_pair(reader, form_decode(arena, at, name),
                      form_decode(arena, at + value, length - value)))
            return OUTCOME_ANSWERED;
        at += length + (at[length] == '&');
    }
    return OUTCOME_DONE;
}

static bool has_type(const char *type, const char *wanted)
{
    size_t length = strlen(wanted);

    return type && strncasecmp(type, wanted, length) == 0 &&
           (type[length] == '\0' || strchr("; \t", type[length]));
}

static bool set_delimiter(struct reader *reader, const char *content_type)
{
    const char *boundary = parameter(reader->serving->request.arena, content_type, "boundary");
    size_t length = boundary ? strlen(boundary) : 0;

    if (length == 0 || length > BOUNDARY_MAX)
        return false;
    memcpy(reader->delimiter, "\r\n--", 4);
    memcpy(reader->delimiter + 4, boundary, length);
    reader->delimiter_length = length + 4;
    return true;
}

static bool has_required_parts(struct reader *reader)
{
    for (size_t i = 0; i < reader->rule->part_count; i++) {
        const struct form_part_rule *rule = &reader->rule->parts[i];

        if (rule->required && count_parts(reader->form, rule->name) == 0)
            (void)request_fault(&reader->serving->request, "body", rule->name, "missing",
                                "Field required");
    }
    if (reader->serving->request.fault_count == 0)
        return true;
    answer_faults(reader->serving);
    return false;
}

static bool bad_form(struct serving *serving, const char *detail)
{
    answer_error(serving, 400, "bad_request", detail);
    return false;
}

static void note_digest(struct reader *reader)
{
    char *sha256, no_key[DIGEST_SHA256_TEXT];

    if (!reader->digest)
        return;
    sha256 = arena_alloc(reader->serving->request.arena, DIGEST_SHA256_TEXT);
    digest_stream_end(reader->digest, sha256, no_key);
    reader->serving->request.form_sha256 = sha256;
}

static bool read_form(struct reader *reader)
{
    struct serving *serving = reader->serving;
    const char *type = serving->exchange->variable(serving->exchange->transport, "CONTENT_TYPE");
    enum outcome outcome = OUTCOME_DONE;

    if (has_type(type, "multipart/form-data")) {
        if (!set_delimiter(reader, type))
            return bad_form(serving, "Missing boundary in multipart.");
        outcome = read_parts(reader);
    } else if (has_type(type, "application/x-www-form-urlencoded")) {
        outcome = read_urlencoded(reader);
    }
    if (outcome == OUTCOME_MALFORMED)
        return bad_form(serving, "There was an error parsing the body");
    if (outcome == OUTCOME_DONE)
        note_digest(reader);
    return outcome == OUTCOME_DONE && has_required_parts(reader);
}

bool step_form(struct serving *serving)
{
    const struct form_rule *rule = serving->match.route->form;
    struct reader *reader;

    if (!rule)
        return true;
    reader = ARENA_NEW(serving->request.arena, struct reader);
    reader->serving = serving;
    reader->rule = rule;
    reader->form = serving->request.form = ARENA_NEW(serving->request.arena, struct form);
    if (serving->server->policy.digests_forms)
        reader->digest = digest_stream_start(serving->request.arena, NULL);
    return read_form(reader);
}

void form_close(struct form *form)
{
    for (size_t i = 0; form && i < form->count; i++) {
        if (form->parts[i].file >= 0)
            close(form->parts[i].file);
        form->parts[i].file = -1;
    }
}

const struct form_part *form_find(const struct form *form, const char *name)
{
    for (size_t i = 0; i < form->count; i++)
        if (strcmp(form->parts[i].name, name) == 0)
            return &form->parts[i];
    return NULL;
}

/* Where an unnamed file cannot be linked (no /proc, another file system), its bytes are copied. */
static bool copy_to(const struct form_part *part, const char *path)
{
    char bytes[16 * 1024];
    off_t at = 0;
    ssize_t count;
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool copied = file >= 0;

    while (copied && (count = pread(part->file, bytes, sizeof bytes, at)) != 0) {
        copied = count > 0 && write_all(file, bytes, (size_t)count);
        at += count;
    }
    copied = copied && fsync(file) == 0;
    if (file >= 0)
        close(file);
    return copied;
}

/* Only then does a new name survive a power failure. */
static bool sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int file;
    bool synced;

    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - path) : 1,
             slash ? path : ".");
    file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    synced = file >= 0 && fsync(file) == 0;
    if (file >= 0)
        close(file);
    return synced;
}

enum error form_save(const struct form_part *part, const char *path, struct problem *problem)
{
    const char *slash = strrchr(path, '/');
    char source[64], beside[PATH_MAX];
    bool saved;
    int why;

    snprintf(source, sizeof source, "/proc/self/fd/%d", part->file);
    /* The temporary name is short, because `path` may have the longest name that the file system
     * takes. */
    if (snprintf(beside, sizeof beside, "%.*s.new-%ld", slash ? (int)(slash + 1 - path) : 0, path,
                 (long)getpid()) >= (int)sizeof beside)
        return problem_set(problem, ERROR_INVALID, "file_not_saved", "the name is too long");
    unlink(beside);
    saved = (fsync(part->file) == 0 &&
             linkat(AT_FDCWD, source, AT_FDCWD, beside, AT_SYMLINK_FOLLOW) == 0) ||
            copy_to(part, beside);
    if (saved && rename(beside, path) == 0 && sync_folder(path))
        return ERROR_NONE;
    why = errno;
    unlink(beside);
    return problem_set(problem, ERROR_UNAVAILABLE, disk_reason(why, "file_not_saved"),
                       "%s cannot be written: %s", path, strerror(why));
}
