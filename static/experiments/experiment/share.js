/* Links that open the report of a result without signing in: made, listed and revoked in a dialog. */
import { t } from '../../shared/i18n.js';
import { formatDate, formatInteger } from '../../shared/numbers.js';
import { address } from '../../shared/place.js';
import { openDialog } from '../../shared/ui/dialog.js';
import { ApiError } from '../../shared/ui/errors.js';
import { createForm } from '../../shared/ui/form.js';
import { focusIssued, issuedSecret } from '../../shared/ui/issued.js';
import { html } from '../../shared/ui/lit.js';
import { errorNotice } from '../../shared/ui/notice.js';
import { createResource, resourceView } from '../../shared/ui/resource.js';
import { table } from '../../shared/ui/table.js';
import { toast } from '../../shared/ui/toast.js';
import { attempt } from '../attempt.js';
import { actorText } from '../audit.js';

const usualDays = 7;
const linkOf = ({ token }) => location.origin + address(`/share/${token}`);

/**
 * @param {Client<'experiments'>} client
 * @param {`/api/v1/experiments/${string}`} base
 */
export function openShare(client, base) {
    const path = /** @type {const} */ (`${base}/report/shares`);
    let draw = () => {};
    let made = null;
    let busy = false;
    let failure = null;
    let asked = null; /* the link about which the question of revoking is open */
    const update = () => draw();

    const links = createResource(update, async (signal) => (await client.get(path, { signal })).data);
    const form = createForm(update, {
        id: 'share',
        fields: [
            {
                name: 'days',
                kind: 'count',
                label: () => t('experiment.share_days'),
                hint: () => t('experiment.share_days_hint', { days: formatInteger(links.data?.max_days ?? usualDays) }),
                initial: usualDays,
            },
        ],
        onSubmit: create,
    });

    async function create({ days }) {
        [busy, failure] = [true, null];
        form.clearProblems();
        update();
        try {
            made = (await client.post(path, { days })).data;
            focusIssued();
            await links.reload();
        } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            if (!form.showError(error)) failure = error;
        } finally {
            busy = false;
            update();
        }
    }

    async function revoke(id) {
        asked = null;
        const done = await attempt(() => client.request('DELETE', /** @type {any} */ (`${path}/${encodeURIComponent(id)}`)));
        if (done) toast(t('experiment.share_revoked'));
        if (made?.id === id) made = null;
        links.reload();
    }

    /* Asked in place: a second dialog would cover the list that the question is about. */
    function revokeCell({ id }) {
        const ask = (value) => () => {
            asked = value;
            update();
        };
        if (asked !== id)
            return html`<button type="button" class="button" data-size="small" @click=${ask(id)}>${t('experiment.share_revoke')}</button>`;
        return html`<span>${t('experiment.share_revoke_title')}</span>
            <span class="button-row">
                <button type="button" class="button" data-size="small" data-kind="danger" @click=${() => revoke(id)}>${t('experiment.share_revoke')}</button>
                <button type="button" class="button" data-size="small" @click=${ask(null)}>${t('confirm.cancel')}</button>
            </span>`;
    }

    function list({ shares }) {
        if (shares.length === 0) return html`<p class="section-note">${t('experiment.share_none')}</p>`;
        return table({
            caption: t('experiment.share_links'),
            columns: [
                { name: 'expires_at', title: t('experiment.share_until'), cell: ({ expires_at: at }) => formatDate(at) },
                { name: 'by', title: t('experiment.by'), cell: ({ created_by: actor }) => (actor === null ? t('experiment.somebody') : actorText(actor)) },
                { name: 'revoke', title: '', cell: revokeCell },
            ],
            rows: shares,
        });
    }

    links.load().then((data) => {
        if (data) form.write({ days: Math.min(usualDays, data.max_days) });
        update();
    });
    return openDialog({
        title: t('experiment.share_title'),
        wide: true,
        body: (_, redraw) => {
            draw = redraw;
            return html`<div class="stack">
                <p class="section-note">${t('experiment.share_lead')}</p>
                ${resourceView(links, {
                    quiet: true,
                    ready: (data) =>
                        data.max_days === 0
                            ? html`<p>${t('experiment.share_off')}</p>`
                            : html`${failure === null ? null : errorNotice(failure)}
                                  ${made === null ? null : issuedSecret({ title: t('experiment.share_made'), text: t('experiment.share_made_text'), secret: linkOf(made) })}
                                  ${form.view(null, { action: t('experiment.share_create'), busy, label: t('experiment.share_title') })}
                                  <h3>${t('experiment.share_links')}</h3>
                                  ${list(data)}`,
                })}
            </div>`;
        },
    });
}
