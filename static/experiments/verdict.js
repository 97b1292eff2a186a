/* The sentence about a difference with its interval and its p-value, for every analysis alike. */
import { t } from '../shared/i18n.js';
import { formatPercent } from '../shared/numbers.js';
import { pText } from './figures.js';

export function toneOf({ is_significant: significant, outcome }) {
    if (!significant) return 'plain';
    return outcome === 'worse' ? 'danger' : 'good';
}

/* What was found, made of the numbers: title and explanation. */
export function wordsOf({ effect, range, level, p, alpha, significant, rises, contains, answer }) {
    const values = { effect, interval: range, level: formatPercent(level), p: pText(p), alpha: formatPercent(alpha) };
    const found = !significant ? 'open' : rises ? 'higher' : 'lower';
    const agree = contains !== significant;
    const judged = answer.direction === 'decrease' && ['better', 'worse'].includes(answer.outcome);
    return {
        title: t(`verdict.${found}`, values) + (judged ? ` · ${t(`verdict.${answer.outcome}`)}` : ''),
        text: t(agree ? `verdict.${found}_text` : 'verdict.mixed_text', values),
    };
}
