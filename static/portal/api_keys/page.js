/* The credentials of programs, by area. */
import '../../shared/shell.js';
import { createKeys as createExperimentKeys } from '../../experiments/settings/keys.js';
import { createOperator } from '../../experiments/settings/operator.js';
import { createKeys as createDataKeys } from '../../livedata/keys/keys.js';
import { t } from '../../shared/i18n.js';
import { hasRole } from '../../shared/person.js';
import { areaAddress } from '../../shared/place.js';
import { html } from '../../shared/ui/lit.js';
import { mountAreas } from '../areas.js';
import { notePanel } from '../note.js';

/* Support has one key, in its settings; people's own tokens work there as well. */
const support = () =>
    notePanel({
        title: () => t('api_keys.by_setting'),
        text: () => t('api_keys.by_setting_text', { setting: 'API_KEY' }),
        action: () => html`<a class="button" href="/profile">${t('api_keys.to_tokens')}</a>`,
    });

/* Keys of the models have limits and budgets, so they have a page of their own. */
const models = () =>
    notePanel({
        title: () => t('api_keys.models'),
        text: () => t('api_keys.models_text'),
        action: () => html`<a class="button" data-kind="primary" href=${areaAddress('orchestrator', '/models.html?tab=keys')}>${t('api_keys.to_models')}</a>`,
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
        support: { may: () => hasRole('support:admin'), make: support },
        models: { may: () => hasRole('models:admin'), make: models },
        data: { may: () => hasRole('data:admin'), make: createDataKeys },
    },
});
