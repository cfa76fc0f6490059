/** Passes each request to the handler of its API. Before authentication, only the APIs that lead to it are served. */
import { API_VERSIONS, SASL_AUTHENTICATE, SASL_HANDSHAKE, type RequestOf } from '@millrace/kafka-protocol';
import { SERVED_APIS } from './protocol/apis';
import { ErrorCode } from './protocol/errors';
import type { Dispatch, Handler } from './requests/handler';
import { authenticate, handshake, rejectAuthenticate, rejectHandshake, type Users } from './security/sasl';

const BEFORE_AUTHENTICATION = new Set(['ApiVersions', 'SaslHandshake', 'SaslAuthenticate']);

/** @param users null: the listener requires no authentication. */
export function createDispatcher(handlers: ReadonlyMap<number, Handler>, users: Users | null): Dispatch {
  const served = [...SERVED_APIS.values()]
    .filter(({ key, name }) => handlers.has(key) || BEFORE_AUTHENTICATION.has(name))
    .map(({ key, versions: [minVersion, maxVersion] }) => ({ apiKey: key, minVersion, maxVersion }));

  return async ({ api, version, body, unsupportedVersion }, context, session) => {
    if (!session.authenticated && !BEFORE_AUTHENTICATION.has(api.name)) return 'close';
    if (api.key === API_VERSIONS.key) {
      return { errorCode: unsupportedVersion ? ErrorCode.UNSUPPORTED_VERSION : ErrorCode.NONE, apiKeys: served };
    }
    if (api.key === SASL_HANDSHAKE.key) {
      return users ? handshake(body as RequestOf<typeof SASL_HANDSHAKE>, version, session, users) : rejectHandshake();
    }
    if (api.key === SASL_AUTHENTICATE.key) {
      return users ? authenticate(body as RequestOf<typeof SASL_AUTHENTICATE>, session, users) : rejectAuthenticate();
    }
    const handler = handlers.get(api.key);
    return handler ? handler(body, context) : 'close';
  };
}
