/** Bearer tokens: signed JSON Web Tokens of one issuer for this worker's audience. */
import type { JWTPayload } from 'jose';
import type { BearerSettings } from '../../config/rest-auth-settings';
import type { Logger } from '../../logging/logger';
import { AccessError, InvalidTokenError } from './access-error';
import type { Identity } from './roles';
import { signingKeys } from './signing-keys';

/** Characters. Node limits all headers of a request to 16 KiB. */
const MAX_TOKEN = 8192;
const MAX_NAME = 256;
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** By the error codes of jose; other errors mean a malformed token or key. */
const REASONS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'it has expired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature does not match',
  ERR_JWKS_NO_MATCHING_KEY: 'no key of the issuer has its key id and algorithm',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'it names no key id, and the issuer has several keys',
  ERR_JOSE_ALG_NOT_ALLOWED: 'its algorithm is not among rest.auth.jwt.algorithms',
  ERR_JOSE_NOT_SUPPORTED: 'its algorithm is not among rest.auth.jwt.algorithms',
};

/**
 * Returns a function that resolves with a valid token's identity. It rejects with AccessError 401, or with 503 while
 * there are no keys.
 */
export function bearerTokens(settings: BearerSettings, logger: Logger): (token: string) => Promise<Identity> {
  const keys = signingKeys(settings.keys, logger);
  return async (token) => {
    if (token.length > MAX_TOKEN) throw new InvalidTokenError(`it is longer than ${MAX_TOKEN} characters`);
    if (!TOKEN.test(token)) throw new InvalidTokenError('it is not a signed JSON Web Token');
    return identityOf(await verified(token), settings);
  };

  async function verified(token: string): Promise<JWTPayload> {
    const { jwtVerify } = await import('jose');
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: settings.issuer,
        audience: [...settings.audience],
        algorithms: [...settings.algorithms],
        clockTolerance: settings.clockSkewMs / 1000,
        requiredClaims: ['exp'],
      });
      return payload;
    } catch (error) {
      if (error instanceof AccessError) throw error;
      throw new InvalidTokenError(reasonOf(error), error);
    }
  }
}

function reasonOf(error: unknown): string {
  const { code = '', claim } = error as { code?: string; claim?: unknown };
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED')
    return `the claim ${['iss', 'aud', 'exp', 'nbf', 'iat'].find((name) => name === claim) ?? ''} is not accepted`;
  return REASONS[code] ?? 'it is malformed';
}

export function identityOf(payload: JWTPayload, settings: Pick<BearerSettings, 'userClaim' | 'rolesClaim'>): Identity {
  const user = claimOf(payload, settings.userClaim);
  if (typeof user !== 'string' || user === '' || user.length > MAX_NAME)
    throw new InvalidTokenError(`the claim ${settings.userClaim} must be a user's name`);
  const found = claimOf(payload, settings.rolesClaim);
  // Scopes are one text with blanks.
  const claims = typeof found === 'string' ? found.split(' ') : Array.isArray(found) ? found : [];
  return { user, claims: claims.filter((claim): claim is string => typeof claim === 'string' && claim !== '') };
}

/** By its exact name, which may be a URL, or else by the path that its dots describe. */
function claimOf(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  let found: unknown = payload;
  for (const part of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}
