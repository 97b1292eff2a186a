/* Streams an answer's text to the client while a model is still writing. */
#include "support/answer/citations.h"
#include "support/answer/model_nodes.h"

#include <string.h>

enum {
    HELD_MAX = 4096,
    MARKER_MAX = 12,
    READY_MAX = 64 * 1024 /* longer text is passed in parts */
};

void marker_gate_start(struct marker_gate *gate, struct arena *arena, int highest)
{
    gate->highest = highest;
    gate->started = false;
    text_start(&gate->held, arena, HELD_MAX);
    text_start(&gate->ready, arena, READY_MAX + HELD_MAX);
}

static bool pass_ready(struct marker_gate *gate)
{
    bool goes_on =
        !gate->ready.length || gate->pass(gate->ready.bytes, gate->ready.length, gate->context);

    text_cut(&gate->ready, 0);
    return goes_on;
}

/* Moves held text to the ready text; an incomplete character is never sent alone. */
static bool let_pass(struct marker_gate *gate)
{
    size_t blanks = gate->started ? 0 : strspn(gate->held.bytes, " \t\r\n");
    const char *text = gate->held.bytes + blanks;
    size_t length = gate->held.length - blanks;
    bool is_inside = length && ((unsigned char)*text & 0xc0) == 0x80;

    if (gate->ready.length >= READY_MAX && !is_inside && !pass_ready(gate))
        return false;
    text_append(&gate->ready, text, length);
    gate->started |= length > 0;
    text_cut(&gate->held, 0);
    return true;
}

/* Whether the held text may still become a marker. */
static bool may_be_marker(const char *bracket)
{
    size_t digits = strspn(bracket + 1, "0123456789");

    return !bracket[1 + digits] && digits < MARKER_MAX;
}

static bool take_byte(struct marker_gate *gate, char byte)
{
    size_t blanks;
    int number;
    bool goes_on = true;

    text_append_byte(&gate->held, byte);
    blanks = strspn(gate->held.bytes, " \t\r\n");
    if (blanks == gate->held.length)
        return gate->held.length < HELD_MAX - 1 || let_pass(gate);
    if (gate->held.bytes[blanks] == '[') {
        if (may_be_marker(gate->held.bytes + blanks))
            return true;
        if (citation_read(gate->held.bytes + blanks, &number) &&
            (number < 1 || number > gate->highest)) {
            text_cut(&gate->held,
                     blanks && gate->held.bytes[blanks - 1] == ' ' ? blanks - 1 : blanks);
            return true;
        }
        if (byte == '[' || strchr(" \t\r\n", byte)) { /* no marker, but a beginning of its own */
            text_cut(&gate->held, gate->held.length - 1);
            goes_on = let_pass(gate);
            text_append_byte(&gate->held, byte);
            return goes_on;
        }
    }
    return let_pass(gate);
}

bool marker_gate_take(struct marker_gate *gate, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!take_byte(gate, text[i]))
            return false;
    return pass_ready(gate);
}
