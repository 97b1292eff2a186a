/* Over how many buckets the users of a giant experiment are divided: chosen before the first record. */
import { t } from '../../shared/i18n.js';
import { formatInteger } from '../../shared/numbers.js';
import { formDialog } from '../../shared/ui/form-dialog.js';
import { html } from '../../shared/ui/lit.js';
import { resourceView } from '../../shared/ui/resource.js';
import { writers } from '../roles.js';

const most = 256;

export function bucketsCard({ buckets, actions }, isStarted) {
    return html`<section class="card section stack" aria-labelledby="buckets-title" id="buckets">
        <div class="section-head">
            <h2 id="buckets-title">${t('experiment.buckets')}</h2>
            <button type="button" class="button" data-size="small" data-for=${writers} id="choose-buckets" ?disabled=${isStarted || buckets.data === undefined} @click=${actions.chooseBuckets}>${t('experiment.buckets_choose')}</button>
        </div>
        <p class="section-note">${t(isStarted ? 'experiment.buckets_fixed' : 'experiment.buckets_note')}</p>
        ${resourceView(buckets, {
            quiet: true,
            skeleton: { lines: 1, height: 'line' },
            ready: ({ buckets: count }) => html`<p id="buckets-now">${count > 1 ? t('experiment.buckets_are', { count: formatInteger(count) }) : t('experiment.buckets_none')}</p>`,
        })}
    </section>`;
}

/** @param {Client<'experiments'>} client */
export function askForBuckets(client, path, count) {
    return formDialog({
        id: 'buckets',
        title: t('experiment.buckets'),
        fields: [{ name: 'buckets', kind: 'count', label: () => t('experiment.buckets_count'), hint: () => t('experiment.buckets_hint', { most: formatInteger(most) }), initial: count }],
        action: t('experiment.buckets_choose'),
        send: (values) => client.put(path, values),
    });
}
