/* The headers that every answer carries: versions, health, freshness, and all of them again under
 * the names that compatible clients know. */
#include "http/replica.h"
#include "livedata/catalog/contracts.h"
#include "livedata/service_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char brand[] = "X-Live-";

const char *service_brand_header(const struct request *request, const char *name)
{
    const struct string_list *brands = &service_settings(request)->compat_brands;
    const char *value =
        request_header(request, arena_print(request->arena, "HTTP_X_LIVE_%s", name));

    for (size_t i = 0; !value && i < brands->count; i++) {
        char *header = arena_print(request->arena, "HTTP_X_%s_%s", brands->items[i], name);

        for (char *at = header; *at; at++)
            *at = *at == '-' ? '_' : (char)toupper((unsigned char)*at);
        value = request_header(request, header);
    }
    return value;
}

static void add_version(struct request *request, struct reply *reply)
{
    struct service *service = service_of(request);
    const struct api_version *version =
        service->asking.version ? service->asking.version : service->catalog.latest;
    bool deprecated = version_is_deprecated(&service->catalog, version);
    char end[11];

    reply_add_header(reply, "X-Live-Version", version->date);
    reply_add_header(reply, "X-Live-Latest-Version", service->catalog.latest->date);
    reply_add_header(reply, "X-Live-Deprecated", deprecated ? "true" : "false");
    if (!deprecated)
        return;
    version_end(version, end);
    reply_add_header(reply, "X-Live-Deprecation-Warning",
                     arena_print(request->arena,
                                 "Your pinned version %s will be unsupported after %s. See "
                                 "/v1/changelog.",
                                 version->date, end));
}

static void add_age(struct request *request, struct reply *reply, const char *name,
                    struct optional_number age)
{
    struct service *service = service_of(request);

    if (age.given && version_has_header(&service->catalog, service->asking.version, name))
        reply_add_header(reply, name, arena_print(request->arena, "%.3f", age.value));
}

/* Errors here never fail the answer: unknown values are omitted. */
static void add_health(struct request *request, struct reply *reply)
{
    struct service *service = service_of(request);
    struct reading reading;
    struct data_ages ages;

    if (!request->route || !(request->route->traits & TRAIT_DATA) ||
        (!request->who.tenant && !service_is_open(request)))
        return;
    if (service_reading(request, &reading))
        return;
    if (reading.cache && service->asking.note.cache != CACHE_HIT)
        live_cache_witness(&service->cache, &reading.storage);
    if (version_has_header(&service->catalog, service->asking.version, "X-Live-Health"))
        reply_add_header(reply, "X-Live-Health", health_words[service_health(request, &reading)]);
    if (!ages_now(&reading.storage, reading.cache, &ages))
        return;
    add_age(request, reply, "X-Live-Freshness-Seconds", ages.freshness_seconds);
    add_age(request, reply, "X-Live-Event-Age-Seconds", ages.event_age_seconds);
}

static void add_brands(struct request *request, struct reply *reply)
{
    const struct string_list *brands = &service_settings(request)->compat_brands;
    size_t count = reply->header_count;

    for (size_t i = 0; i < brands->count; i++)
        for (size_t j = 0; j < count; j++)
            if (strncmp(reply->headers[j].name, brand, sizeof brand - 1) == 0)
                reply_add_header(reply,
                                 arena_print(request->arena, "X-%s-%s", brands->items[i],
                                             reply->headers[j].name + sizeof brand - 1),
                                 reply->headers[j].value);
}

void service_finish(struct request *request, struct reply *reply)
{
    const struct service *service = service_of(request);
    struct problem said = request->problem;

    add_version(request, reply);
    add_health(request, reply);
    add_brands(request, reply);
    reply_state_position(request, reply, service->replica, store_handle(service->store));
    request->problem = said;
}
