/* Backups: the whole installation by its command, and the workspace of experiments as a file. */
import '../../shared/shell.js';
import { createBackup } from '../../experiments/settings/backup.js';
import { t } from '../../shared/i18n.js';
import { currentPerson, hasRole } from '../../shared/person.js';
import { areaAddress } from '../../shared/place.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { codeblock } from '../../shared/ui/codeblock.js';
import { html } from '../../shared/ui/lit.js';
import { createResource, resourceView } from '../../shared/ui/resource.js';
import { backupBadge } from '../backup.js';

const commands = 'nginx/stack backup\nnginx/stack restore FILE';

/** @type {Client<'experiments'>} */
const experiments = createClient({ service: 'experiments' });
let app = null;
const portal = createClient();
const last = createResource(() => app?.update(), async (signal) => (await portal.get('/backup.json', { signal })).data);
const workspace = createBackup(() => app?.update(), experiments, { validate: areaAddress('experiments', '/api/v1/workspace/validate') });

function whole() {
    return html`<section class="card section stack" aria-labelledby="whole-title">
        <h2 id="whole-title">${t('backups.whole')}</h2>
        <p class="section-note">${t('backups.whole_text')}</p>
        ${resourceView(last, { skeleton: { lines: 1 }, ready: (backup) => html`<p id="last-backup">${backupBadge(backup)}</p>` })}
        ${codeblock(commands, { label: t('backups.commands') })}
        <p class="section-note">${t('backups.schedule')} <a href="/docs/operate/operations">${t('backups.more')}</a></p>
    </section>`;
}

app = mount(document.getElementById('page'), () => html`<div class="stack">
    ${whole()}
    ${hasRole('experiments:analyst', 'experiments:admin')
        ? html`<h2>${t('backups.workspace')}</h2>
              ${workspace.view()}`
        : null}
</div>`);
await currentPerson();
last.load();
if (hasRole('experiments:analyst', 'experiments:admin')) workspace.load();
app.update();
