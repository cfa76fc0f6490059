import { parseArgs } from 'node:util';

export type AuthType = 'NONE' | 'AWS_IAM';

/** An access key that may call the function when the auth type is AWS_IAM. */
export interface KeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface AdapterOptions {
  readonly host: string;
  readonly port: number;
  readonly authType: AuthType;
  /** Whether a resource policy lets everybody call the URL; asked for auth type NONE alone. */
  readonly publicInvoke: boolean;
  /** Null unless the auth type is AWS_IAM. */
  readonly keyPair: KeyPair | null;
  /** How long the function may take. */
  readonly timeoutMs: number;
  /** Takes the client's address from the last `X-Forwarded-For`. */
  readonly trustProxy: boolean;
  /** Answers here that it runs; null: nowhere. */
  readonly healthPath: string | null;
  /** Starts although the function's settings are not complete. */
  readonly allowUnconfigured: boolean;
}

export const USAGE = `usage: npm start --workspace apps/slash-image -- [OPTIONS]
  --auth-type NONE|AWS_IAM            who may call the URL (default NONE)
  --public-invoke-permission on|off   the resource policy of auth type NONE (default on)
  --timeout-ms MS                     the function's time limit (default 3000)
  --trust-proxy                       take the client's address from X-Forwarded-For
  --health-path PATH                  answer 200 there
  -h, --help                          this
  --allow-unconfigured                start without CHAT_SIGNING_SECRET or IMAGE_API_KEY
PORT (default 8080) and HOST (default 127.0.0.1) say where to listen. AWS_IAM takes the key pair that may call from
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`;

/** Null: how to use it was asked for. @throws Error whose message says what is wrong. */
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
    throw new Error('--auth-type AWS_IAM needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of who may call');
  return { accessKeyId, secretAccessKey };
}
