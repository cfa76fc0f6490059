/** Plays the function URL on this machine: who may call, HTTP to event, the function's time limit, result to HTTP. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Context } from 'aws-lambda';
import { BAD_GATEWAY, FORBIDDEN, toAnswer, TOO_LARGE, type HttpAnswer } from './answer';
import { toEvent, type Caller } from './event';
import type { AdapterOptions } from './options';
import { readBody } from './read-body';
import { isSignedBy } from './sigv4';

/** The platform's limit for requests. */
const MAX_BODY_BYTES = 6 * 1024 * 1024;
/** How long a client that is still sending may go on before it is cut off. */
const LINGER_MS = 500;

/** Any function of the platform, not ours alone. */
export type AnyHandler = (event: never, context: Context) => unknown;

export function createAdapter(handler: AnyHandler, options: AdapterOptions): Server {
  const server = createServer((req, res) => {
    const requestId = randomUUID();
    answer(req, requestId).then(
      (found) => send(req, res, found, requestId),
      () => res.destroy(),
    );
  });

  async function answer(req: IncomingMessage, requestId: string): Promise<HttpAnswer> {
    if (options.healthPath !== null && req.method === 'GET' && req.url === options.healthPath)
      return { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from('ok\n') };
    const body = await readBody(req, MAX_BODY_BYTES);
    if (!body) return TOO_LARGE;
    const now = new Date();
    const caller = whoCalls(req, body, now);
    if (caller === 'nobody') return FORBIDDEN;
    const event = toEvent({ req, body, requestId, now, trustProxy: options.trustProxy, caller });
    return await invoke(event as never, requestId);
  }

  function whoCalls(req: IncomingMessage, body: Buffer, now: Date): Caller | null | 'nobody' {
    if (options.authType === 'NONE') return options.publicInvoke ? null : 'nobody';
    const { keyPair } = options;
    return keyPair && isSignedBy(keyPair, req, body, now.getTime()) ? { accessKey: keyPair.accessKeyId } : 'nobody';
  }

  async function invoke(event: never, requestId: string): Promise<HttpAnswer> {
    const end = Date.now() + options.timeoutMs;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<HttpAnswer>((resolve) => {
      timer = setTimeout(() => resolve(BAD_GATEWAY), options.timeoutMs);
    });
    const result = (async () => toAnswer(await handler(event, contextOf(requestId, end))))();
    try {
      return await Promise.race([result, late]);
    } catch (error) {
      console.error(JSON.stringify({ level: 'error', msg: 'the function failed', requestId, error: String(error) }));
      return BAD_GATEWAY;
    } finally {
      clearTimeout(timer);
    }
  }

  return server;
}

function contextOf(awsRequestId: string, end: number): Context {
  return {
    awsRequestId,
    callbackWaitsForEmptyEventLoop: false,
    functionName: 'slash-image',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:local:123456789012:function:slash-image',
    logGroupName: '/aws/lambda/slash-image',
    logStreamName: 'local',
    memoryLimitInMB: '128',
    getRemainingTimeInMillis: () => Math.max(0, end - Date.now()),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}

function send(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, body }: HttpAnswer,
  requestId: string,
): void {
  const isWhole = req.complete;
  const mayHaveBody = status !== 204 && status !== 304;
  try {
    res.writeHead(status, {
      ...(headers as Record<string, string | string[]>),
      ...(mayHaveBody && { 'content-length': body.length }),
      'x-amzn-RequestId': requestId,
      ...(isWhole ? {} : { connection: 'close' }),
    });
  } catch {
    // A name or value that HTTP does not allow.
    return send(req, res, BAD_GATEWAY, requestId);
  }
  if (isWhole) return void res.end(mayHaveBody ? body : undefined);
  // The answer is out before the body is in: a connection closed over unread bytes would be reset, and the answer lost.
  res.write(body);
  const end = (): void => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  req.once('end', end).once('close', end).resume();
}
