/**
 * Who may use the REST API: `rest.extension.classes` with Java's extension for HTTP Basic, and what only Millrace has,
 * `rest.auth.*`: bearer tokens, roles, and paths that need neither. Pure.
 */
import { atLeast, type Setting, type SettingValue } from './setting';

export const EXTENSIONS = 'rest.extension.classes';
/** In Java, a system property of the JVM. */
export const JAAS_FILE = 'java.security.auth.login.config';

/** The path of a JAAS file. Java's `-Dname==file` replaces other sources of the configuration; there are none here. */
export function jaasPath(text: string): string {
  return text.replace(/^=/, '').replace(/^file:(?:\/\/)?(?=\/)/, '');
}
const PREFIX = 'rest.auth.';
const JWKS_FILE = `${PREFIX}jwks.file`;
const JWKS_URL = `${PREFIX}jwks.url`;
const ISSUER = `${PREFIX}jwt.issuer`;
const AUDIENCE = `${PREFIX}jwt.audience`;
const ALGORITHMS = `${PREFIX}jwt.algorithms`;
const CLOCK_SKEW = `${PREFIX}jwt.clock.skew.ms`;
const USER_CLAIM = `${PREFIX}jwt.user.claim`;
const ROLES_CLAIM = `${PREFIX}jwt.roles.claim`;
const OPEN_PATHS = `${PREFIX}open.paths`;

/** From the least to the most powerful: each may do what the ones before it may. */
export const ROLES = ['reader', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];
const roleKey = (role: Role): string => `${PREFIX}roles.${role}`;

const BASIC = 'BasicAuthSecurityRestExtension';
const BASIC_CLASS = `org.apache.kafka.connect.rest.basic.auth.extension.${BASIC}`;
/** Signatures that only the holder of a private key can create. HMAC would let a public key sign tokens. */
const ASYMMETRIC = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** Paths that may be open: probes and scrapers often cannot authenticate. */
const CAN_BE_OPEN = ['/', '/health', '/metrics'];
const MAX_SKEW_MS = 600_000;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export interface BearerSettings {
  readonly keys: { readonly file: string } | { readonly url: string };
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly algorithms: readonly string[];
  readonly clockSkewMs: number;
  /** Claim with the user's name. */
  readonly userClaim: string;
  /** Claim with a list of names, or one name, for `claim:` rules. Dots lead into objects. */
  readonly rolesClaim: string;
}

/** Who has the role: `user:NAME`, `claim:NAME`, or `*` for every authenticated caller. */
export type RoleRules = Readonly<Record<Role, readonly string[]>>;

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

const each = (check: (text: string) => boolean, problem: (text: string) => string) => (value: SettingValue) => {
  const wrong = ((value ?? []) as readonly string[]).find((text) => text !== '' && !check(text));
  return wrong === undefined ? null : problem(wrong);
};

const extensions = each(
  (name) => name === BASIC_CLASS || name === BASIC,
  (name) =>
    `REST extensions are Java classes, and ${name} cannot run here; supported is ${BASIC_CLASS}, and rest.auth.jwks.url or rest.auth.jwks.file for bearer tokens`,
);
const whoHasRole = each(
  (who) => who === '*' || /^(?:user|claim):\S/.test(who),
  (who) => `'${who}' is neither user:NAME, nor claim:NAME, nor * for every authenticated caller`,
);

/** The administrator's URL is trusted, but its content must not be altered on its way. */
function jwksUrl(value: SettingValue): string | null {
  if (value === null || value === '') return null;
  const url = URL.canParse(String(value)) ? new URL(String(value)) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
  if (url === null || !isSafe) return 'it must be an https URL; http is allowed only for this machine (localhost)';
  return url.username === '' && url.password === '' ? null : 'it must not contain a user name or password';
}

const optional = (name: string, check?: Setting['check']): Setting => ({ name, type: 'STRING', default: null, check });
const list = (name: string, check?: Setting['check'], def: readonly string[] = []): Setting => ({
  name,
  type: 'LIST',
  default: def,
  check,
});

export const REST_AUTH_SETTINGS: readonly Setting[] = [
  list(EXTENSIONS, extensions),
  optional(JAAS_FILE),
  optional(JWKS_FILE),
  optional(JWKS_URL, jwksUrl),
  optional(ISSUER),
  list(AUDIENCE),
  list(
    ALGORITHMS,
    each(
      (name) => ASYMMETRIC.includes(name),
      (name) => `'${name}' is not allowed; possible are ${ASYMMETRIC.join(', ')}`,
    ),
    ASYMMETRIC,
  ),
  {
    name: CLOCK_SKEW,
    type: 'INT',
    default: 30_000,
    check: (value) =>
      atLeast(0)(value) ?? (Number(value) > MAX_SKEW_MS ? `Value must be no more than ${MAX_SKEW_MS}` : null),
  },
  { name: USER_CLAIM, type: 'STRING', default: 'sub' },
  { name: ROLES_CLAIM, type: 'STRING', default: 'roles' },
  ...ROLES.map((role) => list(roleKey(role), whoHasRole)),
  list(
    OPEN_PATHS,
    each(
      (path) => CAN_BE_OPEN.includes(path),
      (path) => `'${path}' cannot be open; possible are ${CAN_BE_OPEN.join(', ')}`,
    ),
  ),
];

/** Without signatures, anyone could publish task configs: requests between workers carry no credentials. */
export function needsSignatures({ bearer, roles }: Pick<RestAuthSettings, 'bearer' | 'roles'>): boolean {
  return bearer !== null || roles !== null;
}

