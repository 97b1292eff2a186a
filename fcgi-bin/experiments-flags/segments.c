/* Segments of users: definitions with If-Match, and lists that are sent as lines of text. */
#include "experiments-flags/segments.h"

#include "experiments/service.h"

#include <string.h>

enum { SEARCH_MAX_LENGTH = 200, LIST_LIMIT_MAX = 200, USERS_LIMIT_MAX = 5000 };

struct segments_query {
    const char *q;
    int64_t limit;
    int64_t offset;
};

struct segments_reply {
    OBJECT_LIST(struct segment, segments);
    int64_t total;
};

struct segment_reply {
    const struct segment *segment;
    OBJECT_LIST(struct segment_use, uses);
};

struct segment_deleted {
    const char *id;
    bool deleted;
};

struct segment_upload_query {
    int change; /* enum segment_change */
};

struct segment_upload_reply {
    const struct segment *segment;
    int64_t lines;
    int64_t users_before;
};

struct segment_users_query {
    const char *after;
    int64_t limit;
};

struct segment_users_reply {
    struct string_list users;
    bool more;
};

#define OWNER struct segments_query
static const struct field query_fields[] = {
    STRING(OWNER, q, .nullable = true, .max_length = SEARCH_MAX_LENGTH, .help = "Part of a name."),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(LIST_LIMIT_MAX),
            .default_value = 100),
    INTEGER(OWNER, offset, .lower = AT_LEAST(0)),
};
#undef OWNER
SCHEMA(segments_query_schema, struct segments_query, "SegmentsQuery", query_fields);

#define OWNER struct segments_reply
static const struct field list_fields[] = {
    OBJECTS(OWNER, segments, segment_schema, .help = "By name."),
    INTEGER(OWNER, total),
};
#undef OWNER
SCHEMA(segments_reply_schema, struct segments_reply, "SegmentList", list_fields,
       .help = "Segments of users.");

#define OWNER struct segment_reply
static const struct field reply_fields[] = {
    OBJECT(OWNER, segment, segment_schema),
    OBJECTS(OWNER, uses, segment_use_schema, .help = "At most 500; segment.use_count has all."),
};
#undef OWNER
SCHEMA(segment_reply_schema, struct segment_reply, "SegmentReply", reply_fields,
       .help = "A segment with the projects whose design names it.");

#define OWNER struct segment_deleted
static const struct field deleted_fields[] = {STRING(OWNER, id), BOOLEAN(OWNER, deleted)};
#undef OWNER
SCHEMA(segment_deleted_schema, struct segment_deleted, "SegmentDeleted", deleted_fields,
       .help = "The segment is gone.");

#define OWNER struct segment_upload_query
static const struct field upload_query_fields[] = {
    CHOICE(OWNER, change, segment_change_names, .choice_count = SEGMENT_CHANGE__MAX,
           .help = "add: to the list; remove: from it; replace: the list is what is sent."),
};
#undef OWNER
SCHEMA(segment_upload_query_schema, struct segment_upload_query, "SegmentUploadQuery",
       upload_query_fields);

#define OWNER struct segment_upload_reply
static const struct field upload_reply_fields[] = {
    OBJECT(OWNER, segment, segment_schema, .help = "As it is now."),
    INTEGER(OWNER, lines, .help = "With a user; users may be named more than once."),
    INTEGER(OWNER, users_before, .help = "Users of the list before."),
};
#undef OWNER
SCHEMA(segment_upload_reply_schema, struct segment_upload_reply, "SegmentUploadReply",
       upload_reply_fields, .help = "What became of a list.");

#define OWNER struct segment_users_query
static const struct field users_query_fields[] = {
    STRING(OWNER, after, .nullable = true, .max_length = SEGMENT_USER_MAX,
           .help = "The last user of the page before."),
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(USERS_LIMIT_MAX),
            .default_value = 100),
};
#undef OWNER
SCHEMA(segment_users_query_schema, struct segment_users_query, "SegmentUsersQuery",
       users_query_fields);

#define OWNER struct segment_users_reply
static const struct field users_reply_fields[] = {
    STRINGS(OWNER, users, .help = "In the order of their bytes."),
    BOOLEAN(OWNER, more, .help = "There are users after these."),
};
#undef OWNER
SCHEMA(segment_users_reply_schema, struct segment_users_reply, "SegmentUsers", users_reply_fields,
       .help = "Users of the list of a segment.");

static enum error begin(struct request *request, struct project_call *call)
{
    *call = (struct project_call){
        .arena = request->arena, .actor = service_actor(request), .problem = &request->problem};
    return service_database(request, &call->db);
}

