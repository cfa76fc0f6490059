/** Client of the Connect REST API, Java's included. */
import { ConnectError, monotonicNow, sleep, startTimer, type BoundedReply } from '@millrace/sdk';
import type { Server } from '../context/server';
import { parseExactJson } from '../output/answer';
import { type Agents, connectionFailure, exchange, keepAliveAgents, LATE } from './exchange';
import { RestError } from './reply';
import { untilUnhealthy } from './until-unhealthy';

export interface RestRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  /** JSON text to send instead of `body`: numbers keep all their digits. */
  readonly text?: string;
  /** Statuses that resolve instead of rejecting, e.g. 404. They resolve with undefined. */
  readonly accept?: readonly number[];
  /** Integers that a double cannot hold are bigints. (Default: false, they lose digits) */
  readonly exact?: boolean;
  /** Media types for the Accept header. (Default: JSON) */
  readonly mediaTypes?: string;
  /** Largest reply, in bytes. (Default: 256 MiB) */
  readonly largest?: number;
  /** Receives the headers of a reply that is 2xx. */
  readonly onHeaders?: (headers: BoundedReply['headers']) => void;
}

type Limits = Pick<RestRequest, 'mediaTypes' | 'largest'>;

const JSON_TYPE = 'application/json';
const LARGEST_REPLY = 256 * 1024 * 1024;
/** What a worker replies if it does not have the path at all. */
const NO_SUCH_PATH = 'HTTP 404 Not Found';
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2000;
/** Texts of 409 that pass by themselves; the others are conflicts with what exists. */
const MOMENTARY = /rebalanc|stale configuration|conflicting operation/i;
/** A worker that has not joined its group yet knows no connector. */
const STARTING = /still starting up/i;
/** Answered by an unhealthy worker, too, if only after a while. */
const NEEDS_NO_KAFKA = /^\/(?:health|metrics|connector-plugins)\b/;
/** Without an answer for this time, a GET is sent to the next URL as well. */
const NEXT_URL_MS = 2000;
const HEALTH_MS = 3000;
/** The request has not reached a worker, so that another may be asked. */
const NOT_SENT = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);

export class ConnectClient {
  private readonly agents: Agents;
  private url = 0;

  constructor(private readonly server: Server) {
    this.agents = keepAliveAgents(server);
  }

  /** The worker that is asked, without a trailing slash. */
  get address(): string {
    return this.server.urls[this.url] as string;
  }

  /**
   * Resolves to the parsed body; undefined if there is none. A 409 of a rebalance, and the reply of a worker that is
   * starting, are repeated until the request times out. A worker that cannot be reached is replaced by the next URL,
   * and so is one that accepts a GET and does not answer. A change is never sent to two workers.
   * @param path begins with a slash; its parts are encoded
   * @throws RestError; ConnectError `REST_UNREACHABLE`, `REST_REPLY_INVALID`
   */
  async request<T = unknown>(path: string, request: RestRequest = {}): Promise<T> {
    return this.parsed(await this.requestText(path, request), path, request) as T;
  }

  /** Like `request`, but resolves to the body as it is: numbers keep all their digits. Empty if there is none. */
  async requestText(path: string, request: RestRequest = {}): Promise<string> {
    const { method = 'GET', body, text, accept = [] } = request;
    const deadline = monotonicNow() + this.server.timeoutMs;
    const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
    let last: BoundedReply | undefined;
    for (let pause = FIRST_RETRY_MS; ; pause = Math.min(pause * 2, LONGEST_RETRY_MS)) {
      const sending = this.sendToAny(method, path, sent, deadline, request);
      const answered = NEEDS_NO_KAFKA.test(path)
        ? sending
        : untilUnhealthy(sending, () => this.problem(), `${method} ${path}`);
      const answer = await answered.catch((error: unknown) => {
        // The worker has answered before: its reason explains more than that its next answer is late.
        if (last === undefined || !isLate(error)) throw error;
        return null;
      });
      const { status, headers, text: reply } = (last = answer ?? (last as BoundedReply));
      if (status >= 200 && status < 300) {
        request.onHeaders?.(headers);
        return reply;
      }
      const message = messageOf(reply);
      const passing = { 404: STARTING, 409: MOMENTARY }[status];
      const isMomentary = passing?.test(message ?? '') === true;
      if (answer !== null && isMomentary && monotonicNow() + pause < deadline) await sleep(pause);
      else if (accept.includes(status)) return '';
      else {
        const text = message ?? this.unexplained(method, path, status);
        throw new RestError(status, text, `${method} ${path}`, message === undefined && status === 404);
      }
    }
  }

