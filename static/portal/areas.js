/* Pages of the administration have one tab for each area that the person administers; which one is in the address. */
import { t } from '../shared/i18n.js';
import { currentPerson } from '../shared/person.js';
import { mount } from '../shared/ui/app.js';
import { empty } from '../shared/ui/empty.js';
import { onQuery, readQuery, writeQuery } from '../shared/ui/query.js';
import { tabs } from '../shared/ui/tabs.js';

const titles = {
    experiments: () => t('service.experiments'),
    support: () => t('service.support'),
    models: () => t('service.orchestrator'),
    data: () => t('service.livedata'),
};

/*
 * panels: {area: {may(), make(update) → {load(), view()}}}, in the order of the tabs. A panel is made when its tab is
 * first shown. label names the list of tabs.
 */
export async function mountAreas({ label, panels }) {
    let app = null;
    const update = () => app?.update();
    const made = new Map();
    const names = () => Object.keys(panels).filter((name) => panels[name].may());

    function current() {
        const { tab } = readQuery({ tab: '' });
        return names().includes(tab) ? tab : names()[0];
    }

    function panel(name) {
        if (!made.has(name)) {
            made.set(name, panels[name].make(update));
            made.get(name).load();
        }
        return made.get(name);
    }

    function show(name) {
        writeQuery({ tab: name }, { tab: names()[0] }, { step: true });
        update();
    }

    await currentPerson();
    app = mount(document.getElementById('page'), () =>
        names().length === 0
            ? empty({ title: t('notice.forbidden') })
            : tabs({
                  id: 'area',
                  label: label(),
                  tabs: names().map((name) => ({ name, title: titles[name]() })),
                  current: current(),
                  onSelect: show,
                  panel: (name) => panel(name).view(),
              }),
    );
    onQuery(update);
}
