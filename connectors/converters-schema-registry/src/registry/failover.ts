/** Requests to the first server of a list that can answer. */
import {
  BodyTooLarge,
  ConfigError,
  DataError,
  isConfigError,
  isRetriable,
  messageOf,
  monotonicNow,
  RetriableError,
  type BoundedReply,
} from '@millrace/sdk';
import type { ConnectionSettings, RegistryUrl } from '../config/connection-settings';
import { parseAnswer, type Answer } from './answer';
import { Authorization } from './authorization';
import { Exchange } from './exchange';
import { quoted } from './quoted';

export interface RegistryRequest {
  readonly method: 'GET' | 'POST';
  /** From the base of each URL; its segments are encoded. */
  readonly path: string;
  /** Null: none. */
  readonly body: object | null;
  /** Nobody waits for the answer, and the process may end before it. (Default: no) */
  readonly isBackground?: boolean;
}

export interface RegistryReply {
  readonly status: number;
  readonly answer: Answer;
  /** Of the server that answered, for errors. */
  readonly url: string;
}

const CONTENT_TYPE = 'application/vnd.schemaregistry.v1+json';
const ACCEPT = `${CONTENT_TYPE}, application/vnd.schemaregistry+json, application/json`;
/** A registry in Kafka has schemas of at most 1 MB, unless it is configured for more. */
const MOST_BYTES = 16 * 1024 * 1024;
const LONGEST_PAUSE_MS = 60_000;

interface Server {
  readonly url: RegistryUrl;
  /** It asked not to be called before. */
  pausedUntil: number;
}

/** Why a server cannot answer; the next one is asked. */
class Unavailable extends Error {}

export class Failover {
  private readonly servers: Server[];
  private readonly exchange: Exchange;
  private readonly authorization: Authorization;
  /** The last one that answered. */
  private first = 0;
  /** Whether the last request of those that somebody waits for was in vain. */
  private wasAway = false;

  /** @param returned the registry answers after it did not, or another server does */
  constructor(
    settings: ConnectionSettings,
    private readonly returned: () => void = () => undefined,
  ) {
    this.servers = settings.urls.map((url) => ({ url, pausedUntil: 0 }));
    this.exchange = new Exchange(settings);
    this.authorization = new Authorization(settings.credentials, this.exchange);
  }

  /**
   * Resolves with any answer of a registry that is a JSON object, errors included. Rejects with RetriableError
   * `REGISTRY_UNREACHABLE`, ConfigError or, for an answer that is too large, DataError.
   */
  async send(request: RegistryRequest): Promise<RegistryReply> {
    const { first } = this;
    const isBackground = request.isBackground === true;
    try {
      const reply = await this.firstReply(request);
      const isReturn = (this.wasAway && !isBackground) || this.first !== first;
      if (!isBackground) this.wasAway = false;
      if (isReturn) this.returned();
      return reply;
    } catch (error) {
      if (!isBackground && (isRetriable(error) || isConfigError(error))) this.wasAway = true;
      throw error;
    }
  }

  private async firstReply(request: RegistryRequest): Promise<RegistryReply> {
    const { servers, first } = this;
    const reasons: string[] = [];
    let cause: unknown;
    for (let i = 0; i < servers.length; i++) {
      const at = (first + i) % servers.length;
      const server = servers[at] as Server;
      try {
        const reply = await this.ask(server, request);
        this.first = at;
        return reply;
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        cause ??= error.cause;
        reasons.push(`${server.url.base}: ${error.message}`);
      }
    }
    const shown = reasons.slice(0, 5).join('; ') + (reasons.length > 5 ? '; …' : '');
    throw new RetriableError(`The schema registry does not answer: ${shown}.`, {
      code: 'REGISTRY_UNREACHABLE',
      place: { url: (servers[first] as Server).url.base },
      cause,
    });
  }

