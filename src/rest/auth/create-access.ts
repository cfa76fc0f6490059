/** Builds the access rules of a worker from its settings. */
import { ConfigError } from '@millrace/sdk';
import { EXTENSIONS, type RestAuthSettings } from '../../config/rest-auth-settings';
import type { Logger } from '../../logging/logger';
import { createAccess, type Access } from './access';
import { bearerTokens } from './bearer-tokens';
import { PropertyFileLogin, type ReadJaasFile } from './property-file-login';

/** Throws ConfigError `WORKER_CONFIG_INVALID` for files that cannot be used. */
export function accessOf(settings: RestAuthSettings, readJaas: ReadJaasFile, logger: Logger): Access {
  const { basic, bearer, roles } = settings;
  const login = basic && PropertyFileLogin.read(basic.jaasFile, readJaas, logger);
  if (roles && login?.admitsEveryone)
    throw new ConfigError(
      `Worker setting "${EXTENSIONS}" is invalid: an empty credentials file admits everyone, and no caller would have a role; add users to the file.`,
      { code: 'WORKER_CONFIG_INVALID', place: { key: EXTENSIONS } },
    );
  if (roles?.admin.length === 0)
    logger.warn(
      'No caller has the role admin, so no request can create, change or delete connectors; set rest.auth.roles.admin',
    );
  return createAccess({ settings, login, bearer: bearer && bearerTokens(bearer, logger) });
}
