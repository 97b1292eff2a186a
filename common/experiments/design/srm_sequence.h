/*
 * The sample ratio watched over time: an e-value of counts against the planned shares, valid
 * however often it is looked at (a Dirichlet mixture of multinomial likelihoods: Lindon and Malek
 * 2022).
 */
#ifndef ASSAY_EXPERIMENTS_DESIGN_SRM_SEQUENCE_H
#define ASSAY_EXPERIMENTS_DESIGN_SRM_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

/* The logarithm of the e-value of `count` counts; `shares` are positive and add up to 1. */
double srm_log_e_value(const int64_t *counts, const double *shares, size_t count);

#endif
