/* Records as lines of a body, plain or gzip: unpacked, cut into lines and taken a batch at a time,
 * so that memory does not grow with the body; all of them in one transaction. */
#include "experiments-live/live.h"

#include "base/gunzip.h"
#include "experiments/live/lines.h"

#include <string.h>
#include <strings.h>

enum { ERRORS_REPORTED = 1000 };

struct lines_reply {
    int64_t received;
    int64_t recorded;
    int64_t deduplicated;
    int64_t refused;
    OBJECT_LIST(struct live_line_error, errors); /* struct live_line_error */
};

#define OWNER struct live_line_error
static const struct field line_error_fields[] = {
    INTEGER(OWNER, line, .help = "Counted from 1."),
    STRING(OWNER, field, .nullable = true),
    STRING(OWNER, message),
};
#undef OWNER
static SCHEMA(line_error_schema, struct live_line_error, "LineError", line_error_fields);

#define OWNER struct lines_reply
static const struct field lines_reply_fields[] = {
    INTEGER(OWNER, received, .help = "Lines that are not blank."),
    INTEGER(OWNER, recorded),
    INTEGER(OWNER, deduplicated),
    INTEGER(OWNER, refused, .help = "Lines that could not be taken; the others were."),
    OBJECTS(OWNER, errors, line_error_schema, .help = "Of the first thousand of them."),
};
#undef OWNER
SCHEMA(lines_reply_schema, struct lines_reply, "LinesReply", lines_reply_fields);

/* The bytes of the body, unpacked, as lines. */
struct source {
    const char *at, *end;  /* of a plain body */
    struct gunzip *packed; /* NULL = a plain one */
    char bytes[LIVE_LINE_MAX + 1];
    size_t filled, taken; /* of `bytes` */
    bool ended;
    int64_t number; /* of the line */
};

/* What the batches of a body share. `arena` holds one of them at a time. */
struct intake {
    struct request *request;
    struct arena *arena;
    struct live_call call;
    struct kafka_intake_target target;
    struct source source;
    struct live_outcome outcome;
    struct lines_reply *answer;
};

static enum error fill(struct intake *intake)
{
    struct source *source = &intake->source;
    size_t count = sizeof source->bytes - (source->filled - source->taken);

    memmove(source->bytes, source->bytes + source->taken, source->filled - source->taken);
    source->filled -= source->taken;
    source->taken = 0;
    if (source->packed) {
        enum error error = gunzip_read(source->packed, source->bytes + source->filled, count,
                                       &count, &intake->request->problem);
        if (error)
            return error;
    } else {
        count =
            count < (size_t)(source->end - source->at) ? count : (size_t)(source->end - source->at);
        memcpy(source->bytes + source->filled, source->at, count);
        source->at += count;
    }
    source->filled += count;
    source->ended = count == 0;
    return ERROR_NONE;
}

/* The next line where it lies, without its end: NULL at the end of the body. Of one that is too
 * long only the beginning comes. */
static enum error next_line(struct intake *intake, const char **line, size_t *length,
                            bool *too_long)
{
    struct source *source = &intake->source;
    const char *stop = NULL;
    enum error error = ERROR_NONE;

    *too_long = false;
    for (;;) {
        *line = source->bytes + source->taken;
        *length = source->filled - source->taken;
        stop = memchr(*line, '\n', *length);
        if (stop || source->ended)
            break;
        if (*length > LIVE_LINE_MAX) {
            *too_long = true;
            source->taken = source->filled;
        }
        error = fill(intake);
        if (error)
            return error;
    }
    source->number++;
    if (stop)
        *length = (size_t)(stop - *line);
    else if (*length == 0 && !*too_long)
        *line = NULL;
    source->taken += *length + (stop != NULL);
    return ERROR_NONE;
}

/* Decodes up to a batch of lines; `*more` is whether any may follow. */
static enum error read_batch(struct intake *intake, struct live_lines *lines, bool *more)
{
    enum error error = ERROR_NONE;

    live_lines_start(lines, intake->target.kind, intake->arena, LIVE_BATCH_MAX);
    for (int i = 0; *more && i < LIVE_BATCH_MAX; i++) {
        const char *line;
        size_t length;
        bool too_long;

        error = next_line(intake, &line, &length, &too_long);
        if (error)
            return error;
        *more = line != NULL;
        if (too_long)
            live_lines_refuse(lines, intake->source.number, "is too long");
        else if (line)
            live_lines_add_json(lines, intake->source.number, line, length);
    }
    return ERROR_NONE;
}

static void report_errors(struct intake *intake, const struct live_lines *lines)
{
    struct arena *arena = intake->request->arena;
    struct live_line_error *reported = intake->answer->errors.items;

    intake->answer->refused += (int64_t)lines->error_count;
    for (size_t i = 0; i < lines->error_count && intake->answer->errors.count < ERRORS_REPORTED;
         i++) {
        struct live_line_error *error = &reported[intake->answer->errors.count++];

        *error = lines->errors[i];
        error->field = error->field ? arena_copy_string(arena, error->field) : NULL;
        error->message = arena_copy_string(arena, error->message);
    }
}

