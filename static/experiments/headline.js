/*
 * What a decision means for people: the tone of each situation, and the state of an experiment. The
 * codes are the API's (`headline`), finer than its verdicts.
 */
import { hasText, t } from '../shared/i18n.js';

const tones = {
    not_started: 'plain',
    too_early: 'plain',
    keep_running: 'info',
    promising: 'info',
    ship: 'good',
    gain_not_proven: 'caution',
    gain_too_small: 'caution',
    no_worthwhile_effect: 'plain',
    no_effect: 'plain',
    no_clear_result: 'plain',
    worse: 'danger',
    guardrail: 'danger',
    untrustworthy: 'danger',
};
const stateTones = { not_started: 'plain', collecting: 'info', ready: 'caution', decided: 'good', archived: 'plain' };

export const toneOf = (headline) => tones[headline] ?? 'plain';
export const stateTone = (state) => stateTones[state] ?? 'plain';
export const headlineText = (headline) => (hasText(`headline.${headline}`) ? t(`headline.${headline}`) : headline);
export const headlineNote = (headline) => (hasText(`headline.${headline}_note`) ? t(`headline.${headline}_note`) : '');
export const stateText = (state) => t(`state.${state}`);

/* The state as the list of experiments has it. */
export function stateOf({ verdict, headline }, outcome) {
    if (outcome) return 'decided';
    if (headline === 'not_started') return 'not_started';
    return verdict === 'keep_running' ? 'collecting' : 'ready';
}
