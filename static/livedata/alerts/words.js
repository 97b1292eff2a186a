/* How alerts are spoken of: states, rules, notifications. */
import { t } from '../../shared/i18n.js';
import { formatNumber, formatPercent, isolated } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { metricName, valueOf, windowName } from '../words.js';

const tones = { ok: 'good', firing: 'danger', sustained: 'danger', resolved: 'good', suppressed: 'caution', no_data: 'plain' };

/** @param {livedata.Alert} alert */
export function stateBadge({ active, state, last_condition_triggered: held }) {
    if (!active) return badge(t('alerts.off'), 'plain');
    if (state === 'ok' && held === null) return badge(t('alerts.state_waiting'), 'plain', { dot: true });
    return badge(t(`alerts.state_${state}`), tones[state] ?? 'plain', { dot: true });
}

/* A threshold as people write it: of a change in percent, else in the metric's unit. */
export function thresholdOf({ condition, threshold }, unit) {
    return condition === 'change_pct' ? formatPercent(threshold / 100) : valueOf(threshold, unit);
}

/* "Revenue below $34.00 · 1 hour" */
export function ruleOf(rule, unit) {
    const value = isolated(thresholdOf(rule, unit));
    return t(`alerts.rule_${rule.condition}`, { metric: metricName(rule.metric), value, window: windowName(rule.window) });
}

const notices = { 'alert.triggered': 'triggered', 'alert.sustained': 'sustained', 'alert.escalated': 'escalated', 'alert.resolved': 'resolved', 'alert.test': 'test' };

/* What a notification said. */
export const noticeWord = (type) => t(`alerts.notice_${notices[type] ?? 'test'}`);

/* Where it arrived: at a receiver, on this page alone, or nowhere. */
/** @param {livedata.AlertHistoryRow} row */
export function deliveryBadge({ success, status_code: status, error }) {
    if (success) return badge(t(status === null ? 'alerts.shown' : 'alerts.taken'), status === null ? 'plain' : 'good');
    return badge(t('alerts.not_taken', { why: status ?? error ?? '' }), 'danger');
}

/* What a metric is now, and a change with its percentage. */
export function valueNow({ current_value: value, previous_value: previous, change_pct: change }, unit) {
    if (value === null || value === undefined) return '–';
    if (previous === null || previous === undefined) return valueOf(value, unit);
    return `${valueOf(previous, unit)} → ${valueOf(value, unit)}${change === null ? '' : ` (${change > 0 ? '+' : ''}${formatNumber(change, 3)}%)`}`;
}

/* The host of a receiver: the rest of its address may hold a secret. */
export function receiverOf({ webhook_url: url }) {
    if (url === '') return t('alerts.here_only');
    try {
        return new URL(url).host;
    } catch {
        return url;
    }
}
