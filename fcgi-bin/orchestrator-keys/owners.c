/* Customers and teams over HTTP. */
#include "orchestrator-keys/owners.h"

#include "orchestrator-keys/call.h"

#define NAME_FIELD                                                                                 \
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = KEY_NAME_MAX)
#define ACTIVE_FIELD                                                                               \
    BOOLEAN(OWNER, active, .default_value = 1, .help = "False: none of its keys can be used.")

struct customer_body {
    const char *name;
    bool active;
};

#define OWNER struct customer_body
static const struct field customer_body_fields[] = {NAME_FIELD, ACTIVE_FIELD};
#undef OWNER
SCHEMA(customer_body_schema, struct customer_body, "CustomerRequest", customer_body_fields,
       .answer = &customer_schema, .example = "{\"name\":\"Northwind\"}");

struct team_body {
    const char *name, *customer_id;
    bool active;
};

#define OWNER struct team_body
static const struct field team_body_fields[] = {
    NAME_FIELD, STRING(OWNER, customer_id, .nullable = true, .max_length = 64), ACTIVE_FIELD};
#undef OWNER
SCHEMA(team_body_schema, struct team_body, "TeamRequest", team_body_fields, .answer = &team_schema,
       .example = "{\"name\":\"Search\"}");

struct customer_list {
    OBJECT_LIST(struct customer, customers);
};
struct team_list {
    OBJECT_LIST(struct team, teams);
};

#define OWNER struct customer_list
static const struct field customer_list_fields[] = {OBJECTS(OWNER, customers, customer_schema)};
#undef OWNER
SCHEMA(customer_list_schema, struct customer_list, "CustomerList", customer_list_fields);

#define OWNER struct team_list
static const struct field team_list_fields[] = {OBJECTS(OWNER, teams, team_schema)};
#undef OWNER
SCHEMA(team_list_schema, struct team_list, "TeamList", team_list_fields);

enum error customers_list(struct request *request, struct reply *reply)
{
    struct customer_list *answer = ARENA_NEW(request->arena, struct customer_list);
    struct key_store_call call;
    enum error error = keys_begin(request, &call);

    reply->object = answer;
    return error ? error : customer_list(&call, &answer->customers);
}

static enum error show_customer(struct request *request, const struct key_store_call *call,
                                const char *id, struct reply *reply)
{
    struct object_list list;
    enum error error = customer_list(call, &list);

    return error ? error : keys_show(request, &list, sizeof(struct customer), id, reply);
}

static enum error read_customer(struct request *request, struct customer *customer)
{
    const struct customer_body *body = request->body;

    *customer = (struct customer){.name = body->name, .active = body->active};
    return keys_check_name(request, &customer->name);
}

enum error customers_create(struct request *request, struct reply *reply)
{
    struct customer customer;
    struct key_store_call call;
    enum error error = read_customer(request, &customer);

    if (!error)
        error = keys_begin_change(request, &call);
    if (error)
        return error;
    error = customer_add(&call, &customer);
    if (!error)
        error = show_customer(request, &call, customer.id, reply);
    return db_finish(call.db, error, call.problem);
}

enum error customers_update(struct request *request, struct reply *reply)
{
    struct customer customer;
    struct key_store_call call;
    enum error error = read_customer(request, &customer);

    customer.id = request->arguments[0];
    if (!error)
        error = keys_begin_change(request, &call);
    if (error)
        return error;
    error = customer_update(&call, &customer);
    if (!error)
        error = show_customer(request, &call, customer.id, reply);
    return db_finish(call.db, error, call.problem);
}

enum error customers_delete(struct request *request, struct reply *reply)
{
    struct key_store_call call;
    enum error error = keys_begin(request, &call);

    (void)reply;
    return error ? error : customer_delete(&call, request->arguments[0]);
}

enum error teams_list(struct request *request, struct reply *reply)
{
    struct team_list *answer = ARENA_NEW(request->arena, struct team_list);
    struct key_store_call call;
    enum error error = keys_begin(request, &call);

    reply->object = answer;
    return error ? error : team_list(&call, &answer->teams);
}

static enum error show_team(struct request *request, const struct key_store_call *call,
                            const char *id, struct reply *reply)
{
    struct object_list list;
    enum error error = team_list(call, &list);

    return error ? error : keys_show(request, &list, sizeof(struct team), id, reply);
}

static enum error read_team(struct request *request, struct team *team)
{
    const struct team_body *body = request->body;

    *team =
        (struct team){.name = body->name, .customer_id = body->customer_id, .active = body->active};
    return keys_check_name(request, &team->name);
}

enum error teams_create(struct request *request, struct reply *reply)
{
    struct team team;
    struct key_store_call call;
    enum error error = read_team(request, &team);

    if (!error)
        error = keys_begin_change(request, &call);
    if (error)
        return error;
    error = team_add(&call, &team);
    if (!error)
        error = show_team(request, &call, team.id, reply);
    return db_finish(call.db, error, call.problem);
}

enum error teams_update(struct request *request, struct reply *reply)
{
    struct team team;
    struct key_store_call call;
    enum error error = read_team(request, &team);

    team.id = request->arguments[0];
    if (!error)
        error = keys_begin_change(request, &call);
    if (error)
        return error;
    error = team_update(&call, &team);
    if (!error)
        error = show_team(request, &call, team.id, reply);
    return db_finish(call.db, error, call.problem);
}

enum error teams_delete(struct request *request, struct reply *reply)
{
    struct key_store_call call;
    enum error error = keys_begin(request, &call);

    (void)reply;
    return error ? error : team_delete(&call, request->arguments[0]);
}
