/* What the handlers of a request work with: settings and the catalog as the caller sees it, the
 * database, the contexts of reads and writes, and what their answers begin with. */
#include "livedata/service_internal.h"

#include "base/clock.h"
#include "base/log.h"
#include "http/hub.h"
#include "http/replica.h"
#include "livedata/catalog/contracts.h"
#include "livedata/columnar/columnar.h"
#include "livedata/timestamp.h"

#include <string.h>

const struct livedata_settings *service_settings(const struct request *request)
{
    return &service_of(request)->settings;
}

const struct catalog *service_catalog(const struct request *request)
{
    return service_catalog_of(request, request->who.tenant ? request->who.tenant : "default");
}

const struct catalog *service_catalog_of(const struct request *request, const char *tenant)
{
    const struct service *service = service_of(request);

    return tenant_catalog(&service->tenants, tenant, &service->catalog);
}

struct store *service_store(const struct request *request)
{
    return service_of(request)->store;
}

struct live_cache *service_cache(const struct request *request)
{
    return &service_of(request)->cache;
}

const char *service_time_zone(const struct request *request)
{
    const struct service *service = service_of(request);
    const struct tenant *known =
        request->who.tenant ? tenant_find(&service->tenants, request->who.tenant) : NULL;

    return known && known->time_zone ? known->time_zone : service->settings.time_zone;
}

size_t service_fixed_keys(const struct request *request)
{
    return service_of(request)->keys.count;
}

const struct live_key *service_key(const struct request *request)
{
    return service_of(request)->asking.key;
}

struct live_note *service_note(const struct request *request)
{
    return &service_of(request)->asking.note;
}

enum error service_database(struct request *request, struct db **db)
{
    const struct service *service = service_of(request);

    if (request_reads_replica(request, service->replica, store_handle(service->store), db))
        return ERROR_NONE;
    return store_database(service->store, db, &request->problem);
}

static struct columnar_read *columnar_of(struct request *request)
{
    const struct livedata_settings *settings = service_settings(request);
    struct columnar_read *read;

    if (!settings->clickhouse_host)
        return NULL;
    read = ARENA_NEW(request->arena, struct columnar_read);
    *read = (struct columnar_read){.settings = settings, .region = request->server->region};
    return read;
}

int64_t service_clock(const struct request *request)
{
    struct service *service = service_of(request);

    return live_clock_now(&service->clock, store_handle(service->store));
}

struct storage_call service_storage(struct request *request, struct db *db)
{
    return (struct storage_call){
        .db = db,
        .arena = request->arena,
        .problem = &request->problem,
        .tenant = request->who.tenant ? request->who.tenant : "default",
        .now = service_clock(request),
        .columnar = columnar_of(request),
    };
}

struct keys_call service_keys_call(struct request *request, struct db *db)
{
    return (struct keys_call){.db = db,
                              .arena = request->arena,
                              .problem = &request->problem,
                              .settings = service_settings(request),
                              .tenants = &service_of(request)->tenants,
                              .now = clock_unix_microseconds()};
}

/* Without a tenant, rows may be read as long as all of them are of one tenant. */
static enum error require_tenant(struct request *request, const struct reading *reading)
{
    bool several = service_of(request)->tenants.declared;
    enum error error = ERROR_NONE;

    if (request->who.tenant)
        return ERROR_NONE;
    if (!several)
        error = storage_has_tenants(&reading->storage, &several);
    if (error || !several)
        return error;
    return problem_set(&request->problem, ERROR_UNAVAILABLE, "tenant_required",
                       "Tenant context is required for tenant-scoped table 'orders_v2'.");
}

struct live_cache *service_reading_cache(const struct request *request)
{
    return request_data_age(request) ? NULL : &service_of(request)->cache;
}

enum error service_reading(struct request *request, struct reading *reading)
{
    struct service *service = service_of(request);
    struct db *db;
    enum error error = service_database(request, &db);

