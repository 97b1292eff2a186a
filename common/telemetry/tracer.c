/* One message of spans, and the socket that it leaves by. */
#include "telemetry/tracer.h"

#include "telemetry/outbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 4 * OUTBOX_MESSAGE_MAX, NAME_MAX_LENGTH = 64 };

/* The state of the process. */
static struct {
    struct arena *arena; /* of the message; NULL = closed */
    struct text message;
    struct outbox outbox;
} tracer;

void tracer_open(const char *run_directory, const char *name)
{
    tracer_close();
    tracer.arena = arena_create(MEMORY);
    if (!tracer.arena)
        return;
    text_start(&tracer.message, tracer.arena, OUTBOX_MESSAGE_MAX);
    text_reserve(&tracer.message, OUTBOX_MESSAGE_MAX);
    outbox_open(&tracer.outbox, run_directory, name);
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);

    return value && *value;
}

void tracer_open_program(const char *service)
{
    const char *folder = getenv("ASSAY_RUN_DIR");
    char name[NAME_MAX_LENGTH];

    if (!folder || (!is_set("ASSAY_OTLP_ENDPOINT") &&
                    (strcmp(service, "orchestrator") != 0 || !is_set("ORCH_TRACING_ENDPOINT"))))
        return;
    (void)!snprintf(name, sizeof name, "%s-spans.sock", service);
    tracer_open(folder, name);
}

void tracer_close(void)
{
    if (!tracer.arena)
        return;
    tracer_flush();
    outbox_close(&tracer.outbox);
    arena_destroy(tracer.arena);
    tracer.arena = NULL;
}

bool tracer_is_open(void)
{
    return tracer.arena != NULL;
}

void tracer_add(const struct span *span)
{
    size_t before = tracer.message.length;

    if (!tracer.arena)
        return;
    span_append(span, &tracer.message);
    if (!tracer.message.overflowed)
        return;
    text_cut(&tracer.message, before);
    tracer_flush();
    span_append(span, &tracer.message);
    if (tracer.message.overflowed) /* larger than any message */
        text_cut(&tracer.message, 0);
}

void tracer_flush(void)
{
    if (!tracer.arena || !tracer.message.length)
        return;
    (void)!outbox_send(&tracer.outbox, tracer.message.bytes, tracer.message.length);
    text_cut(&tracer.message, 0);
}
