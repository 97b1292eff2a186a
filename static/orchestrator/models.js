/* What the pages of the orchestrator share: its client, what a model is called, what a call cost. */
import { t } from '../shared/i18n.js';
import { formatMilliseconds, formatMoney } from '../shared/numbers.js';
import { badge } from '../shared/ui/badge.js';
import { createClient } from '../shared/ui/client.js';
import { toast } from '../shared/ui/toast.js';

/* Models take their time. */
export const answerTimeoutMs = 185000;

/** @type {Client<'orchestrator'>} */
export const client = createClient();

export async function loadModels(signal) {
    return (await client.get('/api/v1/models', { signal })).data;
}

/* The models that can be called now; all of them where none can, so that the page says why. */
export async function loadCallable(signal) {
    const data = await loadModels(signal);
    const models = data.models.filter(({ callable }) => callable);
    return models.length > 0 ? { ...data, models } : data;
}

const tones = { succeeded: 'good', completed: 'good', accepted: 'info', cancelled: 'caution' };

export function statusBadge(status) {
    return badge(t(`status.${status}`), tones[status] ?? 'danger', { dot: true });
}

/* "3 calls · $0.0012 · 1.4 sec", as far as it is known. */
/** @param {Record<string, any>} answer */
export function costText({ accounting, duration_ms: ms }) {
    return [
        accounting ? t('cost.calls', { count: accounting.calls }) : null,
        Number.isFinite(accounting?.cost_usd) ? formatMoney(accounting.cost_usd, 'USD', 4) : null,
        Number.isFinite(ms) ? formatMilliseconds(ms) : null,
    ]
        .filter((part) => part !== null)
        .join(' · ');
}

/* What went wrong, where there is no room for more. */
export function sayError(error) {
    toast(error.body?.detail?.message ?? (error.message || t(`notice.${error.kind}`)), { tone: 'danger' });
}