/* Records a batch, or publishes it. */
static enum error take_batch(struct intake *intake, const struct live_call *call,
                             const struct live_lines *lines)
{
    struct object_list published;
    struct live_outcome outcome;
    enum error error;

    if (service_settings(intake->request)->intake == KAFKA_INTAKE_KAFKA) {
        intake->outcome.received += (int64_t)lines->records.count;
        return lines->records.count ? live_publish(intake->request, call, &intake->target,
                                                   &lines->records, &published)
                                    : ERROR_NONE;
    }
    error = live_ingest(call, intake->target.experiment_id, intake->target.kind, &lines->records,
                        &outcome);
    intake->outcome.received += outcome.received;
    intake->outcome.recorded += outcome.recorded;
    intake->outcome.deduplicated += outcome.deduplicated;
    return error;
}

/* Batches of one transaction. */
static enum error take_batches(struct intake *intake)
{
    struct live_call call = intake->call;
    enum error error = ERROR_NONE;
    bool more = true;

    call.arena = intake->arena;
    while (!error && more) {
        struct live_lines lines;

        error = read_batch(intake, &lines, &more);
        if (error)
            return error;
        report_errors(intake, &lines);
        error = take_batch(intake, &call, &lines);
        arena_reset(intake->arena);
    }
    return error;
}

/* Each batch frees its memory: batches use an arena below the request's. */
static enum error take_all(struct intake *intake)
{
    struct request *request = intake->request;
    enum error error;

    intake->arena = arena_create_below(request->arena,
                                       (size_t)service_settings(request)->max_request_memory_bytes);
    if (!intake->arena)
        return problem_set(&request->problem, ERROR_SYSTEM, "out_of_memory",
                           "no memory for a batch");
    if (service_settings(request)->intake == KAFKA_INTAKE_KAFKA) {
        error = live_check_experiment(&intake->call, intake->target.experiment_id,
                                      &intake->target.buckets);
        error = error ? error : take_batches(intake);
    } else {
        error = db_begin(intake->call.db, DB_WRITE, &request->problem);
        if (!error)
            error = db_finish(intake->call.db, take_batches(intake), &request->problem);
    }
    arena_destroy(intake->arena);
    return error;
}

/* Plain or gzip, as Content-Encoding says. */
static enum error open_source(struct request *request, struct source *source)
{
    const char *coding = request_header(request, "HTTP_CONTENT_ENCODING");
    size_t most = (size_t)service_settings(request)->max_unpacked_body_bytes;

    *source = (struct source){.at = request->bytes ? request->bytes : ""};
    source->end = source->at + request->length;
    if (!coding || !*coding || strcasecmp(coding, "identity") == 0)
        return ERROR_NONE;
    if (strcasecmp(coding, "gzip") != 0 && strcasecmp(coding, "x-gzip") != 0)
        return problem_set(&request->problem, ERROR_INVALID, "content_coding",
                           "Content-Encoding is neither gzip nor identity");
    source->packed = gunzip_start(request->arena, source->at, request->length, most);
    return ERROR_NONE;
}

static enum error take_lines(struct request *request, struct reply *reply, enum live_kind kind)
{
    struct intake *intake = ARENA_NEW(request->arena, struct intake);
    struct lines_reply *answer = ARENA_NEW(request->arena, struct lines_reply);
    enum error error = live_begin(request, &intake->call);

    intake->request = request;
    intake->target =
        (struct kafka_intake_target){.experiment_id = request->arguments[0], .kind = kind};
    intake->answer = answer;
    answer->errors.items = ARENA_ARRAY(request->arena, struct live_line_error, ERRORS_REPORTED);
    if (!error)
        error = open_source(request, &intake->source);
    if (!error)
        error = take_all(intake);
    if (error)
        return error;
    answer->received = intake->outcome.received + answer->refused;
    answer->recorded = intake->outcome.recorded;
    answer->deduplicated = intake->outcome.deduplicated;
    if (service_settings(request)->intake == KAFKA_INTAKE_KAFKA)
        reply->status = 202;
    reply->object = answer;
    return ERROR_NONE;
}

enum error live_handle_exposure_lines(struct request *request, struct reply *reply)
{
    return take_lines(request, reply, LIVE_EXPOSURES);
}

enum error live_handle_conversion_lines(struct request *request, struct reply *reply)
{
    return take_lines(request, reply, LIVE_CONVERSIONS);
}

enum error live_handle_identity_lines(struct request *request, struct reply *reply)
{
    return take_lines(request, reply, LIVE_IDENTITIES);
}

enum error live_handle_exclusion_lines(struct request *request, struct reply *reply)
{
    return take_lines(request, reply, LIVE_EXCLUSIONS);
}

enum error live_handle_holdout_lines(struct request *request, struct reply *reply)
{
    return take_lines(request, reply, LIVE_HOLDOUTS);
}

enum error live_handle_pre_period_lines(struct request *request, struct reply *reply)
{
    return take_lines(request, reply, LIVE_PRE_PERIODS);
}

enum error live_handle_stratum_lines(struct request *request, struct reply *reply)
{
    return take_lines(request, reply, LIVE_STRATA);
}