  /** Closes idle connections. */
  close(): void {
    this.agents.destroy();
  }

  /** A worker explains its refusals, except that of a path that it does not have. */
  private unexplained(method: string, path: string, status: number): string {
    return status === 404
      ? `${this.address} has no ${method} ${path}. Check the URL, and the version of the worker.`
      : `${this.address} answered ${method} ${path} with status ${status}.`;
  }

  /** Why the worker that is asked is unhealthy; null: it is not, or does not answer. */
  private async problem(): Promise<string | null> {
    const { address, server } = this;
    const deadline = monotonicNow() + Math.min(server.timeoutMs, HEALTH_MS);
    const reply = await this.send(address, 'GET', '/health', undefined, deadline, {}).catch(() => null);
    return reply?.status === 500 ? (messageOf(reply.text) ?? null) : null;
  }

  /** The first answer counts. */
  private sendToAny(
    method: string,
    path: string,
    body: string | undefined,
    deadline: number,
    limits: Limits,
  ): Promise<BoundedReply> {
    const { urls } = this.server;
    const others = urls.map((_, i) => (this.url + i) % urls.length);
    return new Promise((resolve, reject) => {
      let open = 0;
      let isSettled = false;
      let timer: NodeJS.Timeout | undefined;
      const settle = (url: number, act: () => void): void => {
        clearTimeout(timer);
        if (isSettled) return;
        isSettled = true;
        this.url = url;
        act();
      };
      const sendToNext = (): void => {
        const url = others.shift();
        if (url === undefined || isSettled) return;
        clearTimeout(timer);
        if (method === 'GET' && others.length > 0) timer = startTimer(sendToNext, NEXT_URL_MS);
        const address = urls[url] as string;
        open++;
        this.send(address, method, path, body, deadline, limits).then(
          (reply) => settle(url, () => resolve(reply)),
          (error: NodeJS.ErrnoException) => {
            open--;
            if (NOT_SENT.has(error.code ?? '') && others.length > 0) sendToNext();
            else if (open === 0) settle(url, () => reject(unreachable(address, error)));
          },
        );
      };
      sendToNext();
    });
  }

  private async send(
    address: string,
    method: string,
    path: string,
    body: string | undefined,
    deadline: number,
    { mediaTypes = JSON_TYPE, largest = LARGEST_REPLY }: Limits,
  ): Promise<BoundedReply> {
    const { authorization } = this.server;
    return await exchange(`${address}${path}`, {
      method,
      headers: { accept: mediaTypes, ...(authorization !== undefined && { authorization }) },
      body,
      agents: this.agents,
      timeoutMs: this.server.timeoutMs,
      deadline,
      largest,
    });
  }

  private parsed(text: string, path: string, { method = 'GET', exact = false }: RestRequest): unknown {
    if (text === '') return undefined;
    try {
      return exact ? parseExactJson(text) : JSON.parse(text);
    } catch (cause) {
      throw new ConnectError(
        `${this.address} answered ${method} ${path} with something else than JSON. Is it a Connect worker?`,
        {
          code: 'REST_REPLY_INVALID',
          cause,
        },
      );
    }
  }
}

function messageOf(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' && message !== '' && message !== NO_SUCH_PATH ? message : undefined;
  } catch {
    return undefined;
  }
}

const isLate = (error: unknown): boolean =>
  ((error as ConnectError).cause as NodeJS.ErrnoException | undefined)?.code === LATE;

function unreachable(address: string, error: NodeJS.ErrnoException): ConnectError {
  return new ConnectError(
    `No answer from ${address}: ${connectionFailure(error, address)}. Check that a worker runs there, or set --url or --context.`,
    { code: 'REST_UNREACHABLE', cause: error },
  );
}