    if (error)
        return error;
    *reading = (struct reading){.storage = service_storage(request, db),
                                .catalog = service_catalog(request),
                                .settings = &service->settings,
                                .cache = service_reading_cache(request),
                                .fresh.data_age = request_data_age(request),
                                .version = service->asking.version,
                                .types = service->asking.key ? service->asking.key->types : NULL,
                                .key_name = request->who.subject ? request->who.subject : ""};
    return require_tenant(request, reading);
}

void service_apply_as(const struct request *request, const char *tenant, struct apply_call *call)
{
    const struct tenant *known = tenant_find(&service_of(request)->tenants, tenant);

    call->storage.tenant = tenant;
    call->catalog = service_catalog_of(request, tenant);
    call->events_per_day = known ? known->events_per_day : 0;
}

enum error service_applying(struct request *request, struct apply_call *call)
{
    struct service *service = service_of(request);
    struct db *db;
    enum error error = service_database(request, &db);

    if (!error)
        error = service_may_ingest(request);
    if (error)
        return error;
    *call = (struct apply_call){.storage = service_storage(request, db),
                                .cache = &service->cache,
                                .redis = service->redis,
                                .way_in = "http",
                                .ahead_seconds = service->settings.max_clock_ahead_seconds,
                                .sources_max = service->settings.sources_max,
                                .clock_ahead = service->clock.ahead,
                                .hands_on = service->settings.node_role == NODE_EDGE,
                                .outbound = outbound_row};
    service_apply_as(request, call->storage.tenant, call);
    return ERROR_NONE;
}

void service_ring(const struct request *request)
{
    hub_notify(service_of(request)->run_directory, livedata_service.name);
}

enum error service_timestamp(struct request *request, const char *field, const char *text,
                             int64_t *timestamp)
{
    *timestamp = 0;
    if (!text)
        return ERROR_NONE;
    if (timestamp_parse(text, timestamp)) {
        *timestamp =
            *timestamp ? *timestamp : 1; /* 0 stands for now; nothing lies between it and 1 µs */
        return ERROR_NONE;
    }
    return request_fault_in(request, "query", field, text, "datetime_from_date_parsing",
                            "Input should be a valid datetime");
}

enum health_word service_health(struct request *request, const struct reading *reading)
{
    struct service *service = service_of(request);
    struct storage_call call = reading->storage;

    if (!service->asking.health_known) {
        call.db = store_handle(service->store); /* also for an answer of a replica */
        service->asking.health = health_now(&call, &service->settings, &service->cache);
        service->asking.health_known = true;
    }
    return service->asking.health;
}

int64_t service_now(const struct request *request)
{
    return clock_unix_microseconds() + service_of(request)->clock.ahead;
}

const char *service_position(const struct request *request, struct reply *reply,
                             struct live_position position)
{
    char text[POSITION_TEXT];
    const char *kept;

    position_format(position, text);
    if (!*text)
        return NULL;
    kept = arena_copy_string(request->arena, text);
    if (version_has_header(&service_of(request)->catalog, service_of(request)->asking.version,
                           "X-Live-Position"))
        reply_add_header(reply, "X-Live-Position", kept);
    return kept;
}

struct json_writer service_writer(struct reply *reply)
{
    struct json_writer writer;

    writer_start(&writer, &reply->body);
    return writer;
}

void service_cache_header(struct reply *reply, enum cache_word word)
{
    if (word != CACHE_UNUSED)
        reply_add_header(reply, "X-Cache", word == CACHE_HIT ? "HIT" : "MISS");
}

enum error service_backend_error(struct request *request, enum error error)
{
    const char *reason = request->problem.reason;

    if (!error || strcmp(reason, "query_failed") != 0)
        return error;
    log_event(LOG_ERROR, "query_failed",
              arena_print(request->arena, "%s: %s", request->id, request->problem.text));
    return problem_set(&request->problem, error, reason, "backend query failed (ref %.100s)",
                       request->id);
}
