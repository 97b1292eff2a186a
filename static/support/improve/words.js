/* What the service writes in its own words, in those of people: failed expectations, reasons of a run. */
import { hasText, t } from '../../shared/i18n.js';
import { formatPercent } from '../../shared/numbers.js';

function routeName(code) {
    const key = `admin.route_${code}`;
    return hasText(key) ? t(key) : code;
}

const percent = (text) => formatPercent(Number(text) / 100, 4);
const listOf = (text) => text.replace(/'/g, '').split(', ').join(' / ');

/**
 * [pattern, key, values of its groups]
 *
 * @type {[RegExp, string, (groups: string[]) => Record<string, string>][]}
 */
const sentences = [
    [/^route expected '(.*)' but got '(.*)'$/, 'failed_route', ([wanted, got]) => ({ wanted: routeName(wanted), got: routeName(got) })],
    [/^quality (\S+) below minimum (\S+)$/, 'failed_quality', ([got, wanted]) => ({ got: percent(got), wanted: percent(wanted) })],
    [/^factuality (\S+) below minimum (\S+)$/, 'failed_facts', ([got, wanted]) => ({ got: percent(got), wanted: percent(wanted) })],
    [/^citations (\S+) below minimum (\S+)$/, 'failed_citations', ([got, wanted]) => ({ got, wanted })],
    [/^answer missing one of \[(.*)\]$/s, 'failed_any', ([words]) => ({ words: listOf(words) })],
    [/^answer missing '(.*)'$/s, 'failed_missing', ([words]) => ({ words })],
    [/^answer contains forbidden '(.*)'$/s, 'failed_forbidden', ([words]) => ({ words })],
    [/^no case could be evaluated$/, 'gate_none', () => ({})],
    [/^max regressions exceeded: (\d+) > (\d+)$/, 'gate_regressions', ([got, most]) => ({ got, most })],
    [/^candidate pass rate (\S+)% below minimum (\S+)%$/, 'gate_least', ([got, wanted]) => ({ got: percent(got), wanted: percent(wanted) })],
    [/^candidate pass rate (\S+)% below baseline (\S+)%$/, 'gate_baseline', ([got, wanted]) => ({ got: percent(got), wanted: percent(wanted) })],
    [/^candidate loses more than chance explains: p = (\S+)$/, 'gate_chance', ([p]) => ({ p })],
    [/^infrastructure: /, 'gate_provider', () => ({})],
];

/* Anything that is not known stays as it is. */
export function inWords(text) {
    for (const [pattern, key, valuesOf] of sentences) {
        const found = pattern.exec(text);
        if (found) return t(`improve.${key}`, valuesOf(found.slice(1)));
    }
    return text;
}

/* What a curated case asks of an answer, a line each. */
export function expectationsOf(expected) {
    if (!expected) return [];
    const { answer_contains: contains = [], answer_not_contains: without = [], answer_contains_any: any = [], route, min_quality: quality, min_factuality: facts } = expected;
    return [
        contains.length > 0 ? t('improve.expects', { words: contains.join(', ') }) : null,
        ...any.map((group) => t('improve.expects_any', { words: group.join(' / ') })),
        without.length > 0 ? t('improve.expects_not', { words: without.join(', ') }) : null,
        route ? t('improve.expects_route', { route: routeName(route) }) : null,
        typeof quality === 'number' ? t('improve.expects_quality', { value: percent(quality) }) : null,
        typeof facts === 'number' ? t('improve.expects_facts', { value: percent(facts) }) : null,
    ].filter((line) => line !== null);
}
