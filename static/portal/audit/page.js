/* Who did what and when: the audit logs of all services that the person may read, in one list. */
import '../../shared/shell.js';
import { t } from '../../shared/i18n.js';
import { currentPerson } from '../../shared/person.js';
import { mount } from '../../shared/ui/app.js';
import { createList } from '../../shared/ui/list.js';
import { areasWithAudit, readAudit } from './sources.js';
import { areaTitle, columns, emptyList, view } from './view.js';

const size = 50;
let app = null;

/* The newest entries of each service, searched here: the services keep their logs apart. */
async function load(signal, { page, area = '', q = '' }) {
    const words = q.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const { entries, failed } = await readAudit(area, signal);
    const found = entries.filter((entry) => {
        const text = [entry.actor, entry.action, entry.subject, entry.address].join(' ').toLocaleLowerCase();
        return words.every((word) => text.includes(word));
    });
    app.set({ failed });
    return { rows: found.slice((page - 1) * size, page * size), total: found.length };
}

const list = createList(() => app?.update(), {
    load,
    size,
    key: ({ key }) => key,
    caption: () => t('audit.title'),
    columns,
    filters: () => [
        { name: 'q', label: t('audit.search'), kind: 'search' },
        { name: 'area', label: t('audit.area'), kind: 'select', options: areasWithAudit().map((value) => ({ value, title: areaTitle(value) })) },
    ],
    empty: emptyList,
});

await currentPerson();
app = mount(document.getElementById('page'), view, { list, failed: [] });
list.start();
