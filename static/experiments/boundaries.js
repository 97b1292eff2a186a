/* Boundaries of a group sequential test: the functions that spend its level, and the boundaries drawn. */
import { t } from '../shared/i18n.js';
import { formatNumber, formatPercent } from '../shared/numbers.js';
import { lineChart } from '../shared/ui/charts/line.js';

export const spendings = ['obrien_fleming', 'pocock', 'kim_demets', 'hwang_shih_decani'];
export const withParameter = ['kim_demets', 'hwang_shih_decani'];

export const zText = (value) => (value === null || value === undefined ? '–' : formatNumber(value, 4));
export const shareText = (value) => formatPercent(value, 3);

const pointsOf = (looks, sign, name) => looks.map((look) => ({ x: look.information_fraction, y: look[name] === null ? null : sign * look[name] }));

/*
 * The boundaries of `looks`, and the observed z where there are some. In a plan with one side the good direction is up
 * or, for a decrease, down.
 */
export function boundaryChart(looks, { sides, direction }, observed = []) {
    const sign = sides === 1 && direction === 'decrease' ? -1 : 1;
    const series = [
        { name: t('looks.efficacy'), points: pointsOf(looks, sign, 'efficacy_z') },
        ...(sides === 1 ? [] : [{ name: t('looks.efficacy_lower'), points: pointsOf(looks, -1, 'efficacy_z') }]),
        ...(looks.some(({ futility_z: z }) => z !== null) ? [{ name: t('looks.futility_z'), points: pointsOf(looks, sign, 'futility_z') }] : []),
        ...(observed.length > 0 ? [{ name: t('looks.observed'), points: observed.map(({ information_fraction: x, z }) => ({ x, y: z })) }] : []),
    ];
    return lineChart({
        label: t('looks.boundaries'),
        series,
        x: { title: t('looks.share'), format: shareText, min: 0 },
        y: { title: 'z', format: (value) => formatNumber(value, 3) },
        marks: [{ y: 0, name: '' }],
    });
}
