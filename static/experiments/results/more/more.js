/* The analyses with a form of their own, by the name in the address. */
import { adjusted } from './adjusted.js';
import { alwaysValid } from './always_valid.js';
import { arms } from './arms.js';
import { bayes } from './bayes.js';
import { clusters } from './clusters.js';
import { sums } from './sums.js';
import { switchback } from './switchback.js';

export const more = { sums, arms, adjusted, clusters, switchback, always_valid: alwaysValid, bayes };
