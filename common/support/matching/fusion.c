/* Merges two lists of hits. */
#include "support/matching/fusion.h"

#include <math.h>

/* Cosines of a few chunks may be nearly equal: they differ by no more than this by chance. */
static const double least_deviation = 0.01;

static struct fused_hit *find(struct fused_hit *fused, size_t count, int64_t chunk)
{
    for (size_t i = 0; i < count; i++)
        if (fused[i].chunk == chunk)
            return &fused[i];
    return NULL;
}

/* Few, and nearly in order: insertion keeps ties. */
static void sort(struct fused_hit *fused, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct fused_hit hit = fused[i];
        size_t place = i;

        for (; place > 0 && fused[place - 1].score < hit.score - 1e-15; place--)
            fused[place] = fused[place - 1];
        fused[place] = hit;
    }
}

size_t fusion_by_rank(const struct search_hit *first, size_t first_count,
                      const struct search_hit *second, size_t second_count, double k,
                      struct fused_hit *fused)
{
    size_t count = 0;

    for (size_t i = 0; i < first_count; i++)
        fused[count++] = (struct fused_hit){.chunk = first[i].chunk,
                                            .document = first[i].document,
                                            .score = 1 / (k + (double)i),
                                            .lexical = first[i].score};
    for (size_t i = 0; i < second_count; i++) {
        struct fused_hit *hit = find(fused, first_count, second[i].chunk);

        if (!hit) {
            hit = &fused[count++];
            *hit = (struct fused_hit){.chunk = second[i].chunk, .document = second[i].document};
        }
        hit->score += 1 / (k + (double)i);
        hit->nearest = i + 1;
    }
    sort(fused, count);
    return count;
}

double fusion_meaning(const struct search_spread *spread, double cosine)
{
    return (cosine - spread->mean) / fmax(spread->deviation, least_deviation);
}

struct nearest_hits fusion_search(const struct search_index *index, struct arena *arena,
                                  const uint8_t *vector, const struct search_hit *words,
                                  size_t count, size_t most)
{
    struct search_hit *hits = ARENA_ARRAY(arena, struct search_hit, most + 1);
    struct search_nearness *near = ARENA_ARRAY(arena, struct search_nearness, count + most + 1);
    int64_t *keys = ARENA_ARRAY(arena, int64_t, count + most + 1);
    struct nearest_hits nearest = {.hits = hits, .near = near};

    nearest.count = search_index_nearest(index, arena, vector, hits, most, &nearest.spread);
    for (size_t i = 0; i < count + nearest.count; i++)
        keys[i] = i < count ? words[i].chunk : hits[i - count].chunk;
    search_index_nearness(index, vector, keys, count + nearest.count, near);
    return nearest;
}

static void add_meaning(struct fused_hit *hit, const struct search_spread *spread,
                        const struct search_nearness *near)
{
    hit->near = *near;
    hit->meaning = fusion_meaning(spread, search_nearness_both(near));
    hit->score += FUSION_WEIGHT * hit->meaning;
}

size_t fusion_by_score(const struct search_hit *words, size_t count,
                       const struct nearest_hits *nearest, struct fused_hit *fused)
{
    size_t total = 0;

    for (size_t i = 0; i < count; i++) {
        struct fused_hit *hit = &fused[total++];

        *hit = (struct fused_hit){.chunk = words[i].chunk,
                                  .document = words[i].document,
                                  .score = words[i].score / words[0].score,
                                  .lexical = words[i].score};
        add_meaning(hit, &nearest->spread, &nearest->near[i]);
    }
    for (size_t i = 0; i < nearest->count; i++) {
        struct fused_hit *hit = find(fused, count, nearest->hits[i].chunk);

        if (!hit) {
            hit = &fused[total++];
            *hit = (struct fused_hit){.chunk = nearest->hits[i].chunk,
                                      .document = nearest->hits[i].document};
            add_meaning(hit, &nearest->spread, &nearest->near[count + i]);
        }
        hit->nearest = i + 1;
    }
    sort(fused, total);
    return total;
}
