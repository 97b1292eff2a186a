/* The credentials of programs, by area. */
import '../../shared/shell.js';
import { createKeys as createExperimentKeys } from '../../experiments/settings/keys.js';
import { createOperator } from '../../experiments/settings/operator.js';
import { createKeys as createDataKeys } from '../../livedata/keys/keys.js';
import { t } from '../../shared/i18n.js';
import { hasRole } from '../../shared/person.js';
import { html } from '../../shared/ui/lit.js';
import { mountAreas } from '../areas.js';
import { notePanel } from '../note.js';

/* Support and the models have one key each, in their settings; people's own tokens work there as well. */
const bySetting = (setting) => () =>
    notePanel({
        title: () => t('api_keys.by_setting'),
        text: () => t('api_keys.by_setting_text', { setting }),
        action: () => html`<a class="button" href="/profile">${t('api_keys.to_tokens')}</a>`,
    });

mountAreas({
    label: () => t('api_keys.title'),
    panels: {
        experiments: {
            may: () => hasRole('experiments:admin'),
            make(update) {
                const operator = createOperator(() => panel.load());
                const panel = createExperimentKeys(update, operator);
                return panel;
            },
        },
        support: { may: () => hasRole('support:admin'), make: bySetting('API_KEY') },
        models: { may: () => hasRole('models:admin'), make: bySetting('ORCH_API_KEY') },
        data: { may: () => hasRole('data:admin'), make: createDataKeys },
    },
});
