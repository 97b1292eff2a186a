/* Similarity of answers by their embeddings, and clustering. */
#ifndef ASSAY_ORCHESTRATOR_MEASURES_SIMILARITY_H
#define ASSAY_ORCHESTRATOR_MEASURES_SIMILARITY_H

#include "base/arena.h"

#include <stdbool.h>

/* A vector of `length` numbers. */
struct vector {
    size_t length;
    const double *values;
};

/* Cosine similarity; 0 when a vector is zero. False when the lengths differ. */
bool cosine(const struct vector *a, const struct vector *b, double *similarity);

/* Similarity matrix of `count` vectors, row by row. */
struct similarities {
    size_t count;
    const double *values;
};
bool similarities_of(struct arena *arena, const struct vector *points, size_t count,
                     struct similarities *similarities);
static inline double similarity_at(const struct similarities *s, size_t i, size_t j)
{
    return s->values[i * s->count + j];
}

struct cluster {
    size_t count;
    size_t *members; /* ascending */
};
struct clusters {
    size_t count;
    struct cluster *items;
};

/* Greedy clustering in order: each vector without a cluster begins one and adds those at least this
 * similar to it. */
struct clusters clusters_greedy(struct arena *arena, const struct similarities *similarities,
                                double threshold);

/* Agglomerative clustering with average linkage (Sokal and Michener 1958): merges the two clusters
 * with the highest mean similarity while it is at least the threshold; of equal ones, the first
 * pair. Ordered by their lowest member. */
struct clusters clusters_average_linkage(struct arena *arena,
                                         const struct similarities *similarities, double threshold);

/* Sorts by size, largest first; equal sizes keep their order. */
void clusters_sort_by_size(struct clusters *clusters);

/* The first cluster of the largest size; NULL when there are none. */
const struct cluster *clusters_largest(const struct clusters *clusters);

/* Mean similarity of the pairs in a cluster; 1 for a single vector. */
double cluster_cohesion(const struct similarities *similarities, const struct cluster *cluster);

/* Share of the largest cluster times its cohesion; 0 without clusters. */
double clusters_confidence(const struct similarities *similarities,
                           const struct clusters *clusters);

/* The medoid: the member most similar to the others, the first of equal ones. */
size_t cluster_centroid(const struct similarities *similarities, const struct cluster *cluster);

#endif
