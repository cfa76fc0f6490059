/** Builds the access rules of a worker from its settings. */
import { ConfigError } from '@millrace/sdk';
import { EXTENSIONS, ROLES, type RestAuthSettings } from '../../config/rest-auth-settings';
import type { Logger } from '../../logging/logger';
import { createAccess, type Access } from './access';
import { bearerTokens } from './bearer-tokens';
import type { FailedLogins } from './failed-logins';
import { PropertyFileLogin, type ReadJaasFile } from './property-file-login';

const USER = 'user:';

/** Throws ConfigError `WORKER_CONFIG_INVALID` for files that cannot be used. */
export function accessOf(
  settings: RestAuthSettings,
  readJaas: ReadJaasFile,
  logger: Logger,
  failures: FailedLogins,
): Access {
  const { basic, bearer, roles } = settings;
  const login = basic && PropertyFileLogin.read(basic.jaasFile, readJaas, logger);
  if (roles && login?.admitsEveryone)
    throw new ConfigError(
      `Worker setting "${EXTENSIONS}" is invalid: an empty credentials file admits everyone, and no caller would have a role; add users to the file.`,
      { code: 'WORKER_CONFIG_INVALID', place: { key: EXTENSIONS } },
    );
  for (const warning of accessWarnings(settings, login)) logger.warn(warning);
  return createAccess({ settings, login, bearer: bearer && bearerTokens(bearer, logger), failures });
}

/** One sentence for each rule that admits more or fewer callers than it seems to. */
function accessWarnings({ bearer, roles }: RestAuthSettings, login: PropertyFileLogin | null): string[] {
  if (!roles)
    return bearer
      ? [
          'Every caller with a valid bearer token may do everything, because no roles are set; set rest.auth.roles.* ' +
            '(rest.auth.roles.admin=* keeps it so)',
        ]
      : [];
  const warnings: string[] = [];
  if (roles.admin.length === 0)
    warnings.push(
      'No caller has the role admin, so no request can create, change or delete connectors; set rest.auth.roles.admin',
    );
  // The users of tokens are not known here.
  if (login && !bearer)
    for (const role of ROLES)
      for (const who of roles[role])
        if (who.startsWith(USER) && !login.knows(who.slice(USER.length)))
          warnings.push(`The rule ${who} of rest.auth.roles.${role} has no effect: no credentials file has that user`);
  return warnings;
}
