/**
 * Decides whether a caller may send a request. Checked after a route has matched, as in Java: an unknown path is 404
 * for every caller.
 */
import type { IncomingMessage } from 'node:http';
import type { RestAuthSettings, Role } from '../../config/rest-auth-settings';
import { forbidden, InvalidTokenError, javaUnauthenticated, unauthenticated } from './access-error';
import { basicCredentials, type BasicCredentials } from './basic-credentials';
import type { FailedLogins } from './failed-logins';
import type { PropertyFileLogin } from './property-file-login';
import { includes, roleOf, type Identity, type RequiredRole } from './roles';

export interface Caller {
  /** Null: not authenticated. */
  readonly user: string | null;
  /** `admin` for everyone while no roles are set. Null: none. */
  readonly role: Role | null;
}

export type CredentialType = 'basic' | 'bearer';

export type Asked = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'> & {
  readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress'>;
};

export interface Access {
  /** Every request is admitted, whoever sends it. */
  readonly admitsEveryone: boolean;
  readonly hasRoles: boolean;
  /** Types of credentials. Empty: it asks for none. */
  readonly accepts: readonly CredentialType[];
  /** Rejects with RestError 401, 403 or 503. */
  admit(request: Asked, route: RequiredRole): Promise<Caller>;
}

export interface AccessOptions {
  readonly settings: Pick<RestAuthSettings, 'roles' | 'openPaths'>;
  /** Null: no HTTP Basic. */
  readonly login: PropertyFileLogin | null;
  /** Resolves with the identity of a bearer token, or rejects with RestError. Null: no bearer tokens. */
  readonly bearer: ((token: string) => Promise<Identity>) | null;
  readonly failures: FailedLogins;
}

const EVERYONE: Caller = { user: null, role: 'admin' };
const BEARER = /^bearer +/i;

/** For a worker without authentication. */
export const OPEN_ACCESS: Access = {
  admitsEveryone: true,
  hasRoles: false,
  accepts: [],
  admit: async () => await Promise.resolve(EVERYONE),
};

/** Whether another worker of the group has sent the request. */
export type IsWorker = (request: Pick<Asked, 'method' | 'url' | 'headers'>) => boolean;

/** Admits other workers to the routes on which they ask each other, which a reader may use. */
export function admittingWorkers(access: Access, isWorker: IsWorker): Access {
  return {
    ...access,
    admit: async (request, route) =>
      route.forWorkers && request.method === 'GET' && isWorker(request)
        ? { user: null, role: 'reader' }
        : await access.admit(request, route),
  };
}

export function createAccess({ settings, login, bearer, failures }: AccessOptions): Access {
  if (!login && !bearer) return OPEN_ACCESS;
  const { roles, openPaths } = settings;
  const open = new Set(openPaths);

  async function acceptsPassword(credentials: BasicCredentials | null, remoteAddress?: string): Promise<boolean> {
    if (!login || login.admitsEveryone || credentials === null) return login?.accepts(credentials) === true;
    const isKnown = login.knows(credentials.user);
    return await failures.password({ ...credentials, remoteAddress, isKnown }, () => login.accepts(credentials));
  }

  async function withToken(
    read: NonNullable<AccessOptions['bearer']>,
    token: string,
    remoteAddress?: string,
  ): Promise<Identity> {
    try {
      return await read(token);
    } catch (error) {
      if (error instanceof InvalidTokenError)
        failures.report('bearer', remoteAddress, `the bearer token is not valid: ${error.reason}`);
      throw error;
    }
  }

  async function identify({ headers, rawHeaders, socket: { remoteAddress } }: Asked): Promise<Identity | null> {
    const { authorization } = headers;
    // Node would use the first of several.
    const isSingle = rawHeaders.filter((text, at) => at % 2 === 0 && /^authorization$/i.test(text)).length <= 1;
    if (bearer && isSingle && authorization !== undefined && BEARER.test(authorization))
      return await withToken(bearer, authorization.replace(BEARER, ''), remoteAddress);
    const credentials = isSingle ? basicCredentials(authorization) : null;
    if (!(await acceptsPassword(credentials, remoteAddress))) {
      if (authorization !== undefined && credentials === null)
        failures.report(login ? 'basic' : 'bearer', remoteAddress, 'the Authorization header cannot be used');
      throw bearer ? unauthenticated() : javaUnauthenticated();
    }
    return credentials && { user: credentials.user, claims: [] };
  }

  return {
    admitsEveryone: login?.admitsEveryone === true,
    hasRoles: roles !== null,
    accepts: [...(login ? (['basic'] as const) : []), ...(bearer ? (['bearer'] as const) : [])],
    admit: async (request, { path, role: required }) => {
      const { method = 'GET' } = request;
      const isOpen = open.has(path) && (method === 'GET' || method === 'HEAD');
      if (required === 'signature' || isOpen) return { user: null, role: roles === null ? 'admin' : null };
      const identity = await identify(request);
      const user = identity?.user ?? null;
      if (roles === null) return { user, role: 'admin' };
      const role = identity && roleOf(roles, identity);
      if (includes(role, required)) return { user, role };
      const has = role === null ? 'The caller has no role' : `The role ${role} is not enough`;
      throw forbidden(`${has}: ${method} ${path} needs the role ${required}`, user);
    },
  };
}
