/**
 * Who may use the REST API: `rest.extension.classes` with Java's extension for HTTP Basic, and what only Millrace has,
 * `rest.auth.*`: bearer tokens, roles, and paths that need neither. Pure.
 */
import { between, invalidSetting, rowsOf, settingsOf, type Parsed } from './setting';
import type { SettingProblems } from './setting-problems';

type Settings = Readonly<Record<string, string>>;

/** From the least to the most powerful: each may do what the ones before it may. */
export const ROLES = ['reader', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const PREFIX = 'rest.auth.';
const BASIC = 'BasicAuthSecurityRestExtension';
const BASIC_CLASS = `org.apache.kafka.connect.rest.basic.auth.extension.${BASIC}`;
/** Signatures that only the holder of a private key can create. HMAC would let a public key sign tokens. */
const ASYMMETRIC = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** Paths that may be open: probes and scrapers often cannot authenticate. */
const CAN_BE_OPEN = ['/', '/health', '/metrics'];
const MAX_SKEW_MS = 600_000;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A list without its empty entries. */
const given = (entries: readonly string[]): readonly string[] => entries.filter((entry) => entry !== '');

const each = (check: (text: string) => boolean, problem: (text: string) => string) => ({
  check: (entries: readonly string[]) => {
    const wrong = given(entries).find((text) => !check(text));
    return wrong === undefined ? null : problem(wrong);
  },
  read: given,
});
const whoHasRole = each(
  (who) => who === '*' || /^(?:user|claim):\S/.test(who),
  (who) => `'${who}' is neither user:NAME, nor claim:NAME, nor * for every authenticated caller`,
);

/** The administrator's URL is trusted, but its content must not be altered on its way. */
function jwksUrl(text: string): string | null {
  if (text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
  if (url === null || !isSafe) return 'it must be an https URL; http is allowed only for this machine (localhost)';
  return url.username === '' && url.password === '' ? null : 'it must not contain a user name or password';
}

const textOrNull = (text: string): string | null => text || null;

const auth = settingsOf('Authentication and roles');

export const REST_AUTH_SETTINGS = {
  extensions: auth.list('rest.extension.classes', [], {
    doc: 'Java’s extension for HTTP Basic; other extensions are Java classes and cannot run.',
    ...each(
      (name) => name === BASIC_CLASS || name === BASIC,
      (name) =>
        `REST extensions are Java classes, and ${name} cannot run here; supported is ${BASIC_CLASS}, and rest.auth.jwks.url or rest.auth.jwks.file for bearer tokens`,
    ),
  }),
  jaasFile: auth.text('java.security.auth.login.config', null, {
    doc: 'JAAS file with the section `KafkaConnect`. In Java a system property.',
    read: textOrNull,
  }),
  jwksFile: auth.text('rest.auth.jwks.file', null, {
    doc: 'Millrace only. File with the public keys, in place of the URL.',
    read: textOrNull,
  }),
  jwksUrl: auth.text('rest.auth.jwks.url', null, {
    doc: 'Millrace only. Where the public keys of the token issuer are; turns bearer tokens on. HTTPS, or this machine.',
    check: jwksUrl,
    read: textOrNull,
  }),
  issuer: auth.text('rest.auth.jwt.issuer', null, {
    doc: 'Millrace only. The exact `iss` claim; required with bearer tokens.',
    read: textOrNull,
  }),
  audience: auth.list('rest.auth.jwt.audience', [], {
    doc: 'Millrace only. Names of which `aud` must contain one; required with bearer tokens.',
    read: given,
  }),
  algorithms: auth.list('rest.auth.jwt.algorithms', ASYMMETRIC, {
    doc: 'Millrace only. Signature algorithms that are accepted.',
    ...each(
      (name) => ASYMMETRIC.includes(name),
      (name) => `'${name}' is not allowed; possible are ${ASYMMETRIC.join(', ')}`,
    ),
  }),
  clockSkewMs: auth.int('rest.auth.jwt.clock.skew.ms', 30_000, {
    doc: 'Millrace only. Tolerance for `exp` and `nbf`.',
    check: between(0, MAX_SKEW_MS),
  }),
  userClaim: auth.text('rest.auth.jwt.user.claim', 'sub', {
    doc: 'Millrace only. Claim with the name of the user.',
    read: (claim) => claim || 'sub',
  }),
  rolesClaim: auth.text('rest.auth.jwt.roles.claim', 'roles', {
    doc: 'Millrace only. Claim with the roles; dots lead into objects.',
    read: (claim) => claim || 'roles',
  }),
  roles: {
    reader: auth.list('rest.auth.roles.reader', [], {
      doc: 'Millrace only. Who may read: `user:NAME`, `claim:NAME`, or `*` for all users.',
      ...whoHasRole,
    }),
    operator: auth.list('rest.auth.roles.operator', [], {
      doc: 'Millrace only. Who may also pause, resume, stop and restart.',
      ...whoHasRole,
    }),
    admin: auth.list('rest.auth.roles.admin', [], {
      doc: 'Millrace only. Who may do everything.',
      ...whoHasRole,
    }),
  },
  openPaths: auth.list('rest.auth.open.paths', [], {
    doc: 'Millrace only. Paths that need no authentication, for probes and scrapers.',
    ...each(
      (path) => CAN_BE_OPEN.includes(path),
      (path) => `'${path}' cannot be open; possible are ${CAN_BE_OPEN.join(', ')}`,
    ),
  }),
};

type AuthSettings = Parsed<typeof REST_AUTH_SETTINGS>;

export const EXTENSIONS = REST_AUTH_SETTINGS.extensions.name;
/** In Java, a system property of the JVM. */
export const JAAS_FILE = REST_AUTH_SETTINGS.jaasFile.name;
const JWKS_FILE = REST_AUTH_SETTINGS.jwksFile.name;
const JWKS_URL = REST_AUTH_SETTINGS.jwksUrl.name;
const roleKey = (role: Role): string => REST_AUTH_SETTINGS.roles[role].name;

/** The path of a JAAS file. Java's `-Dname==file` replaces other sources of the configuration; there are none here. */
export function jaasPath(text: string): string {
  return text.replace(/^=/, '').replace(/^file:(?:\/\/)?(?=\/)/, '');
}

export interface BearerSettings extends Pick<
  AuthSettings,
  'audience' | 'algorithms' | 'clockSkewMs' | 'userClaim' | 'rolesClaim'
> {
  readonly keys: { readonly file: string } | { readonly url: string };
  readonly issuer: string;
}

export type RoleRules = AuthSettings['roles'];

export interface RestAuthSettings {
  /** Null: no HTTP Basic. */
  readonly basic: { readonly jaasFile: string } | null;
  /** Null: no bearer tokens. */
  readonly bearer: BearerSettings | null;
  /** Null: every authenticated caller may do everything, as in Java. */
  readonly roles: RoleRules | null;
  /** Answered without authentication. */
  readonly openPaths: readonly string[];
}

/** Without signatures, anyone could publish task configs: requests between workers carry no credentials. */
export function needsSignatures({ bearer, roles }: Pick<RestAuthSettings, 'bearer' | 'roles'>): boolean {
  return bearer !== null || roles !== null;
}

/**
 * Adds problems of settings that contradict each other, or that a role or token rule lacks. The result counts if there
 * are no problems.
 */
export function restAuthSettings(
  parsed: AuthSettings,
  connectProtocol: string,
  raw: Settings,
  problems: SettingProblems,
): RestAuthSettings {
  const known = rowsOf(REST_AUTH_SETTINGS).map(({ name }) => name);
  const unknown = Object.keys(raw).filter((key) => key.startsWith(PREFIX) && !known.includes(key));
  // Ignoring a misspelled key could leave a worker open that is meant to be protected.
  for (const key of unknown)
    problems.add(invalidSetting(key, 'it is not a known setting; see rest.auth.* in docs/operations.md'));

  const { extensions, jaasFile, roles, openPaths } = parsed;
  const settings: RestAuthSettings = { basic: null, bearer: null, roles: null, openPaths };
  if (problems.has('connect.protocol', ...known)) return settings;
  return (
    problems.attempt(() => {
      if (extensions.length > 0 && jaasFile === null)
        throw invalidSetting(
          EXTENSIONS,
          `the extension needs a JAAS file with a KafkaConnect section; set ${JAAS_FILE}, here or with KAFKA_OPTS=-D${JAAS_FILE}=/path`,
        );
      refuseEmpty(raw);
      const combined: RestAuthSettings = {
        basic: extensions.length > 0 ? { jaasFile: jaasFile as string } : null,
        bearer: bearerSettings(parsed),
        roles: ROLES.some((role) => roles[role].length > 0) ? roles : null,
        openPaths,
      };
      requireConsistent(combined, connectProtocol, raw);
      return combined;
    }) ?? settings
  );
}

/** A key without a value, perhaps from a variable that is not set, would turn off what it is meant to turn on. */
function refuseEmpty(raw: Settings): void {
  const isEmpty = (key: string): boolean => /^[\s,]*$/.test(raw[key] ?? '');
  for (const keys of [[JWKS_FILE, JWKS_URL], ROLES.map(roleKey)]) {
    const empty = keys.every(isEmpty) ? keys.find((key) => raw[key] !== undefined) : undefined;
    if (empty !== undefined)
      throw invalidSetting(
        empty,
        'it is empty, and would leave the REST API open to more callers; set it, or remove the key',
      );
  }
}

function bearerSettings(parsed: AuthSettings): BearerSettings | null {
  const { jwksFile: file, jwksUrl: url, issuer, audience, algorithms, clockSkewMs, userClaim, rolesClaim } = parsed;
  if (file === null && url === null) return null;
  if (file !== null && url !== null)
    throw invalidSetting(JWKS_FILE, `only one of ${JWKS_FILE} and ${JWKS_URL} can be set`);
  if (issuer === null)
    throw invalidSetting(REST_AUTH_SETTINGS.issuer.name, 'bearer tokens need it: the exact value of the iss claim');
  if (audience.length === 0)
    throw invalidSetting(
      REST_AUTH_SETTINGS.audience.name,
      'bearer tokens need it: otherwise a token for any other service would be accepted',
    );
  const keys = file !== null ? { file } : { url: url as string };
  return { keys, issuer, audience, algorithms, clockSkewMs, userClaim, rolesClaim };
}

/** A setting without effect is refused: whoever set it believes that it protects something. */
function requireConsistent(settings: RestAuthSettings, connectProtocol: string, raw: Settings): void {
  const { basic, bearer, roles, openPaths } = settings;
  const { issuer, audience, algorithms, clockSkewMs, userClaim, rolesClaim } = REST_AUTH_SETTINGS;
  if (!basic && !bearer) {
    const login = `a way to authenticate; set ${EXTENSIONS}, ${JWKS_FILE} or ${JWKS_URL}`;
    if (roles)
      throw invalidSetting(roleKey(ROLES.find((role) => roles[role].length > 0) as Role), `roles need ${login}`);
    if (openPaths.length > 0)
      throw invalidSetting(REST_AUTH_SETTINGS.openPaths.name, `every path is open, because there is not yet ${login}`);
  }
  const claimRole = roles && ROLES.find((role) => roles[role].some((who) => who.startsWith('claim:')));
  if (!bearer) {
    const needsBearer = [issuer, audience, algorithms, clockSkewMs, userClaim, rolesClaim].find(
      ({ name }) => raw[name],
    );
    if (needsBearer !== undefined)
      throw invalidSetting(needsBearer.name, `it needs the keys that sign tokens; set ${JWKS_FILE} or ${JWKS_URL}`);
    if (claimRole)
      throw invalidSetting(
        roleKey(claimRole),
        `only bearer tokens have claims, and they are off; set ${JWKS_FILE} or ${JWKS_URL}, or name users with user:NAME`,
      );
  } else {
    if (bearer.algorithms.length === 0) throw invalidSetting(algorithms.name, 'Value must not be empty');
    if (raw[rolesClaim.name] && !claimRole)
      throw invalidSetting(
        rolesClaim.name,
        'no role is given to claim:NAME, so the claim would not be used; set rest.auth.roles.*',
      );
  }
  if (needsSignatures({ bearer, roles }) && connectProtocol !== 'sessioned')
    throw invalidSetting(
      'connect.protocol',
      'rest.auth.* needs sessioned: requests between workers pass by their signature',
    );
}
