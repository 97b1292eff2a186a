/* The live events as a template. */
import { t } from '../../shared/i18n.js';
import { formatInteger } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice, tokenForm } from '../../shared/ui/notice.js';
import { filterBar } from '../../shared/ui/table.js';
import { entityAddress, typeName } from '../words.js';

const types = ['order', 'payment', 'clickstream', 'inventory'];
const tones = { open: 'good', waiting: 'caution', failed: 'danger' };

/* What an event is about; its own id, where it went and how long that took are a tooltip. */
export function lineOf({ event_id: id, entity_type: type, entity_id: entity, topic, latency_ms: latency }) {
    const details = [id, topic, latency === null ? null : `${latency} ms`].filter(Boolean).join(' · ');
    if (entity === null) return html`<span dir="ltr" title=${details}>${id}</span>`;
    return html`${type === null ? null : typeName(type)} <a href=${entityAddress(type ?? 'order', entity)} dir="ltr" title=${details}>${entity}</a>`;
}

export function view({ log, count, connection, error, filters, actions }) {
    if (error !== null && connection === 'failed')
        return error.kind === 'unauthorized' ? tokenForm(error, actions.retry) : errorNotice(error, { retry: actions.retry });
    return html`<section class="card section stack" aria-labelledby="stream-title">
        <div class="section-head">
            <h2 id="stream-title">${t('events.stream')}</h2>
            <span role="status" id="connection">${badge(t(`events.state_${connection}`), tones[connection] ?? 'plain', { dot: true })}</span>
        </div>
        ${filterBar({
            filters: [
                { name: 'type', label: t('events.type'), kind: 'select', options: types.map((value) => ({ value, title: t(`events.type_${value}`) })) },
                { name: 'entity', label: t('events.entity'), kind: 'search', placeholder: 'ORD-…' },
            ],
            values: filters,
            onFilter: actions.filter,
        })}
        <p class="section-note" id="count">${t('events.count', { count: formatInteger(count) })}</p>
        ${log.view({ label: t('events.stream'), empty: t('events.none') })}
    </section>`;
}
