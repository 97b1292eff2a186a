/* Whether the data can be trusted: every check with its verdict, what it means and what to do. */
import { t } from '../../shared/i18n.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { factList } from '../finding.js';
import { checksOf } from './checks.js';

const tones = { ok: 'good', medium: 'caution', high: 'danger', early: 'plain', none: 'plain' };
const isAlarm = ({ verdict }) => verdict === 'medium' || verdict === 'high';

function details({ name, rows, columns }) {
    if (rows.length === 0) return null;
    const caption = t(`experiment.check_${name}`);
    return html`<details class="disclosure" data-plain>
        <summary>${t('experiment.check_details')}</summary>
        <div class="disclosure-body">${table({ caption, columns, rows })}</div>
    </details>`;
}

function checkItem(check) {
    const { name, verdict, facts } = check;
    const next = isAlarm(check) ? t(`experiment.check_${name}_do`) : verdict === 'early' || verdict === 'none' ? t(`experiment.check_${name}_${verdict}`) : null;
    return html`<li class="check-item" data-check=${name} data-verdict=${verdict}>
        <div class="check-head">
            <h3>${t(`experiment.check_${name}`)}</h3>
            ${badge(t(`experiment.check_verdict_${verdict}`), tones[verdict], { dot: true })}
        </div>
        <p class="section-note">${t(`experiment.check_${name}_about`)}</p>
        ${next === null ? null : html`<p class="check-next">${next}</p>`} ${isAlarm(check) || verdict === 'ok' ? factList(facts) : null} ${details(check)}
    </li>`;
}

function summary(checks) {
    const alarms = checks.filter(isAlarm);
    if (alarms.length === 0) return { tone: 'good', title: t('experiment.checks_fine') };
    return { tone: alarms.some(({ verdict }) => verdict === 'high') ? 'danger' : 'caution', title: t('experiment.checks_alarms', { count: alarms.length }) };
}

/** @param {experiments.LiveQuality} quality */
function ready(quality) {
    const checks = checksOf(quality);
    const { tone, title } = summary(checks);
    return html`<section class="card headline verdict" data-tone=${tone} aria-labelledby="checks-title" id="checks">
        <div class="section">
            <h2 class="verdict-title" id="checks-title">${title}</h2>
            <p class="verdict-text">${t('experiment.checks_note')}</p>
            ${quality.is_current || quality.status === 'pending' ? null : html`<p class="section-note">${t('experiment.checks_as_of')}</p>`}
        </div>
        <ul class="check-list">
            ${checks.toSorted((a, b) => Number(isAlarm(b)) - Number(isAlarm(a))).map(checkItem)}
        </ul>
    </section>`;
}

export function qualityView({ quality }) {
    return resourceView(quality, { quiet: true, skeleton: { lines: 2, height: 'card' }, ready });
}