export interface AuthSources {
  readonly raw: Readonly<Record<string, string>>;
  readonly text: (name: string) => string | null;
  readonly number: (name: string) => number;
  readonly list: (name: string) => readonly string[];
  /** Creates the error for a setting. */
  readonly invalid: (name: string, reason: string) => Error;
}

/** Throws an error of `invalid` for settings that contradict each other, or that a role or token rule lacks. */
export function restAuthSettings(sources: AuthSources): RestAuthSettings {
  const { raw, text, invalid } = sources;
  const given = (name: string): readonly string[] => sources.list(name).filter((entry) => entry !== '');
  const known = new Set(REST_AUTH_SETTINGS.map(({ name }) => name));
  const unknown = Object.keys(raw).find((key) => key.startsWith(PREFIX) && !known.has(key));
  // Ignoring a misspelled key could leave a worker open that is meant to be protected.
  if (unknown !== undefined) throw invalid(unknown, 'it is not a known setting; see rest.auth.* in docs/operations.md');

  const jaasFile = text(JAAS_FILE);
  const wantsBasic = given(EXTENSIONS).length > 0;
  if (wantsBasic && !jaasFile)
    throw invalid(
      EXTENSIONS,
      `the extension needs a JAAS file with a KafkaConnect section; set ${JAAS_FILE}, here or with KAFKA_OPTS=-D${JAAS_FILE}=/path`,
    );
  refuseEmpty(sources);
  const roles = Object.fromEntries(ROLES.map((role) => [role, given(roleKey(role))])) as unknown as RoleRules;
  const settings: RestAuthSettings = {
    basic: wantsBasic ? { jaasFile: jaasFile as string } : null,
    bearer: bearerSettings(sources, given),
    roles: ROLES.some((role) => roles[role].length > 0) ? roles : null,
    openPaths: given(OPEN_PATHS),
  };
  requireConsistent(settings, sources);
  return settings;
}

/** A key without a value, perhaps from a variable that is not set, would turn off what it is meant to turn on. */
function refuseEmpty({ raw, invalid }: AuthSources): void {
  const isEmpty = (key: string): boolean => /^[\s,]*$/.test(raw[key] ?? '');
  for (const keys of [[JWKS_FILE, JWKS_URL], ROLES.map(roleKey)]) {
    const empty = keys.every(isEmpty) ? keys.find((key) => raw[key] !== undefined) : undefined;
    if (empty !== undefined)
      throw invalid(empty, 'it is empty, and would leave the REST API open to more callers; set it, or remove the key');
  }
}

function bearerSettings({ text, number, invalid }: AuthSources, list: AuthSources['list']): BearerSettings | null {
  const file = text(JWKS_FILE);
  const url = text(JWKS_URL);
  if (!file && !url) return null;
  if (file && url) throw invalid(JWKS_FILE, `only one of ${JWKS_FILE} and ${JWKS_URL} can be set`);
  const issuer = text(ISSUER);
  const audience = list(AUDIENCE);
  if (!issuer) throw invalid(ISSUER, 'bearer tokens need it: the exact value of the iss claim');
  if (audience.length === 0)
    throw invalid(AUDIENCE, 'bearer tokens need it: otherwise a token for any other service would be accepted');
  return {
    keys: file ? { file } : { url: url as string },
    issuer,
    audience,
    algorithms: list(ALGORITHMS),
    clockSkewMs: number(CLOCK_SKEW),
    userClaim: text(USER_CLAIM) || 'sub',
    rolesClaim: text(ROLES_CLAIM) || 'roles',
  };
}

/** A setting without effect is refused: whoever set it believes that it protects something. */
function requireConsistent(settings: RestAuthSettings, { raw, text, invalid }: AuthSources): void {
  const { basic, bearer, roles, openPaths } = settings;
  if (!basic && !bearer) {
    const login = `a way to authenticate; set ${EXTENSIONS}, ${JWKS_FILE} or ${JWKS_URL}`;
    if (roles) throw invalid(roleKey(ROLES.find((role) => roles[role].length > 0) as Role), `roles need ${login}`);
    if (openPaths.length > 0) throw invalid(OPEN_PATHS, `every path is open, because there is not yet ${login}`);
  }
  const claimRole = roles && ROLES.find((role) => roles[role].some((who) => who.startsWith('claim:')));
  if (!bearer) {
    const needsBearer = [ISSUER, AUDIENCE, ALGORITHMS, CLOCK_SKEW, USER_CLAIM, ROLES_CLAIM].find((key) => raw[key]);
    if (needsBearer !== undefined)
      throw invalid(needsBearer, `it needs the keys that sign tokens; set ${JWKS_FILE} or ${JWKS_URL}`);
    if (claimRole)
      throw invalid(
        roleKey(claimRole),
        `only bearer tokens have claims, and they are off; set ${JWKS_FILE} or ${JWKS_URL}, or name users with user:NAME`,
      );
  } else {
    if (bearer.algorithms.length === 0) throw invalid(ALGORITHMS, 'Value must not be empty');
    if (raw[ROLES_CLAIM] && !claimRole)
      throw invalid(
        ROLES_CLAIM,
        'no role is given to claim:NAME, so the claim would not be used; set rest.auth.roles.*',
      );
  }
  if (needsSignatures({ bearer, roles }) && text('connect.protocol')?.toLowerCase() !== 'sessioned')
    throw invalid('connect.protocol', 'rest.auth.* needs sessioned: requests between workers pass by their signature');
}
