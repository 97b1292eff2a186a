/* The explorer as a template: three ways to ask, one under each tab. */
import { t } from '../../shared/i18n.js';
import { errorNotice, tokenForm } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { tabs } from '../../shared/ui/tabs.js';
import { entityPanel } from './entity_view.js';
import { metricPanel } from './metric_view.js';
import { questionPanel } from './question_view.js';

const panels = { entity: entityPanel, metric: metricPanel, question: questionPanel };

export function view(page) {
    const { catalog, tab, actions } = page;
    return resourceView(catalog, {
        skeleton: { lines: 2, height: 'card' },
        failed: (error) => (error.kind === 'unauthorized' ? tokenForm(error, actions.start) : errorNotice(error, { retry: actions.start })),
        ready: () =>
            tabs({
                id: 'explorer',
                label: t('explorer.title'),
                tabs: Object.keys(panels).map((name) => ({ name, title: t(`explorer.tab_${name}`) })),
                current: tab in panels ? tab : 'entity',
                onSelect: (name) => actions.go({ tab: name }),
                panel: (name) => panels[name](page),
            }),
    });
}
