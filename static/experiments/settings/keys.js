/* Keys that were issued: a new one is shown once, one that was revoked may be deleted. */
import { t } from '../../shared/i18n.js';
import { formatAgo, formatDateTime, formatInteger, formatShortUnit } from '../../shared/numbers.js';
import { badge } from '../../shared/ui/badge.js';
import { confirm } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { focusIssued, issuedSecret } from '../../shared/ui/issued.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice } from '../../shared/ui/notice.js';
import { createResource } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { attempt } from '../attempt.js';
import { press } from './press.js';

const pathOf = (id) => /** @type {const} */ (`/api/v1/keys/${encodeURIComponent(id)}`);

/** @param {experiments.ApiKey} key */
function limitOf({ rate_limit_requests: requests, rate_limit_window_seconds: seconds }) {
    if (requests === null) return t('settings.limit_usual');
    const window = seconds === null ? '' : ` / ${formatShortUnit(seconds, 'second')}`;
    return `${formatInteger(requests)}${window}`;
}

export function createKeys(update, operator) {
    const { client } = operator;
    let made = null;
    let problem = null;
    let busy = false;

    const keys = createResource(update, async (signal) => (await client.get('/api/v1/keys', { signal })).data.keys);

    const form = createForm(update, {
        id: 'key',
        fields: [
            { name: 'name', kind: 'text', label: () => t('settings.name'), maxLength: 100 },
            {
                name: 'scope',
                kind: 'select',
                label: () => t('settings.scope'),
                options: () => ['read', 'write'].map((value) => ({ value, title: t(`settings.scope_${value}`) })),
            },
            { name: 'rate_limit_requests', kind: 'count', label: () => t('settings.limit_requests'), hint: () => t('settings.limit_hint'), optional: true },
            { name: 'rate_limit_window_seconds', kind: 'count', label: () => t('settings.limit_window'), optional: true },
        ],
        onSubmit: issue,
    });

    async function issue(values) {
        busy = true;
        problem = null;
        form.clearProblems();
        try {
            const { data } = await client.post('/api/v1/keys', values);
            made = data;
            form.write({});
            focusIssued();
            keys.reload();
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            if (!form.showError(error)) problem = error;
        } finally {
            busy = false;
            update();
        }
    }

    async function after(question, action) {
        if (!(await confirm(question))) return;
        await attempt(action);
        keys.reload();
    }

    const revoke = ({ id, name }) =>
        after({ title: t('settings.revoke_title', { name }), text: t('settings.revoke_text'), action: t('settings.revoke') }, () =>
            client.request('POST', `${pathOf(id)}/revoke`),
        );

    const remove = ({ id, name }) =>
        after({ title: t('settings.delete_title', { name }), text: t('settings.delete_key_text'), action: t('settings.delete') }, () =>
            client.delete(pathOf(id)),
        );

    const columns = () => [
        { name: 'name', title: t('settings.name'), cell: ({ name }) => html`<span dir="auto">${name}</span>` },
        { name: 'scope', title: t('settings.scope'), cell: ({ scope }) => t(`settings.scope_${scope}`) },
        {
            name: 'state',
            title: t('settings.state'),
            cell: ({ revoked_at: at }) => (at === null ? badge(t('settings.valid'), 'good') : badge(t('settings.revoked', { time: formatAgo(at) }))),
        },
        { name: 'limit', title: t('settings.limit'), cell: limitOf },
        { name: 'created_at', title: t('settings.created'), cell: ({ created_at: at }) => formatDateTime(at) },
        { name: 'last_used_at', title: t('settings.used'), cell: ({ last_used_at: at }) => (at === null ? t('settings.never') : formatAgo(at)) },
        {
            name: 'actions',
            title: t('settings.actions'),
            titleHidden: true,
            align: 'end',
            cell: (key) => (key.revoked_at === null ? press(t('settings.revoke'), key, revoke) : press(t('settings.delete'), key, remove, { kind: 'danger' })),
        },
    ];

    return {
        load: () => operator.known() && keys.load(),
        view: () =>
            operator.view(keys, {
                skeleton: { lines: 4, height: 'row' },
                ready: (rows) => html`<div class="stack">
                    ${made === null ? null : issuedSecret({ title: t('settings.made', { name: made.name }), text: t('settings.once'), secret: made.plaintext_key })}
                    ${problem === null ? null : errorNotice(problem)}
                    <section class="card section" aria-labelledby="keys-title" id="keys">
                        <div class="section-head"><h2 id="keys-title">${t('settings.tab_keys')}</h2></div>
                        ${rows.length === 0
                            ? html`<p class="section-note">${t('settings.no_keys')}</p>`
                            : table({ caption: t('settings.tab_keys'), columns: columns(), rows, key: ({ id }) => id })}
                    </section>
                    <section class="card section stack" aria-labelledby="new-title">
                        <h2 id="new-title">${t('settings.new_key')}</h2>
                        ${form.view(null, { label: t('settings.new_key'), action: t('settings.issue'), busy })}
                    </section>
                </div>`,
            }),
    };
}
