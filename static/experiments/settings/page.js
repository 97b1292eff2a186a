/* Settings: keys, webhooks, the chat platform, the audit log, backups and the state of the service, one tab each. */
import '../../shared/shell.js';
import { onLocale } from '../../shared/i18n.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { onQuery, readQuery, writeQuery } from '../../shared/ui/query.js';
import { createAudit } from './audit.js';
import { createBackup } from './backup.js';
import { createChat } from './chat.js';
import { createKeys } from './keys.js';
import { createOperator } from './operator.js';
import { createService } from './service.js';
import { view } from './view.js';
import { createWebhooks } from './webhooks.js';

const defaults = { tab: 'keys' };
/** @type {Client<'experiments'>} */
const client = createClient();
let app = null;
const update = () => app?.update();

const operator = createOperator(() => load());
const panels = {
    keys: createKeys(update, operator),
    webhooks: createWebhooks(update, operator),
    chat: createChat(update, client),
    audit: createAudit(update, client),
    backup: createBackup(update, client),
    service: createService(update, client),
};
const tabNow = () => (readQuery(defaults).tab in panels ? readQuery(defaults).tab : defaults.tab);

function load() {
    update();
    panels[tabNow()].load();
    /* On a narrow screen the tabs are wider than the window. */
    setTimeout(() => document.getElementById(`settings-tab-${tabNow()}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
}

function show(tab) {
    writeQuery({ tab }, defaults, { step: true });
    load();
}

app = mount(document.getElementById('page'), view, { panels, tab: tabNow, show });
onQuery(load);
onLocale(load);
load();
