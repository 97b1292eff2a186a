/* The variations of an experiment as people call them: A is the control, then B, C and so on. */
import { t } from '../shared/i18n.js';

export const letterOf = (index) => String.fromCharCode(65 + index);
const nameOf = (index) => (index === 0 ? t('arm.control_named', { letter: letterOf(0) }) : t('arm.variant', { letter: letterOf(index) }));

/* In pages from right to left, a name keeps its own order wherever it stands. */
export const armName = (index) => (document.documentElement.dir === 'rtl' ? `\u2067${nameOf(index)}\u2069` : nameOf(index));