  private async ask(server: Server, request: RegistryRequest): Promise<RegistryReply> {
    const waitMs = server.pausedUntil - monotonicNow();
    if (waitMs > 0) throw new Unavailable(`it asked to wait for another ${Math.ceil(waitMs / 1_000)} s`);
    let reply = await this.exchanged(server, request);
    if (reply.status === 401 && this.authorization.reject()) reply = await this.exchanged(server, request);
    const { status, headers, text } = reply;
    if (status >= 500 || status === 408 || status === 429) {
      server.pausedUntil = monotonicNow() + pauseMs(reply);
      const answer = parseAnswer(text);
      throw new Unavailable(`HTTP status ${status}${answer === null ? '' : reasonIn(answer)}`);
    }
    const url = server.url.base;
    const answer = isPlain(headers['content-encoding']) ? parseAnswer(text) : null;
    if (status === 401 || status === 403 || status === 407) throw denied(status, answer, url);
    // Of the registry, errors have a code. A page of something else has none.
    const isAnswer = answer !== null && (status < 300 || typeof answer['error_code'] === 'number');
    if (!isAnswer || (status >= 300 && status < 400)) throw notARegistry(reply, url);
    return { status, answer, url };
  }

  private async exchanged({ url }: Server, request: RegistryRequest): Promise<BoundedReply> {
    const { method, path, body, isBackground = false } = request;
    const headers = {
      accept: ACCEPT,
      ...(body === null ? {} : { 'content-type': CONTENT_TYPE }),
      ...(await this.authorization.headers(url)),
    };
    const text = body === null ? null : JSON.stringify(body);
    try {
      const call = { method, headers, body: text, mostBytes: MOST_BYTES, isBackground };
      return await this.exchange.send(url.base + path, call);
    } catch (cause) {
      if (!(cause instanceof BodyTooLarge)) throw new Unavailable(quoted(messageOf(cause)), { cause });
      throw new DataError(`The schema registry's answer is larger than ${MOST_BYTES} bytes.`, {
        code: 'REGISTRY_SCHEMA_SIZE',
        place: { url: url.base, path: quoted(path, 500) },
      });
    }
  }
}

/** The registry's own words, after a blank, without a full stop. */
export function reasonIn(answer: Answer): string {
  const { error_code: code, message } = answer;
  const words = typeof message === 'string' && message !== '' ? `: ${quoted(message.replace(/\.$/, ''))}` : '';
  return (typeof code === 'number' ? ` (error code ${code})` : '') + words;
}

function pauseMs({ headers, receivedAt }: BoundedReply): number {
  const header = headers['retry-after'];
  if (header === undefined) return 0;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - receivedAt;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_PAUSE_MS) : 0;
}

const isPlain = (encoding: string | undefined): boolean => encoding === undefined || encoding === 'identity';

function denied(status: number, answer: Answer | null, url: string): ConfigError {
  const who = status === 407 ? 'The proxy of the schema registry' : 'The schema registry';
  const keys = status === 407 ? 'proxy.host and proxy.port' : 'basic.auth.* or bearer.auth.*';
  const rights = status === 403 ? ', and what this user may do with the subject' : '';
  return new ConfigError(
    `${who} refuses access with HTTP status ${status}${answer === null ? '' : reasonIn(answer)}. Check the converter's settings ${keys}${rights}.`,
    { code: 'REGISTRY_DENIED', place: { url } },
  );
}

function notARegistry({ status, headers, text }: BoundedReply, url: string): ConfigError {
  const isRedirect = status >= 300 && status < 400;
  const what = isRedirect
    ? `redirects, which is not followed, to ${quoted(withoutSecrets(headers.location ?? 'nowhere'), 200)}`
    : `answers with ${/^\s*</.test(text) ? 'a page in HTML' : `something else than JSON of a registry`}`;
  return new ConfigError(
    `What schema.registry.url names is not a schema registry: HTTP status ${status}, it ${what}. Check the address and its path.`,
    { code: 'REGISTRY_ANSWER', place: { url } },
  );
}

function withoutSecrets(location: string): string {
  const [address = ''] = location.split(/[?#]/, 1);
  return address.replace(/\/\/[^/]*@/, '//');
}
