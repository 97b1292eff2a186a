/* Guardrail alarms of an experiment: listed, added, taken away. */
#include "experiments-live/live.h"

#include "base/clock.h"

struct alarms_reply {
    const char *experiment_id;
    OBJECT_LIST(struct alarm, alarms);
};

#define OWNER struct alarms_reply
static const struct field reply_fields[] = {
    STRING(OWNER, experiment_id),
    OBJECTS(OWNER, alarms, experiment_alarm_schema, .help = "Oldest first."),
};
#undef OWNER
SCHEMA(alarms_reply_schema, struct alarms_reply, "ExperimentAlarms", reply_fields,
       .help = "Figures of live data that watch an experiment.");

static struct alarm_call call_of(const struct live_call *call)
{
    return (struct alarm_call){call->db, call->arena, call->problem};
}

static enum error answer(struct request *request, struct reply *reply, const struct live_call *live)
{
    struct alarms_reply *answer = ARENA_NEW(request->arena, struct alarms_reply);
    const struct alarm_call call = call_of(live);
    struct alarm_list alarms;
    enum error error =
        alarm_read_all(&call, request->arguments[0], clock_unix_microseconds(), &alarms);

    if (error)
        return error;
    answer->experiment_id = request->arguments[0];
    answer->alarms = (struct object_list){alarms.count, alarms.items};
    reply->object = answer;
    return ERROR_NONE;
}

enum error live_handle_alarms(struct request *request, struct reply *reply)
{
    const char *version;
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (!error)
        error = live_read_version(&call, request->arguments[0], &version); /* is there one? */
    return error ? error : answer(request, reply, &call);
}

enum error live_handle_add_alarm(struct request *request, struct reply *reply)
{
    struct alarm *alarm = ARENA_NEW(request->arena, struct alarm);
    struct alarm_call alarms;
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (error)
        return error;
    alarms = call_of(&call);
    reply->object = alarm;
    return alarm_create(&alarms, service_actor(request), request->arguments[0], request->body,
                        service_settings(request)->sources.alarms, alarm);
}

enum error live_handle_remove_alarm(struct request *request, struct reply *reply)
{
    struct alarm_call alarms;
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (error)
        return error;
    alarms = call_of(&call);
    error =
        alarm_delete(&alarms, service_actor(request), request->arguments[0], request->arguments[1]);
    return error ? error : answer(request, reply, &call);
}
