/* Draws machines, readings and mistakes of the factory, slot by slot. */
#include "livedata/demo/factory_events.h"

#include "base/clock.h"
#include "base/schema.h"
#include "livedata/timestamp.h"
#include "math/random.h"

#include <math.h>

/* The digits in the ids of events; those of the shop are other ones. */
enum { STREAM_MACHINES = 5, STREAM_RUNS, STREAM_READINGS, STREAM_MISTAKES };
enum { MACHINES_MAX = 64, SLOTS_OF_BRIEF = 20 };

static const int64_t run_slot_us = 3600000000, reading_slot_us = 30000000;
static const int64_t mistake_slot_us = 12 * 3600000000LL;
static const int64_t latest_us = 1800000000; /* after a slot, that its events arrive */

#define OWNER struct measured
struct measured {
    const char *value;
    struct optional_boolean valid;
};
static const struct field measured_fields[] = {
    STRING(OWNER, value, .omit_if_null = true),
    NULLABLE_BOOLEAN(OWNER, valid, .omit_if_null = true)};
#undef OWNER
static SCHEMA(measured_schema, struct measured, "DemoMeasured", measured_fields);

struct used {
    const char *energy;
};
#define OWNER struct used
static const struct field used_fields[] = {STRING(OWNER, energy)};
#undef OWNER
static SCHEMA(used_schema, struct used, "DemoUsed", used_fields);

struct speed {
    int64_t revolutions;
};
#define OWNER struct speed
static const struct field speed_fields[] = {INTEGER(OWNER, revolutions)};
#undef OWNER
static SCHEMA(speed_schema, struct speed, "DemoSpeed", speed_fields);

/* An event of any type; members that a type does not have are NULL. */
struct payload {
    const char *event_id, *event_type, *timestamp, *source;
    const char *machine_id, *name, *site, *installed_at, *hourly_cost, *reading_id, *sensor;
    struct optional_boolean running;
    struct optional_integer version;
    const struct speed *settings;
    const struct used *used;
    const struct measured *data;
};

#define OPTIONAL(member) STRING(OWNER, member, .omit_if_null = true)
#define OWNER struct payload
static const struct field payload_fields[] = {
    STRING(OWNER, event_id),
    STRING(OWNER, event_type),
    STRING(OWNER, timestamp),
    STRING(OWNER, source),
    OPTIONAL(machine_id),
    OPTIONAL(name),
    OPTIONAL(site),
    OPTIONAL(installed_at),
    OPTIONAL(hourly_cost),
    OPTIONAL(reading_id),
    OPTIONAL(sensor),
    NULLABLE_BOOLEAN(OWNER, running, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, version, .omit_if_null = true),
    OBJECT(OWNER, settings, speed_schema, .omit_if_null = true),
    OBJECT(OWNER, used, used_schema, .omit_if_null = true),
    OBJECT(OWNER, data, measured_schema, .omit_if_null = true)};
#undef OWNER
static SCHEMA(payload_schema, struct payload, "DemoFactoryEvent", payload_fields);

struct drawing {
    struct arena *arena;
    const struct factory *factory;
    struct demo_events *events;
    int64_t from, to;
    struct random random;
    int stream, serial; /* of the slot's events */
    int64_t slot;
    size_t machine;
};

/* Begins a slot of a machine: each has random numbers of its own. */
static void begin(struct drawing *drawing, int stream, int64_t slot, size_t machine)
{
    drawing->stream = stream;
    drawing->slot = slot * MACHINES_MAX + (int64_t)machine;
    drawing->machine = machine;
    drawing->serial = 0;
    drawing->random = random_start((uint64_t)stream, (uint64_t)drawing->slot);
}

static double uniform(struct drawing *drawing)
{
    return random_uniform(&drawing->random);
}

static int64_t between(struct drawing *drawing, int64_t least, int64_t most)
{
    return least + (int64_t)(uniform(drawing) * (double)(most - least));
}

