/* The variations of an experiment as people call them: A is the control, then B, C and so on. */
import { t } from '../shared/i18n.js';

export const letterOf = (index) => String.fromCharCode(65 + index);
export const armName = (index) => (index === 0 ? t('arm.control_named', { letter: letterOf(0) }) : t('arm.variant', { letter: letterOf(index) }));
