/* Where the services send their events, by area. */
import '../../shared/shell.js';
import { createOperator } from '../../experiments/settings/operator.js';
import { createWebhooks as createExperimentWebhooks } from '../../experiments/settings/webhooks.js';
import { t } from '../../shared/i18n.js';
import { hasRole } from '../../shared/person.js';
import { mountAreas } from '../areas.js';
import { notePanel } from '../note.js';
import { createDataWebhooks } from './data.js';

mountAreas({
    label: () => t('webhooks.title'),
    panels: {
        experiments: {
            may: () => hasRole('experiments:admin'),
            make(update) {
                const operator = createOperator(() => panel.load());
                const panel = createExperimentWebhooks(update, operator);
                return panel;
            },
        },
        support: {
            may: () => hasRole('support:admin'),
            make: () =>
                notePanel({
                    title: () => t('webhooks.support'),
                    text: () => t('webhooks.support_text', { setting: 'ALERT_WEBHOOK_URL' }),
                }),
        },
        data: { may: () => hasRole('data:admin', 'data:operator'), make: createDataWebhooks },
    },
});
