/* What is older than the windows of the settings: counted first, deleted when the reader says so. */
import { t } from '../../shared/i18n.js';
import { formatInteger } from '../../shared/numbers.js';
import { confirm } from '../../shared/ui/dialog.js';
import { html } from '../../shared/ui/lit.js';
import { notice } from '../../shared/ui/notice.js';
import { attempt } from '../attempt.js';

const kinds = { exposures: 'keep_exposures', conversions: 'keep_conversions', audit_log: 'keep_audit', webhook_deliveries: 'keep_deliveries' };
const listOf = (purged) =>
    Object.entries(kinds)
        .map(([kind, key]) => `${t(`settings.${key}`)}: ${formatInteger(purged[kind])}`)
        .join(' · ');

/* Done, `after` is called. */
/** @param {Client<'experiments'>} client */
export function createPurge(update, client, after) {
    let found = null;
    let busy = false;

    const ask = async (dryRun) => {
        busy = true;
        update();
        await attempt(async () => {
            found = (await client.post('/api/v1/admin/retention/purge', { dry_run: dryRun })).data;
            if (!dryRun) after();
        });
        busy = false;
        update();
    };

    async function purge() {
        const sure = await confirm({ title: t('settings.purge_title'), text: listOf(found.purged), action: t('settings.purge') });
        if (sure) await ask(false);
    }

    function told() {
        const some = Object.values(found.purged).some((count) => count > 0);
        return html`<div role="status" id="purged">
            ${notice({
                tone: found.dry_run ? 'info' : 'good',
                title: t(found.dry_run ? 'settings.purge_found' : 'settings.purge_done'),
                body: html`<p>${listOf(found.purged)}</p>`,
                actions: found.dry_run && some ? html`<button type="button" class="button" data-kind="danger" id="purge" ?disabled=${busy} @click=${purge}>${t('settings.purge')}</button>` : null,
            })}
        </div>`;
    }

    return {
        /** @param {experiments.Diagnostics} diagnostics */
        view: ({ retention }) =>
            retention.auto_purge_enabled
                ? html`${found === null ? null : told()}
                      <div class="button-row"><button type="button" class="button" data-size="small" id="purge-count" ?disabled=${busy} @click=${() => ask(true)}>${t('settings.purge_count')}</button></div>`
                : html`<p class="section-note">${t('settings.purge_none')}</p>`,
    };
}