/* Adds an event that happened at `at` and arrives `delay` later, if that lies in the period. */
static void add(struct drawing *drawing, struct payload payload, const char *type, int64_t at,
                int64_t delay)
{
    struct demo_events *events = drawing->events;
    char time[CLOCK_TEXT_MAX];

    drawing->serial++;
    if (at + delay <= drawing->from || at + delay > drawing->to || events->count == DEMO_EVENTS_MAX)
        return;
    clock_format(at, time);
    payload.event_id =
        demo_event_id(drawing->arena, drawing->serial, drawing->stream, drawing->slot);
    payload.event_type = type;
    payload.timestamp = time;
    payload.source =
        drawing->stream == STREAM_MISTAKES ? drawing->factory->partner : drawing->factory->source;
    events->items[events->count++] = (struct demo_event){
        at + delay, schema_json(drawing->arena, DEMO_EVENT_BYTES_MAX, &payload_schema, &payload)};
}

static const char *machine_id(const struct drawing *drawing)
{
    return arena_print(drawing->arena, "M-%02zu", drawing->machine + 1);
}

/* Whether the machine runs in that hour: most do, most of the time. */
static bool runs(size_t machine, int64_t slot)
{
    struct random random =
        random_start(STREAM_RUNS, (uint64_t)(slot * MACHINES_MAX + (int64_t)machine));

    return random_uniform(&random) < 0.85;
}

static struct payload state_of(struct drawing *drawing, bool running)
{
    struct speed *speed = ARENA_NEW(drawing->arena, struct speed);

    speed->revolutions = running ? 900 + 50 * (int64_t)random_below(&drawing->random, 12) : 0;
    return (struct payload){
        .machine_id = machine_id(drawing), .running = GIVEN_BOOLEAN(running), .settings = speed};
}

/* A machine starts or stops with the hour; at the end of an hour in which it ran it says what it
 * used. */
static void draw_run(struct drawing *drawing, int64_t slot)
{
    int64_t at = slot * run_slot_us + between(drawing, 0, 5 * us_per_minute);
    bool running = runs(drawing->machine, slot);
    struct used *used = ARENA_NEW(drawing->arena, struct used);

    if (running != runs(drawing->machine, slot - 1))
        add(drawing, state_of(drawing, running), "machine.changed", at, 0);
    used->energy = arena_print(drawing->arena, "%.3f", 4 + 20 * uniform(drawing));
    if (running)
        add(drawing, (struct payload){.machine_id = machine_id(drawing), .used = used},
            "machine.ran", slot * run_slot_us + between(drawing, 50, 59) * us_per_minute, 0);
}

struct sensor {
    const char *name;
    double running, resting, spread;
};

static const struct sensor sensors[] = {
    {"temperature", 62, 24, 1.5}, {"pressure", 6.2, 1, 0.15}, {"vibration", 2.8, 0.1, 0.3}};

/* Temperatures follow the day, and each machine has its own level. */
static double level(const struct sensor *sensor, size_t machine, int64_t at, bool running)
{
    double day = sin((double)(at % us_per_day) / (double)us_per_day * 2 * M_PI - 2);
    double base =
        running ? sensor->running * (0.9 + 0.02 * (double)(machine % 10)) : sensor->resting;

    return base * (1 + 0.06 * day);
}

static struct payload reading(struct drawing *drawing, const char *id, double value, bool valid)
{
    struct measured *data = ARENA_NEW(drawing->arena, struct measured);

    *data = (struct measured){.value = arena_print(drawing->arena, "%.3f", value),
                              .valid = GIVEN_BOOLEAN(valid)};
    return (struct payload){.reading_id = id, .data = data};
}

/* Of 100 readings two are not valid, and three arrive up to 20 minutes late. Of those that are
 * drawn in any case, 5 of 100 are put right within minutes, and 2 withdrawn. */
