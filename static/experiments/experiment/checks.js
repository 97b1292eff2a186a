/*
 * The checks of an experiment's data, one object each: name, verdict, what was found as facts, and the figures as a
 * table. Verdicts: ok, medium (look into it), high (do not trust the results), early, none (nothing to check).
 */
import { t } from '../../shared/i18n.js';
import { formatDate, formatInteger, formatNumber } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { armName } from '../arms.js';
import { known, pText, share, signed } from '../figures.js';
import { sliceEffect, sliceInterval } from './slice_figures.js';

const dateText = (date) => formatDate(new Date(`${date}T12:00:00Z`));
const end = (name, title, cell) => ({ name, title, align: 'end', cell });
const armColumn = (index) => ({ name: 'arm', title: t('split.variant'), cell: (row) => (known(row[index]) ? armName(row[index]) : t('experiment.check_all_arms')) });
const number = (value, digits = 4) => (known(value) ? formatNumber(value, digits) : '–');

/* Monday as the reader writes it: the first of January 2024 was one. */
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const weekdayText = (name) =>
    new Intl.DateTimeFormat(document.documentElement.lang, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + weekdays.indexOf(name.toLowerCase())));

const ratioVerdicts = { insufficient_data: 'early', not_applicable: 'none' };

function ratioCheck({ sample_ratio: ratio }) {
    return {
        name: 'ratio',
        code: 'SAMPLE_RATIO',
        otherwise: ratioVerdicts[ratio.status] ?? 'ok',
        facts: [
            [t('experiment.check_users_per_variant'), html`<span dir="ltr">${ratio.observed.map(formatInteger).join(' : ')}</span>`],
            [t('experiment.check_p_any'), known(ratio.p_value) ? pText(ratio.p_value) : null],
            [t('experiment.check_since'), known(ratio.since) ? dateText(ratio.since) : null],
        ],
    };
}

const fewestDays = 4; /* three to say what is usual, and one to hold against them */
const isLong = ({ weekday_effects: effects, step_days: step }) => step === 1 && effects.some(({ complete_days: days }) => days >= fewestDays);

/* Falls of what arrives: new users, or events of them. */
const fallCheck = (what) => (quality) => ({
    name: what,
    code: `${what.toUpperCase()}_FELL`,
    otherwise: isLong(quality) ? 'ok' : 'early',
    rows: quality.falls.filter((fall) => fall.what === what),
    columns: [
        { name: 'date', title: t('experiment.day'), cell: ({ date }) => dateText(date) },
        armColumn('variation_index'),
        end('count', t('experiment.check_arrived'), ({ count }) => formatInteger(count)),
        end('usual', t('experiment.check_usual'), ({ usual }) => number(usual)),
    ],
});

function silentCheck({ silent_arms: rows, contamination }) {
    return {
        name: 'silent',
        code: 'SILENT_ARM',
        otherwise: contamination.some(({ users }) => users > 0) ? 'ok' : 'early',
        rows,
        columns: [
            { name: 'metric', title: t('experiment.metric'), cell: ({ metric }) => html`<span dir="auto">${metric}</span>` },
            armColumn('variation_index'),
            end('expected', t('experiment.check_expected'), ({ expected }) => number(expected)),
        ],
    };
}

/* What holds at every look is the graver alarm. */
function severalCheck({ contamination: rows, contamination_course: course }) {
    return {
        name: 'several',
        code: course.is_contaminated ? 'CONTAMINATED' : 'SEVERAL_ARMS',
        otherwise: rows.some(({ users }) => users > 0) ? 'ok' : 'early',
        facts: [
            [t('experiment.check_p_any'), known(course.p_value) ? pText(course.p_value) : null],
            [t('experiment.check_since'), known(course.since) ? dateText(course.since) : null],
        ],
        rows,
        columns: [
            armColumn('variation_index'),
            end('users', t('experiment.people'), ({ users }) => formatInteger(users)),
            end('several', t('experiment.multiple'), ({ in_several_arms: count }) => formatInteger(count)),
            end('share', t('experiment.check_share'), ({ share: part }) => (known(part) ? share(part) : '–')),
        ],
    };
}

