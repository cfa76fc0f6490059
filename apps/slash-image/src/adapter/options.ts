import { parseArgs } from 'node:util';

type AuthType = 'NONE' | 'AWS_IAM';

/** An access key that may call the function when the auth type is AWS_IAM. */
export interface KeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface AdapterOptions {
  readonly host: string;
  readonly port: number;
  readonly authType: AuthType;
  /** Whether a resource policy allows everyone to call the URL. Applies to auth type NONE only. */
  readonly publicInvoke: boolean;
  /** Null unless the auth type is AWS_IAM. */
  readonly keyPair: KeyPair | null;
  /** Time limit of the function. */
  readonly timeoutMs: number;
  /** Uses the last entry of `X-Forwarded-For` as the client address. */
  readonly trustProxy: boolean;
  /** Path of the health check. Null: none. */
  readonly healthPath: string | null;
  /** Starts even if the function's settings are incomplete. */
  readonly allowUnconfigured: boolean;
}

export const USAGE = `usage: npm start --workspace apps/slash-image -- [OPTIONS]
  --auth-type NONE|AWS_IAM            who may call the URL (default NONE)
  --public-invoke-permission on|off   the resource policy of auth type NONE (default on)
  --timeout-ms MS                     the function's time limit (default 3000)
  --trust-proxy                       use X-Forwarded-For as the client address
  --health-path PATH                  path of a health check, which returns 200
  -h, --help                          show this help
  --allow-unconfigured                start without CHAT_SIGNING_SECRET or IMAGE_API_KEY
PORT (default 8080) and HOST (default 127.0.0.1) are the address to listen on. AWS_IAM allows the key pair in
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to call.`;

/** Null: help was requested. @throws Error with the problem as its message. */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): AdapterOptions | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'auth-type': { type: 'string', default: 'NONE' },
      'public-invoke-permission': { type: 'string', default: 'on' },
      'timeout-ms': { type: 'string', default: '3000' },
      'trust-proxy': { type: 'boolean', default: false },
      'health-path': { type: 'string' },
      'allow-unconfigured': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const authType = oneOf('--auth-type', values['auth-type'], ['NONE', 'AWS_IAM']);
  return {
    host: env['HOST'] || '127.0.0.1',
    port: whole('PORT', env['PORT'] || '8080', 0, 65_535),
    authType,
    publicInvoke: oneOf('--public-invoke-permission', values['public-invoke-permission'], ['on', 'off']) === 'on',
    keyPair: authType === 'AWS_IAM' ? keyPair(env) : null,
    timeoutMs: whole('--timeout-ms', values['timeout-ms'], 1, 900_000),
    trustProxy: values['trust-proxy'],
    healthPath: values['health-path'] ?? null,
    allowUnconfigured: values['allow-unconfigured'],
  };
}

function oneOf<T extends string>(name: string, value: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new Error(`${name} must be ${choices.join(' or ')}`);
  return found;
}

function whole(name: string, value: string, min: number, max: number): number {
  if (!/^\d{1,6}$/.test(value) || Number(value) < min || Number(value) > max)
    throw new Error(`${name} must be a whole number from ${min} to ${max}`);
  return Number(value);
}

function keyPair(env: Readonly<Record<string, string | undefined>>): KeyPair {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey)
    throw new Error(
      '--auth-type AWS_IAM requires AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the key pair of the caller',
    );
  return { accessKeyId, secretAccessKey };
}
