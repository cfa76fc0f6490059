/** The text of a 400 on create, update and patch. Source: connect-rest §2.3. */
import type { ConfigInfos } from './config-infos';

/** Null when the config is valid. */
export function validationFailure(infos: ConfigInfos): string | null {
  if (infos.error_count === 0) return null;
  return [
    `Connector configuration is invalid and contains the following ${infos.error_count} error(s):`,
    ...infos.configs.flatMap((entry) => entry.value?.errors ?? []),
    'You can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`',
  ].join('\n');
}
