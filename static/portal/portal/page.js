/* The home page: what needs the person's attention in each area, by role. */
import '../../shared/shell.js';
import { currentPerson, hasRole, knownPerson, onPerson, roleIn } from '../../shared/person.js';
import { mount } from '../../shared/ui/app.js';
import { createResource } from '../../shared/ui/resource.js';
import { dataTrend, lastBackup, loadData, loadExperiments, loadInstallation, loadModels, loadSupport, modelsTrend, supportTrend } from './sources.js';
import { dismissStart, isStartDismissed } from './start.js';
import { view } from './view.js';

const refreshMs = 60000;

/* In the order of the top bar; may() says who sees the card. */
/** @type {{ name: string, may: () => boolean, load: (signal: AbortSignal) => Promise<any>, trend?: (signal: AbortSignal) => Promise<any> }[]} */
const cards = [
    { name: 'experiments', may: () => roleIn('experiments') !== null, load: loadExperiments },
    { name: 'support', may: () => hasRole('support:agent', 'support:reviewer', 'support:admin'), load: loadSupport, trend: supportTrend },
    { name: 'models', may: () => roleIn('models') !== null, load: loadModels, trend: modelsTrend },
    { name: 'data', may: () => roleIn('data') !== null, load: loadData, trend: dataTrend },
    { name: 'installation', may: () => hasRole('suite:admin'), load: loadInstallation, trend: lastBackup },
];

let app = null;
const update = () => app?.update();
const state = {
    person: knownPerson(),
    isStartShown: !isStartDismissed(),
    dismiss() {
        dismissStart();
        app.set({ isStartShown: false });
    },
    cards: cards.map(({ name, may, load, trend }) => ({
        name,
        may,
        resource: createResource(update, load),
        trend: trend ? createResource(update, trend) : null,
    })),
};

onPerson((person) => app?.set({ person }));
app = mount(document.getElementById('page'), view, state);
state.person = await currentPerson();
const shownCards = state.cards.filter(({ may }) => may());
for (const { resource } of shownCards) resource.every(refreshMs);
/* At the same moment, so that all are one request. */
for (const { resource, trend } of shownCards) {
    resource.load();
    trend?.load();
}
