/** The function's settings, read from the environment. */

export interface Settings {
  /** A request may be signed with any of them, which allows rotation. Empty: no request can be verified. */
  readonly signingSecrets: readonly string[];
  readonly signatureMaxAgeS: number;
  /** Null: images cannot be requested. */
  readonly imageApiKey: string | null;
  readonly imageApiUrl: string;
  /** Empty: not sent. */
  readonly imageRating: string;
  /** Suffixes of the host names that images may come from. */
  readonly imageHosts: readonly string[];
  readonly upstreamTimeoutMs: number;
  readonly visibility: 'ephemeral' | 'in_channel';
  readonly style: 'attachment' | 'blocks';
  /** The line above the image. */
  readonly text: string;
  /** How failures of the image API are reported: `chat`, a sentence with status 200, or `status`, for machines. */
  readonly errorStyle: 'chat' | 'status';
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

interface CheckedSettings {
  readonly settings: Settings;
  /**
   * One sentence per missing or invalid setting, which then has its default. Contains no values.
   */
  readonly problems: readonly string[];
}

export function readSettings(env: Readonly<Record<string, string | undefined>>): CheckedSettings {
  const problems: string[] = [];

  function required(name: string): string | null {
    const value = env[name]?.trim();
    if (!value) problems.push(`${name} is not set`);
    return value || null;
  }
  function oneOf<T extends string>(name: string, choices: readonly [T, ...T[]]): T {
    const value = env[name] || choices[0];
    const found = choices.find((choice) => choice === value);
    if (found === undefined) problems.push(`${name} must be one of ${choices.join(', ')}`);
    return found ?? choices[0];
  }
  function whole(name: string, fallback: number, max: number): number {
    const value = env[name];
    if (!value) return fallback;
    if (/^\d{1,9}$/.test(value) && Number(value) >= 1 && Number(value) <= max) return Number(value);
    problems.push(`${name} must be a whole number from 1 to ${max}`);
    return fallback;
  }
  function url(name: string, fallback: string): string {
    const value = env[name] || fallback;
    if (isSafeUrl(value)) return value;
    problems.push(`${name} must be an https URL (http is allowed for this machine only)`);
    return fallback;
  }

  const settings: Settings = {
    signingSecrets: required('CHAT_SIGNING_SECRET')?.split(/\s+/) ?? [],
    signatureMaxAgeS: whole('SIGNATURE_MAX_AGE_S', 300, 3_600),
    imageApiKey: required('IMAGE_API_KEY'),
    imageApiUrl: url('IMAGE_API_URL', 'https://api.giphy.com/v1/gifs/random'),
    imageRating: env['IMAGE_RATING'] ?? 'g',
    imageHosts: (env['IMAGE_HOSTS'] || 'giphy.com')
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean),
    upstreamTimeoutMs: whole('UPSTREAM_TIMEOUT_MS', 2_000, 2_500),
    visibility: oneOf('REPLY_VISIBILITY', ['ephemeral', 'in_channel']),
    style: oneOf('REPLY_STYLE', ['attachment', 'blocks']),
    text: env['REPLY_TEXT'] ?? '*With* :heart:',
    errorStyle: oneOf('ERROR_STYLE', ['chat', 'status']),
    logLevel: oneOf('LOG_LEVEL', ['info', 'debug', 'warn', 'error']),
  };
  return { settings, problems };
}

/** Every request contains the key, so it must not cross a network in plain text. */
function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname));
}
