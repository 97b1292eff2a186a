/* The tabs of the settings as a template. */
import { t } from '../../shared/i18n.js';
import { tabs } from '../../shared/ui/tabs.js';

export function view({ panels, tab, show }) {
    return tabs({
        id: 'settings',
        label: t('settings.title'),
        tabs: Object.keys(panels).map((name) => ({ name, title: t(`settings.tab_${name}`) })),
        current: tab(),
        onSelect: show,
        panel: (name) => panels[name].view(),
    });
}
