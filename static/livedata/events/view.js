/* The live events as a template, under one of two tabs; the other one sends an event. */
import { t } from '../../shared/i18n.js';
import { formatInteger } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, tokenForm } from '../../shared/ui/notice.js';
import { filterBar } from '../../shared/ui/table.js';
import { tabs } from '../../shared/ui/tabs.js';
import { domainName, entityAddress, eventName, letterAddress, typeName } from '../words.js';
import { sendPanel } from './send_view.js';

/* Types of the shop that are followed together. */
const families = ['order', 'payment', 'clickstream', 'inventory'];
const tones = { open: 'good', waiting: 'caution', failed: 'danger' };
const shop = 'shop';

export const isRejected = ({ topic }) => topic.endsWith('.deadletter');

/* What an event is about; its own id, where it went and how long that took are a tooltip. */
export function lineOf({ event_id: id, entity_type: type, entity_id: entity, topic, latency_ms: latency }) {
    const details = [id, topic, latency === null ? null : `${latency} ms`].filter(Boolean).join(' · ');
    if (isRejected({ topic }))
        return html`<a href=${letterAddress(id)} title=${details}>${t('events.rejected')}</a> ${entity === null ? null : html`<span dir="ltr">${entity}</span>`}`;
    if (entity === null) return html`<span dir="ltr" title=${details}>${id}</span>`;
    return html`${type === null ? null : typeName(type)} <a href=${entityAddress(type ?? 'order', entity)} dir="ltr" title=${details}>${entity}</a>`;
}

/* A domain that has metrics only has no events. */
export const followed = (domains) => domains.filter(({ entities }) => entities.length > 0);

/* What can be followed: the shop's kinds, and each type of the other domains. */
function typeOptions(domains, domain) {
    const own = domains.filter(({ name, entities }) => entities[0]?.events[0]?.does && (domain === '' || name === domain));
    const known = domains.length === 0 || domains.some(({ name, entities }) => entities.some(({ events }) => events.some(({ does }) => does === null)) && (domain === '' || name === domain));
    return [
        ...(known ? families.map((value) => ({ value, title: t(`events.type_${value}`) })) : []),
        ...own.flatMap(({ entities }) => entities.flatMap(({ events }) => events.map(({ event_type: value }) => ({ value, title: eventName(value) })))),
    ];
}

function livePanel({ log, count, connection, error, filters, domains, actions }) {
    if (domains.error?.kind === 'unauthorized') return tokenForm(domains.error, actions.start);
    if (error !== null && connection === 'failed')
        return error.kind === 'unauthorized' ? tokenForm(error, actions.retry) : errorNotice(error, { retry: actions.retry });
    const all = followed(domains.data?.domains ?? []);
    return html`<section class="card section stack" aria-labelledby="stream-title">
        <div class="section-head">
            <h2 id="stream-title">${t('events.stream')}</h2>
            <span role="status" id="connection">${badge(t(`events.state_${connection}`), tones[connection] ?? 'plain', { dot: true })}</span>
        </div>
        ${filterBar({
            filters: [
                ...(all.length > 1
                    ? [{ name: 'domain', label: t('events.domain'), kind: 'select', options: all.map(({ name }) => ({ value: name, title: domainName(name) })) }]
                    : []),
                { name: 'type', label: t('events.type'), kind: 'select', options: typeOptions(all, filters.domain) },
                { name: 'entity', label: t(all.length > 1 ? 'events.entity_any' : 'events.entity'), kind: 'search', placeholder: filters.domain === '' || filters.domain === shop ? 'ORD-…' : '' },
            ],
            values: filters,
            onFilter: actions.filter,
        })}
        <p class="section-note" id="count">${t('events.count', { count: formatInteger(count) })}</p>
        ${log.view({ label: t('events.stream'), empty: t('events.none') })}
        <p class="section-note"><a href=${address('/dead-letters')}>${t('events.to_failed')}</a></p>
    </section>`;
}

const panels = { live: livePanel, send: sendPanel };

export function view(page) {
    const { tab, actions } = page;
    return tabs({
        id: 'events',
        label: t('events.title'),
        tabs: Object.keys(panels).map((name) => ({ name, title: t(`events.tab_${name}`) })),
        current: tab,
        onSelect: (name) => actions.go({ tab: name }),
        panel: (name) => panels[name](page),
    });
}