static void draw_reading(struct drawing *drawing, int64_t slot)
{
    const struct sensor *sensor = &sensors[(slot + slot / SLOTS_OF_BRIEF) % COUNT_OF(sensors)];
    int64_t at = slot * reading_slot_us + between(drawing, 0, reading_slot_us);
    const char *id =
        arena_print(drawing->arena, "R-%02zu-%llx", drawing->machine + 1, (unsigned long long)slot);
    double value = level(sensor, drawing->machine, at, runs(drawing->machine, at / run_slot_us)) +
                   sensor->spread * random_normal(&drawing->random);
    double fate = uniform(drawing), end = uniform(drawing);
    int64_t delay = uniform(drawing) < 0.03 ? between(drawing, us_per_minute, 20 * us_per_minute)
                                            : between(drawing, 0, us_per_second);
    struct payload taken = reading(drawing, id, fate < 0.02 ? value * 1.8 : value, fate >= 0.02);

    taken.machine_id = machine_id(drawing);
    taken.sensor = sensor->name;
    add(drawing, taken, "reading.taken", at, delay);
    at += between(drawing, us_per_minute, 4 * us_per_minute);
    if (slot % SLOTS_OF_BRIEF)
        return;
    if (end < 0.05)
        add(drawing, reading(drawing, id, value, true), "reading.corrected", at, 0);
    else if (end > 0.98)
        add(drawing, (struct payload){.reading_id = id}, "reading.withdrawn", at, 0);
}

/* The gateway sends a reading without its value, or with more places than the file allows. */
static void draw_mistake(struct drawing *drawing, int64_t slot)
{
    const char *id = arena_print(drawing->arena, "R-G-%llx", (unsigned long long)slot);
    struct payload taken = reading(drawing, id, 61.5, true);
    struct measured *data = ARENA_NEW(drawing->arena, struct measured);

    if (drawing->machine > 0)
        return;
    *data = (struct measured){.value = slot % 2 ? "61.5007" : NULL, .valid = GIVEN_BOOLEAN(true)};
    taken.data = data;
    taken.machine_id = machine_id(drawing);
    taken.sensor = sensors[0].name;
    add(drawing, taken, "reading.taken",
        slot * mistake_slot_us + between(drawing, mistake_slot_us / 4, mistake_slot_us * 3 / 4), 0);
}

/* Calls `draw` for the slots whose events may arrive in the period, `step` slots apart. */
static void draw_slots(struct drawing *drawing, int stream, int64_t slot_us, int64_t step,
                       void (*draw)(struct drawing *drawing, int64_t slot))
{
    int64_t first = (drawing->from - slot_us - latest_us) / slot_us / step * step;

    for (int64_t slot = first; slot * slot_us <= drawing->to; slot += step)
        for (size_t i = 0; i < drawing->factory->count && i < MACHINES_MAX; i++) {
            begin(drawing, stream, slot, i);
            draw(drawing, slot);
        }
}

void factory_events_draw(struct arena *arena, const struct factory *factory, int64_t from,
                         int64_t to, bool brief, struct demo_events *events)
{
    struct drawing drawing = {
        .arena = arena, .factory = factory, .from = from, .to = to, .events = events};

    *events = demo_events_empty(arena, DEMO_EVENTS_MAX);
    draw_slots(&drawing, STREAM_RUNS, run_slot_us, 1, draw_run);
    draw_slots(&drawing, STREAM_READINGS, reading_slot_us, brief ? SLOTS_OF_BRIEF : 1,
               draw_reading);
    draw_slots(&drawing, STREAM_MISTAKES, mistake_slot_us, 1, draw_mistake);
    demo_events_sort(events);
}

void factory_events_machines(struct arena *arena, const struct factory *factory, int64_t at,
                             struct demo_events *events)
{
    struct drawing drawing = {
        .arena = arena, .factory = factory, .from = at - 1, .to = at, .events = events};

    *events = demo_events_empty(arena, factory->count);
    for (size_t i = 0; i < factory->count && i < MACHINES_MAX; i++) {
        const struct factory_machine *machine = &factory->machines[i];
        struct payload payload;

        begin(&drawing, STREAM_MACHINES, at / us_per_second, i);
        payload = state_of(&drawing, runs(i, at / run_slot_us));
        payload.name = machine->name;
        payload.site = machine->site;
        payload.hourly_cost = arena_print(arena, "%.2f", machine->hourly_cost);
        payload.installed_at =
            arena_print(arena, "20%02zu-%02zu-01T00:00:00Z", 14 + i % 9, 1 + i * 5 % 12);
        add(&drawing, payload, "machine.registered", at, 0);
    }
}