static enum error begin_writing(struct request *request, struct project_call *call)
{
    enum error error = begin(request, call);

    return error ? error : db_begin(call->db, DB_WRITE, call->problem);
}

static void add_version(struct reply *reply, struct arena *arena, const struct segment *segment)
{
    reply_add_header(reply, "ETag", arena_print(arena, "\"%lld\"", (long long)segment->version));
}

enum error segments_handle_list(struct request *request, struct reply *reply)
{
    const struct segments_query *query = request->query;
    struct segments_reply *answer = ARENA_NEW(request->arena, struct segments_reply);
    struct project_page page = {.limit = query->limit, .offset = query->offset};
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = segment_list(&call, query->q, &page);
    answer->segments.items = page.items.items;
    answer->segments.count = page.items.count;
    answer->total = page.total;
    reply->object = answer;
    return error;
}

/* The whole answer about a segment that is stored. */
static enum error compose(const struct project_call *call, const struct segment *segment,
                          struct reply *reply)
{
    struct segment_reply *answer = ARENA_NEW(call->arena, struct segment_reply);
    struct object_list uses;
    enum error error = segment_uses(call, segment, &uses);

    if (error)
        return error;
    answer->segment = segment;
    answer->uses.items = uses.items;
    answer->uses.count = uses.count;
    add_version(reply, call->arena, segment);
    reply->object = answer;
    return ERROR_NONE;
}

enum error segments_handle_read(struct request *request, struct reply *reply)
{
    struct segment *segment = ARENA_NEW(request->arena, struct segment);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = segment_read(&call, request->arguments[0], segment);
    return error ? error : compose(&call, segment, reply);
}

enum error segments_handle_create(struct request *request, struct reply *reply)
{
    struct segment *segment = ARENA_NEW(request->arena, struct segment);
    struct project_call call;
    enum error error = begin_writing(request, &call);

    if (error)
        return error;
    error = segment_create(&call, request->body, service_settings(request)->max_segments, segment);
    if (!error)
        error = compose(&call, segment, reply);
    return db_finish(call.db, error, call.problem);
}

enum error segments_handle_update(struct request *request, struct reply *reply)
{
    struct segment *segment = ARENA_NEW(request->arena, struct segment);
    struct project_call call;
    enum error error = begin_writing(request, &call);

    if (error)
        return error;
    error = segment_update(&call, request->arguments[0], request_header(request, "HTTP_IF_MATCH"),
                           request->body, segment);
    if (!error)
        error = compose(&call, segment, reply);
    return db_finish(call.db, error, call.problem);
}

enum error segments_handle_delete(struct request *request, struct reply *reply)
{
    struct segment_deleted *answer = ARENA_NEW(request->arena, struct segment_deleted);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error =
            segment_delete(&call, request->arguments[0], request_header(request, "HTTP_IF_MATCH"));
    *answer = (struct segment_deleted){.id = request->arguments[0], .deleted = true};
    reply->object = answer;
    return error;
}

enum error segments_handle_users(struct request *request, struct reply *reply)
{
    const struct segment_users_query *query = request->query;
    struct segment_users_reply *answer = ARENA_NEW(request->arena, struct segment_users_reply);
    struct project_call call;
    struct segment segment;
    enum error error = begin(request, &call);

    if (!error)
        error = segment_read(&call, request->arguments[0], &segment);
    if (!error)
        error = segment_users(&call, &segment, query->after, query->limit + 1, &answer->users);
    answer->more = answer->users.count > (size_t)query->limit;
    if (answer->more)
        answer->users.count--;
    reply->object = answer;
    return error;
}

enum error segments_handle_upload(struct request *request, struct reply *reply)
{
    const struct segment_upload_query *query = request->query;
    struct segment_upload_reply *answer = ARENA_NEW(request->arena, struct segment_upload_reply);
    struct segment *segment = ARENA_NEW(request->arena, struct segment);
    char *bytes = arena_alloc(request->arena, request->length + 1);
    struct segment_upload upload = {.change = query->change,
                                    .users_max = service_settings(request)->segment_users_max,
                                    .if_match = request_header(request, "HTTP_IF_MATCH")};
    struct project_call call;
    enum error error = begin(request, &call);

    if (request->length)
        memcpy(bytes, request->bytes, request->length);
    upload.lines = segment_lines_start(bytes, request->length);
    if (!error)
        error = segment_change_users(&call, request->arguments[0], &upload, segment);
    if (error)
        return error;
    add_version(reply, request->arena, segment);
    *answer = (struct segment_upload_reply){segment, upload.lines_read, upload.users_before};
    reply->object = answer;
    return ERROR_NONE;
}
