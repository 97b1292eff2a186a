/* The home page as templates: one card per area, each with what to do first, its trend and the way there. */
import { hasText, intlLocale, t } from '../../shared/i18n.js';
import { formatInteger, formatMoney, formatNumber, formatPercent } from '../../shared/numbers.js';
import { hasRole, roleIn } from '../../shared/person.js';
import { areaAddress, portalAddress } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { sparkline } from '../../shared/ui/charts/spark.js';
import { icon } from '../../shared/ui/icons.js';
import { html, nothing } from '../../shared/ui/lit.js';
import { errorNotice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { backupBadge } from '../backup.js';

/* "Nov 20": the year goes without saying. */
const dayOf = (date) => new Intl.DateTimeFormat(intlLocale(), { day: 'numeric', month: 'short' }).format(new Date(date));
const experimentAt = (id) => areaAddress('experiments', `/live/${encodeURIComponent(id)}`);

/* A number that asks for something is marked, and leads there; none is calm. */
function figure(value, label, href = null) {
    const tone = value === 0 ? 'plain' : 'caution';
    const text = href === null || value === 0 ? html`<span>${label}</span>` : html`<a href=${href}>${label}</a>`;
    return html`<p class="home-figure"><span class="home-number" data-tone=${tone}>${formatInteger(value)}</span> ${text}</p>`;
}

function rows(items, link) {
    if (items.length === 0) return nothing;
    return html`<ul class="home-rows">
        ${items.map((item) => html`<li><a href=${link(item).href} dir="auto">${link(item).title}</a>${link(item).note ?? null}</li>`)}
    </ul>`;
}

function progressBar(share, label) {
    const percent = Math.round(100 * Math.min(1, Math.max(0, share)));
    return html`<progress class="home-progress" max="100" value=${percent} aria-label=${label}>${percent}%</progress>`;
}

function collectingRow({ id, project_name: name, progress }) {
    return html`<li>
        <a href=${experimentAt(id)} dir="auto">${name}</a>
        <span class="home-note">${progress === null ? t('home.collecting') : formatPercent(progress, 2)}</span>
        ${progress === null ? null : progressBar(progress, t('home.progress_of', { name }))}
    </li>`;
}

function experimentsCard({ counts, ready, collecting }) {
    const total = counts.not_started + counts.collecting + counts.ready + counts.decided;
    if (total === 0) return html`<p class="home-calm">${t('home.no_experiments')}</p>`;
    return html`${figure(counts.ready, t('home.ready', { count: counts.ready }))}
        ${rows(ready, ({ id, project_name: title }) => ({ title, href: experimentAt(id) }))}
        ${collecting.length === 0 ? null : html`<p class="home-label">${t('home.collecting')}</p><ul class="home-rows">${collecting.map(collectingRow)}</ul>`}`;
}

function supportCard({ tickets, total }) {
    return html`${figure(total, t('home.questions', { count: total }))}
        ${rows(tickets.slice(0, 3), ({ id, user_question: title }) => ({ title, href: areaAddress('support', `/agent?${new URLSearchParams({ ticket: id })}`) }))}`;
}

function trendLine(label, points, format) {
    return sparkline({ label, points: points.map(({ date, value }) => ({ label: dayOf(date), value })), format });
}

function supportTrend({ points, reviews }) {
    return html`${reviews === null ? null : figure(reviews, t('home.reviews', { count: reviews }), areaAddress('support', '/static/improve.html'))}
        ${trendLine(t('home.resolution'), points, (value) => formatPercent(value, 3))}`;
}

function spendView({ usd, limit }) {
    const spent = formatMoney(usd, 'USD', usd < 1 ? 4 : 2); /* a call costs a fraction of a cent */
    if (limit === null || limit === undefined) return html`<p class="home-figure"><span class="home-number">${spent}</span> <span>${t('home.spent')}</span></p>`;
    const share = limit === 0 ? 1 : usd / limit;
    return html`<p class="home-figure">
            <span class="home-number" data-tone=${share >= 0.8 ? 'caution' : 'plain'}>${spent}</span>
            <span>${t('home.spent_of', { limit: formatMoney(limit) })}</span>
        </p>
        ${progressBar(share, t('home.spent_share'))}`;
}

function modelsCard({ spend, unavailable }) {
    return html`${spend === null ? null : spendView(spend)}
        ${unavailable.length === 0 ? null : html`<p>${badge(t('home.unavailable', { names: unavailable.join(', ') }), 'caution')}</p>`}`;
}

const modelsTrend = ({ points }) => trendLine(t('home.runs'), points, formatInteger);

/* "Revenue, EUR": metrics are named by the configuration of the installation. */
function metricTitle({ name, unit }) {
    const words = name.replaceAll('_', ' ');
    const title = words.charAt(0).toLocaleUpperCase() + words.slice(1);
    return unit && unit !== 'count' ? `${title}, ${unit}` : title;
}

function dataCard({ failing, firing }) {
    return html`${figure(firing.length, t('home.alerts', { count: firing.length }))}
        ${rows(firing.slice(0, 3), ({ name: title }) => ({ title, href: areaAddress('data', '/alerts') }))}
        ${figure(failing.length, t('home.objectives', { count: failing.length }))}`;
}

const dataTrend = (metric) => (metric === null ? null : trendLine(metricTitle(metric), metric.points, (value) => formatNumber(value, 4)));

function installationCard({ faulty }) {
    const nameOf = (name) => (hasText(`service.${name}`) ? t(`service.${name}`) : name);
    return html`<p>
        ${faulty.length === 0
            ? badge(t('home.all_running'), 'good', { dot: true })
            : badge(t('home.not_running', { names: faulty.map(nameOf).join(', ') }), 'danger', { dot: true })}
    </p>`;
}

const kinds = {
    experiments: { ready: experimentsCard, title: () => t('service.experiments'), href: areaAddress('experiments', '/projects') },
    support: { ready: supportCard, trendReady: supportTrend, title: () => t('service.support'), href: areaAddress('support', '/agent') },
    models: { ready: modelsCard, trendReady: modelsTrend, title: () => t('service.orchestrator'), href: areaAddress('models', '/analytics.html') },
    data: { ready: dataCard, trendReady: dataTrend, title: () => t('service.livedata'), href: areaAddress('data', '/') },
    installation: { ready: installationCard, trendReady: (backup) => html`<p><a href=${portalAddress('/admin/backups')}>${backupBadge(backup)}</a></p>`, title: () => t('home.installation'), href: portalAddress('/admin/system') },
};

/* A trend that cannot be had is left out; what needs attention says what is wrong. */
function trendView(trend, ready) {
    if (trend === null || trend.error !== null) return null;
    return html`<div class="home-trend">${trend.data === undefined ? null : ready(trend.data)}</div>`;
}

/* An installation may leave services out. */
function failed(error, retry) {
    return error.kind === 'missing' ? html`<p class="home-calm">${t('home.absent')}</p>` : errorNotice(error, { retry });
}

function card({ name, resource, trend }) {
    const { ready, trendReady, title, href } = kinds[name];
    return html`<section class="card home-card" data-card=${name} aria-labelledby=${`card-${name}`}>
        <h2 class="home-title" id=${`card-${name}`}><a href=${href}>${title()}${icon('next')}</a></h2>
        ${resourceView(resource, { skeleton: { lines: 3 }, quiet: true, ready, failed })} ${trendView(trend, trendReady)}
    </section>`;
}

/* A customer has no work here but a question. */
function askCard() {
    return html`<section class="card home-card" data-card="ask" aria-labelledby="card-ask">
        <h2 class="home-title" id="card-ask"><a href=${areaAddress('support', '/static/chat.html')}>${t('service.support')}${icon('next')}</a></h2>
        <p class="home-calm">${t('home.ask')}</p>
        <div class="button-row"><a class="button" href=${areaAddress('support', '/static/chat.html')}>${t('home.ask_action')}</a></div>
    </section>`;
}

const steps = [
    { may: () => roleIn('experiments') !== null, key: 'experiments', href: areaAddress('experiments', '/projects') },
    { may: () => roleIn('support') !== null, key: 'support', href: areaAddress('support', '/static/chat.html') },
    { may: () => hasRole('models:analyst', 'models:admin'), key: 'models', href: areaAddress('models', '/compare.html') },
    { may: () => roleIn('data') !== null, key: 'data', href: areaAddress('data', '/explorer') },
    { may: () => hasRole('suite:admin'), key: 'people', href: portalAddress('/admin/people') },
];

function start(state) {
    return html`<section class="card section home-start" aria-labelledby="start-title" id="start">
        <div class="section-head">
            <h2 id="start-title">${t('home.start')}</h2>
            <button type="button" class="button" data-kind="quiet" data-size="small" id="dismiss-start" @click=${state.dismiss}>${t('home.start_dismiss')}</button>
        </div>
        <ol class="home-steps">
            ${steps
                .filter(({ may }) => may())
                .map(
                    ({ key, href }) =>
                        html`<li><a href=${href}>${t(`home.start_${key}`)}</a><span class="home-note">${t(`home.start_${key}_text`)}</span></li>`,
                )}
        </ol>
    </section>`;
}

export function view(state) {
    if (state.person === null) return html`<div class="home-grid"></div>`;
    const cards = state.cards.filter(({ may }) => may());
    return html`<div class="stack">
        ${state.isStartShown ? start(state) : null}
        <div class="home-grid">
            ${cards.map(card)} ${roleIn('support') === 'viewer' ? askCard() : null}
        </div>
        ${cards.length === 0 && roleIn('support') === null ? html`<p class="home-calm">${t('home.no_roles')}</p>` : null}
    </div>`;
}
