/** What the Kafka clients of a worker reject in their settings. No client connects. */
import { isConnectError } from '@millrace/sdk';
import type { ClientConfig } from '@millrace/kafka-client';
import { hasPlaceholder } from '../../config/providers/placeholders';
import type { ClientKind } from '../../config/client-config';
import type { WorkerConfig } from '../../config/worker-config';
import { workerClients } from '../../kafka-clients';
import { silentLogger } from '../../logging/logger';

/** `unchecked`: a file that the setting names is not on this machine. */
export interface ClientProblem {
  readonly kind: 'rejected' | 'unchecked';
  readonly key: string;
  /** One sentence that does not repeat the key. */
  readonly message: string;
  readonly instead: null;
}

const PREFIX: Readonly<Record<ClientKind, string>> = {
  worker: '',
  producer: 'producer.',
  consumer: 'consumer.',
  admin: 'admin.',
};
/** Settings of one client that are reported. */
const MOST = 20;
const ABOUT_KEY = /^(?:Kafka client setting|Setting) ['"]([^'"]+)['"] (.*)$/s;

/** One for each setting, with its prefix. */
export async function clientProblems(config: WorkerConfig): Promise<readonly ClientProblem[]> {
  const found: ClientProblem[] = [];
  for (const kind of Object.keys(PREFIX) as ClientKind[]) found.push(...(await problemsOf(kind, config)));
  return found;
}

async function problemsOf(kind: ClientKind, config: WorkerConfig): Promise<readonly ClientProblem[]> {
  // The address of the embedded broker is known once it runs.
  const isEmbedded = /(?:^|,)\s*embedded\s*(?:,|$)/.test(config.bootstrapServers);
  const given = { ...config.client(kind), ...(isEmbedded && { 'bootstrap.servers': 'localhost:9092' }) };
  const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => !hasPlaceholder(value)));
  const found: ClientProblem[] = [];
  while (found.length < MOST) {
    const message = await rejection(kind, settings, config.tokenUrls);
    if (message === null) break;
    const [, key = '', problem = ''] = ABOUT_KEY.exec(message) ?? [];
    // What depends on a value of a config provider is not known.
    if (Object.hasOwn(given, key) && !Object.hasOwn(settings, key)) break;
    const isAbsent = /ENOENT|ENOTDIR|EACCES/.test(problem);
    found.push({
      kind: isAbsent ? 'unchecked' : 'rejected',
      // Admin clients of tasks have the settings of the worker's own, but for those with their prefix.
      key: (kind === 'admin' && config.raw[`admin.${key}`] === undefined ? '' : PREFIX[kind]) + key,
      message: isAbsent ? 'The file is not on this machine.' : sentence(`It ${problem}`),
      instead: null,
    });
    if (!Object.hasOwn(settings, key)) break;
    delete settings[key];
  }
  return found;
}

/** Null: the client accepts them. */
async function rejection(
  kind: ClientKind,
  settings: ClientConfig,
  tokenUrls: WorkerConfig['tokenUrls'],
): Promise<string | null> {
  const clients = workerClients(silentLogger, tokenUrls);
  try {
    const client =
      kind === 'producer'
        ? clients.producer(settings)
        : kind === 'consumer'
          ? clients.groupConsumer({ 'group.id': 'connect', ...settings })
          : clients.admin(settings);
    await client.close();
    return null;
  } catch (error) {
    if (isConnectError(error)) throw error;
    return (error as Error).message;
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