function balanceCheck({ balance: rows }) {
    return {
        name: 'balance',
        code: 'UNBALANCED',
        otherwise: rows.length === 0 ? 'none' : rows.some(({ p_value: p }) => known(p)) ? 'ok' : 'early',
        rows,
        columns: [
            { name: 'covariate', title: t('experiment.check_covariate'), cell: ({ covariate }) => html`<span dir="auto">${covariate}</span>` },
            armColumn('treatment_index'),
            end('control', t('arm.control'), ({ control_mean: mean }) => number(mean)),
            end('treatment', t('arm.treatment'), ({ treatment_mean: mean }) => number(mean)),
            end('difference', t('experiment.check_standardized'), ({ standardized_difference: value }) => (known(value) ? signed(value) : '–')),
            end('p', t('experiment.check_p_adjusted'), ({ p_value_adjusted: p }) => (known(p) ? pText(p) : '–')),
            { name: 'result', title: t('experiment.meaning'), cell: ({ is_unbalanced: off }) => badge(t(off ? 'experiment.check_unbalanced' : 'experiment.check_balanced'), off ? 'caution' : 'good') },
        ],
    };
}

function weekdayCheck({ weekday_effects: effects }) {
    const long = effects.filter(({ status }) => status === 'ok');
    return {
        name: 'weekdays',
        code: 'WEEKDAYS_DIFFER',
        otherwise: long.length === 0 ? 'early' : 'ok',
        facts: long.map(({ treatment_index: arm, p_value: p }) => [armName(arm), known(p) ? `p = ${pText(p)}` : null]),
        rows: long.flatMap(({ treatment_index: arm, weekdays: days }) => days.map((day) => ({ ...day, treatment_index: arm }))),
        columns: [
            { name: 'weekday', title: t('experiment.check_weekday'), cell: ({ weekday }) => weekdayText(weekday) },
            armColumn('treatment_index'),
            end('days', t('experiment.check_days'), ({ days }) => formatInteger(days)),
            end('effect', t('experiment.check_mean_effect'), ({ mean_effect: effect }) => (known(effect) ? signed(effect) : '–')),
        ],
    };
}

const notChecked = ['ratio', 'clusters', 'adaptive'];

/** @param {experiments.LiveQuality} quality */
function noveltyCheck({ novelty: effects }) {
    const long = effects.filter(({ p_value: p }) => known(p));
    return {
        name: 'novelty',
        code: 'EFFECT_CHANGES',
        otherwise: long.length > 0 ? 'ok' : effects.some(({ status }) => notChecked.includes(status)) ? 'none' : 'early',
        facts: long.map(({ treatment_index: arm, p_value_adjusted: p }) => [armName(arm), `p = ${pText(p)}`]),
        rows: effects.flatMap(({ treatment_index: arm, unit, days }) => days.map((day) => ({ ...day, unit, treatment_index: arm }))),
        columns: [
            end('day', t('experiment.check_day_since'), ({ day }) => formatInteger(day)),
            armColumn('treatment_index'),
            end('users', t('experiment.people'), ({ control_users: control, treatment_users: treated }) => formatInteger(control + treated)),
            end('effect', t('observed.effect'), sliceEffect),
            end('interval', t('experiment.interval_95'), ({ ci_lower: lower, ci_upper: upper, unit }) => sliceInterval(lower, upper, unit)),
        ],
    };
}

const all = [ratioCheck, fallCheck('users'), fallCheck('events'), silentCheck, severalCheck, balanceCheck, weekdayCheck, noveltyCheck];

/* In the order of the list; an alarm of the answer decides, otherwise what there was to check. */
/** @param {experiments.LiveQuality} quality */
export function checksOf(quality) {
    const severities = new Map(quality.alarms.map(({ code, severity }) => [code, severity]));
    return all.map((check) => check(quality)).map(({ code, otherwise, ...check }) => ({ facts: [], rows: [], columns: [], ...check, verdict: severities.get(code) ?? otherwise }));
}
