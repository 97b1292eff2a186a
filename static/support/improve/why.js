/* Why a case is in the list, in words: who or what made it, and how sure the evaluators are. */
import { intlLocale, t } from '../../shared/i18n.js';
import { evaluatorName } from './evaluators.js';

const worthSaying = 0.3; /* below it the evaluators are rather sure */

const listOf = (names) => new Intl.ListFormat(intlLocale(), { type: 'unit', style: 'short' }).format(names);

/** @param {{ reason: string, chosen: string | null }} row */
function originOf({ reason, chosen }) {
    if (reason !== 'manual' || chosen === null) return t(`improve.${reason}`);
    return chosen === 'random' ? t('improve.chosen_random') : null;
}

/** @param {{ doubt: number | null, doubt_kind: string | null, doubt_about: string[] }} row */
export function doubtOf({ doubt, doubt_kind: kind, doubt_about: about }) {
    if (doubt === null || kind === null || doubt < worthSaying) return null;
    return t(`improve.doubt_${kind}`, { evaluators: listOf(about.map(evaluatorName)) });
}

export function whyOf(row) {
    const parts = [originOf(row), doubtOf(row)].filter((part) => part !== null);
    return parts.length === 0 ? t('improve.chosen_unsure') : parts.join(' · ');
}
