/* Names of settings for people; a setting that has none is shown as the service writes it. */
import { hasText, t } from '../../shared/i18n.js';

export function settingName(name) {
    const key = `improve.setting_${name}`;
    return hasText(key) ? t(key) : name.replaceAll('_', ' ');
}
