/* Cosines and clusters. */
#include "orchestrator/measures/similarity.h"

#include <math.h>
#include <string.h>

bool cosine(const struct vector *a, const struct vector *b, double *similarity)
{
    double product = 0, a_square = 0, b_square = 0;

    if (a->length != b->length)
        return false;
    for (size_t i = 0; i < a->length; i++) {
        product += a->values[i] * b->values[i];
        a_square += a->values[i] * a->values[i];
        b_square += b->values[i] * b->values[i];
    }
    *similarity = a_square > 0 && b_square > 0 ? product / (sqrt(a_square) * sqrt(b_square)) : 0;
    return true;
}

bool similarities_of(struct arena *arena, const struct vector *points, size_t count,
                     struct similarities *similarities)
{
    double *values = arena_alloc_array(arena, count * count, sizeof(double));

    *similarities = (struct similarities){count, values};
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j <= i; j++) {
            if (!cosine(&points[i], &points[j], &values[i * count + j]))
                return false;
            values[j * count + i] = values[i * count + j];
        }
    }
    return true;
}

static struct clusters make(struct arena *arena, size_t most)
{
    return (struct clusters){.items = ARENA_ARRAY(arena, struct cluster, most)};
}

struct clusters clusters_greedy(struct arena *arena, const struct similarities *similarities,
                                double threshold)
{
    size_t count = similarities->count;
    struct clusters clusters = make(arena, count);
    bool *taken = ARENA_ARRAY(arena, bool, count);

    for (size_t i = 0; i < count; i++) {
        struct cluster *cluster;

        if (taken[i])
            continue;
        cluster = &clusters.items[clusters.count++];
        cluster->members = ARENA_ARRAY(arena, size_t, count - i);
        cluster->members[cluster->count++] = i;
        for (size_t j = i + 1; j < count; j++) {
            if (taken[j] || similarity_at(similarities, i, j) < threshold)
                continue;
            taken[j] = true;
            cluster->members[cluster->count++] = j;
        }
    }
    return clusters;
}

static double linkage(const struct similarities *similarities, const struct cluster *a,
                      const struct cluster *b)
{
    double sum = 0;

    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            sum += similarity_at(similarities, a->members[i], b->members[j]);
    return sum / (double)(a->count * b->count);
}

/* Both lists ascend, and so does the result. */
static void absorb(struct cluster *into, const struct cluster *other)
{
    for (size_t i = 0; i < other->count; i++) {
        size_t position = into->count++;

        for (; position > 0 && into->members[position - 1] > other->members[i]; position--)
            into->members[position] = into->members[position - 1];
        into->members[position] = other->members[i];
    }
}

struct clusters clusters_average_linkage(struct arena *arena,
                                         const struct similarities *similarities, double threshold)
{
    size_t count = similarities->count;
    struct clusters clusters = make(arena, count);

    for (size_t i = 0; i < count; i++) {
        clusters.items[i].members = ARENA_ARRAY(arena, size_t, count);
        clusters.items[i].members[clusters.items[i].count++] = i;
    }
    clusters.count = count;
    while (clusters.count > 1) {
        size_t first = 0, second = 0;
        double best = -INFINITY;

        for (size_t i = 0; i < clusters.count; i++) {
            for (size_t j = i + 1; j < clusters.count; j++) {
                double mean = linkage(similarities, &clusters.items[i], &clusters.items[j]);

                if (mean <= best)
                    continue;
                best = mean;
                first = i;
                second = j;
            }
        }
        if (best < threshold)
            break;
        absorb(&clusters.items[first], &clusters.items[second]);
        clusters.count--;
        memmove(&clusters.items[second], &clusters.items[second + 1],
                (clusters.count - second) * sizeof clusters.items[0]);
    }
    return clusters;
}

void clusters_sort_by_size(struct clusters *clusters)
{
    for (size_t i = 1; i < clusters->count; i++) {
        struct cluster moved = clusters->items[i];
        size_t position = i;

        for (; position > 0 && clusters->items[position - 1].count < moved.count; position--)
            clusters->items[position] = clusters->items[position - 1];
        clusters->items[position] = moved;
    }
}

const struct cluster *clusters_largest(const struct clusters *clusters)
{
    const struct cluster *largest = NULL;

    for (size_t i = 0; i < clusters->count; i++)
        if (!largest || clusters->items[i].count > largest->count)
            largest = &clusters->items[i];
    return largest;
}

double cluster_cohesion(const struct similarities *similarities, const struct cluster *cluster)
{
    double sum = 0;
    size_t pairs = 0;

    for (size_t i = 0; i < cluster->count; i++) {
        for (size_t j = i + 1; j < cluster->count; j++) {
            sum += similarity_at(similarities, cluster->members[i], cluster->members[j]);
            pairs++;
        }
    }
    return pairs ? sum / (double)pairs : 1;
}

double clusters_confidence(const struct similarities *similarities, const struct clusters *clusters)
{
    const struct cluster *largest = clusters_largest(clusters);

    if (!largest)
        return 0;
    return (double)largest->count / (double)similarities->count *
           cluster_cohesion(similarities, largest);
}

size_t cluster_centroid(const struct similarities *similarities, const struct cluster *cluster)
{
    size_t best = cluster->members[0];
    double best_sum = -INFINITY;

    for (size_t i = 0; i < cluster->count; i++) {
        double sum = 0;

        for (size_t j = 0; j < cluster->count; j++)
            if (j != i)
                sum += similarity_at(similarities, cluster->members[i], cluster->members[j]);
        if (sum > best_sum) {
            best_sum = sum;
            best = cluster->members[i];
        }
    }
    return best;
}
