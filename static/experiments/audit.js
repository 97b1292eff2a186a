/* Actions of the audit log, which are the events of webhooks too, with their names for people. */
import { hasText, t } from '../shared/i18n.js';

const list = (names) => names.split(' ');

/* By what they are about. What webhooks can report stands first in each group. */
const groups = {
    experiments: list('project.create project.update project.archive project.restore project.delete'),
    decisions: list('experiment.ship experiment.stop experiment.reopen experiment.alarm_raised experiment.alarm_ended'),
    reports: list('analysis_run_created export_created analysis.approve workspace_imported'),
    keys: list('api_key_created api_key_revoked api_key_deleted api_key_used'),
    administration: list('share.create share.revoke flag.update flag.ramp_back adaptive.update adaptive.delete adaptive.round client_key.create client_key.delete experiment.clear experiment.alarm_add experiment.alarm_remove webhook.create webhook.update webhook.delete webhook.test webhook.resend template.create template.delete metric.create metric.update metric.delete segment.create segment.update segment.users segment.delete retention.purge chatapp.install'),
};

export const actions = Object.values(groups).flat();
const reported = ['experiments', 'decisions', 'reports', 'keys'];

/* [{title, events}] of webhooks. */
export const eventGroups = () => reported.map((name) => ({ title: t(`audit.of_${name}`), events: groups[name] }));

/* "Design edited" for project.update; a name that is not known stays as it is. */
export function actionText(action) {
    const key = `audit.${action.replaceAll('.', '_')}`;
    return hasText(key) ? t(key) : action;
}

/* A person by name; keys and tokens as the log has them. */
export const actorText = (actor) => (actor ?? '–').replace(/^user:/, '');
