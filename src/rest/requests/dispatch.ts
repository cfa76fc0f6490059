/**
 * Connects express to the routes: checks method, Content-Type and Accept in Java's order, calls the handler and writes
 * the response. Source: connect-rest §0.4.
 */
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { withDeadline, monotonicNow } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import { AccessError } from '../auth/access-error';
import { OPEN_ACCESS, type Access, type Caller } from '../auth/access';
import type { AuditLog } from '../auth/audit-log';
import type { BodyBudget } from '../http/body-budget';
import { JSON_TYPE, requestType, responseType } from '../http/content-negotiation';
import { errorReply } from './error-reply';
import { clientAddress } from '../http/client-address';
import { incomingBody } from '../http/incoming-body';
import { sendBody } from '../http/send-body';
import { encodeJson } from '../json/encode';
import { routingError, requestTimeout } from '../http/rest-error';
import type { Call, ConsoleRoute, ErrorReply, Handler, Method, Reply } from './route';

export interface DispatchOptions {
  readonly logger: Logger;
  readonly requestLimitMs: number;
  readonly bodies: BodyBudget;
  /**
   * For routes that need a signature, whose bodies are read before their sender is known: they must not take the room
   * of callers who are. (Default: `bodies`)
   */
  readonly internalBodies?: BodyBudget;
  /** For those of them whose headers prove that a worker of the group sends them: no one else takes their room. */
  readonly workerBodies?: {
    readonly budget: BodyBudget;
    isProven(request: Pick<IncomingMessage, 'headers'>, path: string, connector: string): boolean;
  };
  /** (Default: every request is admitted) */
  readonly access?: Access;
  /** (Default: changes are not logged) */
  readonly audit?: AuditLog;
}

/** Java's order, which is that of a hash map. */
const ALLOW_ORDER: readonly (Method | 'HEAD' | 'OPTIONS')[] = [
  'HEAD',
  'DELETE',
  'POST',
  'GET',
  'OPTIONS',
  'PUT',
  'PATCH',
];

const OPTIONS_TYPE = 'text/plain';

/** @param routes all routes of this path, one for each method */
export function dispatch(path: string, routes: readonly ConsoleRoute[], options: DispatchOptions): RequestHandler {
  const byMethod = new Map(routes.map((route) => [route.method, route]));
  const allowed = ALLOW_ORDER.filter(
    (method) => method === 'OPTIONS' || byMethod.has(method === 'HEAD' ? 'GET' : method),
  );
  const onError = routes[0]?.onError;
  const { access = OPEN_ACCESS, bodies, internalBodies = bodies, workerBodies } = options;
  const bodiesOf = ({ role }: ConsoleRoute, request: Request, connector: string | null): BodyBudget => {
    if (role !== 'signature') return bodies;
    return workerBodies?.isProven(request, path, connector ?? '') ? workerBodies.budget : internalBodies;
  };
  return async (request, response) => {
    const began = monotonicNow();
    response.once('finish', () =>
      options.logger.debug(`${request.method} ${request.originalUrl} ${response.statusCode}`, {
        ms: Math.round(monotonicNow() - began),
      }),
    );
    let contentType: string | null = null;
    /** Errors are JSON also where other responses are text. */
    let isText = false;
    let user: string | null = null;
    const remote = request.socket.remoteAddress ?? null;
    const audited = { connector: (request.params as Record<string, string>)['name'] ?? null };
    // Null: requests that no route accepts change nothing.
    let accepting: ConsoleRoute | null = null;
    const audit = (status: number): void => {
      if (accepting === null) return;
      const sent = request.url.split('?', 1)[0] as string;
      options.audit?.record({ request, remote, path: sent, route: accepting, user, ...audited, status });
    };
    try {
      if (request.method === 'OPTIONS') {
        isText = true;
        contentType = OPTIONS_TYPE;
        await access.admit(request, { path, role: 'reader' });
        writeReply(
          response,
          { status: 200, text: allowed.join(', '), headers: { Allow: allowed.join(',') } },
          contentType,
        );
        return;
      }
      const method = (request.method === 'HEAD' ? 'GET' : request.method) as Method;
      const route = byMethod.get(method);
      if (!route) throw routingError(405);
      if (!route.anyType && requestType(request.headers['content-type']) === 'other') throw routingError(415);
      isText = route.textType !== undefined;
      contentType = responseType(request.headers.accept, route.textType);
      if (contentType === null) throw routingError(406);
      accepting = route;
      const caller = await access.admit(request, route);
      user = caller.user;
      const reply = await withDeadline(
        handled(
          route.run,
          callOf(request, response, { method, caller, audited, bodies: bodiesOf(route, request, audited.connector) }),
        ),
        options.requestLimitMs,
        requestTimeout,
      );
      audit(reply.status);
      writeReply(response, reply, contentType);
    } catch (error) {
      const plain = errorReply(error, options.logger, audited.connector);
      const reply = onError?.(plain) ?? plain;
      if (error instanceof AccessError) user ??= error.user;
      audit(reply.status);
      writeError(response, reply, (!isText || reply.text !== undefined ? contentType : null) ?? JSON_TYPE);
    }
  };
}

/** A handler may continue after its time limit, or after its client has disconnected. */
async function handled(handler: Handler, call: Call): Promise<Reply> {
  try {
    return await handler(call);
  } finally {
    call.body.release();
  }
}

/** Of a part of the budget. Users may share an address, that of a proxy, and have their own parts. */
function holderOf({ socket }: Request, { user }: Caller): string {
  return user === null ? `address ${clientAddress(socket.remoteAddress)}` : `user ${user}`;
}

type Admitted = Pick<Call, 'method' | 'caller' | 'audited'> & Pick<DispatchOptions, 'bodies'>;

function callOf(request: Request, response: Response, { method, caller, audited, bodies }: Admitted): Call {
  const encrypted = 'encrypted' in request.socket;
  const { localAddress = 'localhost', localPort = 0 } = request.socket;
  const own = `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
  const mark = request.url.indexOf('?');
  return {
    request,
    body: incomingBody(request, response, bodies, holderOf(request, caller)),
    method,
    caller,
    audited,
    params: request.params as Record<string, string>,
    query: new URLSearchParams(mark < 0 ? '' : request.url.slice(mark + 1)),
    base: `${encrypted ? 'https' : 'http'}://${request.headers.host ?? own}`,
  };
}

/** CORS may have set `Vary` before. */
function setHeader(response: Response, name: string, value: string): void {
  if (name === 'Vary') response.vary(value);
  else response.setHeader(name, value);
}

function writeReply(response: Response, reply: Reply, contentType: string): void {
  response.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers ?? {})) setHeader(response, name, value);
  if (reply.body === undefined && reply.text === undefined) {
    response.end();
    return;
  }
  const bytes = reply.text === undefined ? encodeJson(reply.body) : bytesOf(reply.text);
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', String(bytes.length));
  sendBody(response, bytes);
}

const bytesOf = (text: string | Buffer): Buffer => (typeof text === 'string' ? Buffer.from(text) : text);

export function writeError(response: Response, reply: ErrorReply, contentType: string = JSON_TYPE): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (reply.typed) {
    writeReply(response, reply, contentType);
    return;
  }
  const bytes = encodeJson(reply.body);
  response.statusCode = reply.status;
  response.setHeader('Content-Length', String(bytes.length));
  response.end(bytes);
}
