/** Parses the command line of `start` and `dev`. */
import { parseArgs } from 'node:util';
import { EMBEDDED_DATA_DIR, EMBEDDED_PORT } from '../config/embedded-broker';

export interface WorkerOptions {
  readonly file?: string;
  /** Settings that the options override. */
  readonly settings: Readonly<Record<string, string>>;
  /** The given options of the embedded broker, such as `--data-dir`. */
  readonly brokerOptions: readonly string[];
}

const OPTIONS = {
  port: { type: 'string' },
  'broker-port': { type: 'string' },
  'data-dir': { type: 'string' },
} as const;
const BROKER_OPTIONS = ['broker-port', 'data-dir'] as const;

/** @throws Error that describes the invalid argument. */
export function parseWorkerOptions(args: readonly string[]): WorkerOptions {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  if (positionals.length > 1) throw new Error(`Specify at most one file, not ${positionals.join(', ')}.`);
  const settings: Record<string, string> = {};
  if (values.port !== undefined) settings.listeners = `http://127.0.0.1:${portNumber('--port', values.port)}`;
  if (values['broker-port'] !== undefined) settings[EMBEDDED_PORT] = portNumber('--broker-port', values['broker-port']);
  if (values['data-dir'] !== undefined) settings[EMBEDDED_DATA_DIR] = values['data-dir'];
  const brokerOptions = BROKER_OPTIONS.filter((name) => values[name] !== undefined).map((name) => `--${name}`);
  return { ...(positionals[0] !== undefined && { file: positionals[0] }), settings, brokerOptions };
}

function portNumber(option: string, text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) throw new Error(`${option} must be a number from 0 to 65535.`);
  return text;
}
