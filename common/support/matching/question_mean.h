/*
 * Questions have much of their vectors in common, and some passages are near to all of them. Taking
 * out a part of the mean question leaves what this one asks for.
 */
#ifndef ASSAY_SUPPORT_MATCHING_QUESTION_MEAN_H
#define ASSAY_SUPPORT_MATCHING_QUESTION_MEAN_H

#include "search/vector.h"

enum { QUESTION_MEAN_VALUES = 384 };

/* Writes the packed vector of a question without its share of the mean to `centered`. Both have
 * QUESTION_MEAN_VALUES values, and are of the embedder's model. */
void question_center(const uint8_t *row, uint8_t *centered);

#endif
