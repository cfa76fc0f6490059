/** One HTTP request and its reply, bounded in time and size. */
import * as http from 'node:http';
import * as https from 'node:https';
import { boundedReply, monotonicNow, startTimer, type BoundedReply } from '@millrace/sdk';
import type { Server } from '../context/server';

/** What a TLS connection is made with. */
type TlsFiles = Pick<Server, 'ca' | 'certificate' | 'key' | 'keyPassword'>;

export interface ExchangeRequest {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string | undefined;
  readonly tls?: TlsFiles;
  /** Connections to keep. (Default: one connection for this request) */
  readonly agents?: Agents;
  /** Milliseconds until the whole reply must be there. */
  readonly timeoutMs: number;
  /** By `monotonicNow()`, if some of that time has passed already. */
  readonly deadline?: number;
  /** Bytes of the largest reply. */
  readonly largest: number;
}

/** Code of the error of a reply that is not there in time. */
export const LATE = 'ETIMEDOUT';

/** Kept connections of each protocol. */
export interface Agents {
  readonly http: http.Agent;
  readonly https: https.Agent;
  destroy(): void;
}

export function keepAliveAgents(tls: TlsFiles): Agents {
  const agents = {
    http: new http.Agent({ keepAlive: true }),
    https: new https.Agent({ keepAlive: true, ...tlsOptions(tls) }),
  };
  return { ...agents, destroy: () => (agents.http.destroy(), agents.https.destroy()) };
}

/** Rejects with the error of the connection, or one that names the bound that was exceeded. */
export async function exchange(url: string, asked: ExchangeRequest): Promise<BoundedReply> {
  const { method = 'GET', headers, body, tls, agents, timeoutMs, largest } = asked;
  const { deadline = monotonicNow() + timeoutMs } = asked;
  const isTls = url.startsWith('https:');
  const call = (isTls ? https : http).request(url, {
    method,
    agent: agents ? agents[isTls ? 'https' : 'http'] : false,
    ...(isTls && tls && tlsOptions(tls)),
    headers: {
      ...headers,
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    },
  });
  const late = startTimer(
    () => call.destroy(Object.assign(new Error(`it took longer than ${timeoutMs / 1000} s`), { code: LATE })),
    Math.max(deadline - monotonicNow(), 1),
  );
  call.on('close', () => clearTimeout(late));
  const reply = boundedReply(call, largest);
  call.end(body);
  return await reply;
}

function tlsOptions({ ca, certificate: cert, key, keyPassword: passphrase }: TlsFiles): https.AgentOptions {
  return { ca, cert, key, passphrase };
}

const NAME_UNKNOWN = new Set(['ENOTFOUND', 'EAI_AGAIN']);
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Why a request had no answer, and what to change. @param error of the connection @param url what was requested */
export function connectionFailure(error: unknown, url: string): string {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  const isTls = url.startsWith('https:');
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (NAME_UNKNOWN.has(code)) return 'the host name is not known';
  if (UNTRUSTED.has(code)) return `its certificate is not trusted (${code}); set --ca of the context`;
  if (isTls && /wrong version number|packet length too long/.test(message))
    return 'it does not use TLS; an http:// URL may be right';
  if (!isTls && (code.startsWith('HPE_') || code === 'ECONNRESET'))
    return 'it closed the connection or does not use HTTP; an https:// URL may be right';
  return message.split('\n')[0] || code;
}
