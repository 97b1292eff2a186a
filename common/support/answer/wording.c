/* Wording: a hash table of pieces, and sets of them as bits. */
#include "support/answer/wording.h"

#include <math.h>
#include <stdbool.h>

/* The slot of a piece, or the free one where it would be: half of them stay free. */
static size_t slot_of(const struct wording *wording, uint32_t piece)
{
    size_t slot = piece % WORDING_SLOTS;

    while (wording->slots[slot] && wording->pieces[wording->slots[slot] - 1] != piece)
        slot = (slot + 1) % WORDING_SLOTS;
    return slot;
}

void wording_add(struct wording *wording, const struct word *word)
{
    uint32_t pieces[PIECES_MAX];
    size_t count = word_pieces(word, true, pieces);

    for (size_t i = 0; i < count && wording->count < WORDING_MAX; i++) {
        size_t slot = slot_of(wording, pieces[i]);

        if (wording->slots[slot])
            continue;
        wording->pieces[wording->count++] = pieces[i];
        wording->slots[slot] = (uint16_t)wording->count;
    }
}

struct wording_held wording_of(const struct wording *wording, const struct word *word)
{
    uint32_t pieces[PIECES_MAX];
    size_t count = word_pieces(word, true, pieces);
    struct wording_held held = {{0}};

    for (size_t i = 0; i < count; i++) {
        size_t place = wording->slots[slot_of(wording, pieces[i])];

        if (place)
            held.bits[(place - 1) / 64] |= UINT64_C(1) << (place - 1) % 64;
    }
    return held;
}

void wording_join(struct wording_held *all, const struct wording_held *more)
{
    for (size_t i = 0; i < WORDING_MAX / 64; i++)
        all->bits[i] |= more->bits[i];
}

static bool holds(const struct wording_held *held, size_t place)
{
    return held->bits[place / 64] >> place % 64 & 1;
}

double wording_share(const struct wording *wording, const struct wording_held *held,
                     const struct wording_held *texts, size_t text_count)
{
    double sum = 0, all = 0;

    for (size_t i = 0; i < wording->count; i++) {
        double holding = 0, weight;

        for (size_t j = 0; j < text_count; j++)
            holding += holds(&texts[j], i);
        weight = log1p(((double)text_count - holding + 0.5) / (holding + 0.5));
        all += weight;
        sum += holds(held, i) ? weight : 0;
    }
    return all > 0 ? sum / all : 0;
}
