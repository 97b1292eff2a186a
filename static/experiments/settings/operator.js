/*
 * The operator's rights, which keys and webhooks ask for: those of an administrator's session at the portal, else a
 * token, which lives in this tab alone, beside the access token.
 */
import { t } from '../../shared/i18n.js';
import { roleIn } from '../../shared/person.js';
import { isUnderPortal } from '../../shared/place.js';
import { createClient } from '../../shared/ui/client.js';
import { errorNotice } from '../../shared/ui/notice.js';
import { resourceView } from '../../shared/ui/resource.js';
import { askForSecret } from '../../shared/ui/secret.js';
import { onAccessToken, recall, remember } from '../../shared/ui/session.js';

const refusals = ['unauthorized', 'forbidden'];

/* changed() is called whenever there is another token. */
export function createOperator(changed) {
    /** @type {Record<string, string>} */
    const headers = {};
    /** @type {Client<'experiments'>} */
    const client = createClient({ headers, ...(isUnderPortal ? { service: 'experiments' } : {}) });
    let token = null;

    function take(given) {
        token = given;
        if (given === null) delete headers.Authorization;
        else headers.Authorization = `Bearer ${given}`;
    }

    function use(given) {
        take(given);
        remember('admin', given);
        changed();
    }

    /* Who has the tab forget its token means this one, too. */
    onAccessToken((given) => {
        if (given === null) use(null);
    });
    take(recall('admin'));

    const isKnown = () => token !== null || roleIn('experiments') === 'admin';

    return {
        client,
        known: isKnown,

        /* What `resource` has, or the question for the token that it needs. */
        view(resource, how) {
            const refused = isKnown() && refusals.includes(resource.error?.kind);
            if (refused && resource.error.code === 'admin_token_not_configured') return errorNotice(resource.error);
            if (isKnown() && !refused) return resourceView(resource, how);
            return askForSecret({
                id: 'admin-token',
                title: t(refused ? 'settings.admin_refused' : 'settings.admin_title'),
                hint: t('settings.admin_hint'),
                label: t('settings.admin_token'),
                refused,
                use,
            });
        },
    };
}
