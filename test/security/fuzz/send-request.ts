/** Sends valid and invalid requests to a worker, and reads the answers. */
import { request, type Agent } from 'node:http';
import { connect } from 'node:net';
import type { FuzzRequest } from './hostile-requests';

export interface Answer {
  /** 0: the worker closed the connection without an answer, as it may on invalid HTTP. */
  readonly status: number;
  readonly text: string;
}

/** So that the error for a worker that hangs names the request. */
const DEADLINE_MS = 90_000;

/** One answer each; two where two requests were sent at once. */
export async function sendRequest(url: string, agent: Agent, sent: FuzzRequest): Promise<Answer[]> {
  return sent.manner === 'client' ? [await throughClient(url, agent, sent)] : await throughSocket(url, sent);
}

async function throughClient(url: string, agent: Agent, { method, path, headers, body }: FuzzRequest): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const options = { signal, agent, hostname, port, method, path, headers: withLength(headers, body) };
    const outgoing = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: String(Buffer.concat(chunks)) }));
    });
    // A worker that rejects a body closes the connection while it is still being written.
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve({ status: 0, text: '' }) : reject(error),
    );
    outgoing.end(body ?? undefined);
  });
}

async function throughSocket(url: string, sent: FuzzRequest): Promise<Answer[]> {
  const { hostname, port } = new URL(url);
  const pieces = onTheWire(sent);
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const late = setTimeout(() => {
      reject(new Error(`no answer within ${DEADLINE_MS} ms`));
      socket.destroy();
    }, DEADLINE_MS);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => {
      const write = (): void => {
        const piece = pieces.shift();
        if (piece !== undefined) socket.write(piece);
        if (pieces.length > 0) setTimeout(write, sent.manner === 'slow' ? 30 : 1);
        else if (sent.manner !== 'as-it-is') socket.end();
      };
      write();
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => socket.end());
    // The server closes the connection on invalid HTTP, which may overtake its answer.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? socket.destroy() : reject(error),
    );
    socket.on('close', () => clearTimeout(late));
    socket.on('close', () => resolve(answers(String(Buffer.concat(chunks)))));
  });
}

/** The request in chunks, each to be written after a moment. */
function onTheWire({ manner, method, path, headers, body }: FuzzRequest): Buffer[] {
  const content = body ?? Buffer.of();
  const plain = { Host: '127.0.0.1', ...withLength(headers, content) };
  const chunked = { Host: '127.0.0.1', ...headers, 'Transfer-Encoding': 'chunked' };
  switch (manner) {
    case 'slow': {
      const whole = Buffer.concat([head(method, path, plain), content]);
      const half = Math.floor(whole.length / 2);
      return [whole.subarray(0, 10), whole.subarray(10, half), whole.subarray(half)];
    }
    case 'pipelined': {
      const first = head('GET', '/connectors', { Host: '127.0.0.1' }, 'keep-alive');
      return [Buffer.concat([first, head(method, path, plain), content])];
    }
    case 'cut-off':
      return [head(method, path, { ...plain, 'Content-Length': String(content.length + 1_000) }), content];
    case 'too-long':
      return [Buffer.concat([head(method, path, { ...plain, 'Content-Length': '1' }), content, Buffer.from('x')])];
    case 'bad-length':
      return [head(method, path, { ...plain, 'Content-Length': '-1' }), content];
    case 'both-lengths':
      return [head(method, path, { ...plain, 'Transfer-Encoding': 'chunked' }), chunk(content)];
    case 'chunked':
      return [
        head(method, path, chunked),
        chunk(content.subarray(0, 7)),
        chunk(content.subarray(7)),
        chunk(Buffer.of()),
      ];
    case 'bad-chunks':
      return [head(method, path, chunked), chunk(content), Buffer.from('zzzzzzzzzzzzzzzzzzzzz\r\nabc\r\n')];
    case 'endless-chunks':
      return [head(method, path, chunked), Buffer.from(`${'f'.repeat(7)}\r\n`), content];
    case 'twice': {
      const lines = ['Host: a', 'Content-Type: application/json', 'Content-Type: text/html', 'Content-Length: 2'];
      return [Buffer.from(`${method} ${ascii(path)} HTTP/1.1\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n{}`)];
    }
    case 'many-headers': {
      const many = Array.from({ length: 3_000 }, (_, i) => `X${i}: ${i}`).join('\r\n');
      return [Buffer.from(`${method} ${ascii(path)} HTTP/1.1\r\nHost: a\r\n${many}\r\nConnection: close\r\n\r\n`)];
    }
    default:
      return [Buffer.concat([head(method, path, plain), content])];
  }
}

function head(method: string, path: string, headers: Record<string, string>, connection = 'close'): Buffer {
  const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
  return Buffer.from(
    [`${method} ${path} HTTP/1.1`, ...lines, `Connection: ${connection}`, '', ''].join('\r\n'),
    'latin1',
  );
}

const ascii = (path: string): string => path.replace(/[^!-~]/g, '');
const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

function answers(text: string): Answer[] {
  if (text === '') return [{ status: 0, text: '' }];
  const parts = text.split(/(?=HTTP\/1\.1 \d{3} )/);
  return parts.map((part) => {
    const at = part.indexOf('\r\n\r\n');
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(part)?.[1];
    if (status === undefined || at < 0) throw new Error(`no answer of HTTP: ${part.slice(0, 200)}`);
    return { status: Number(status), text: part.slice(at + 4) };
  });
}

/** Without it, Node.js's client sends the body of a GET as if it were the next request. */
function withLength(headers: FuzzRequest['headers'], body: Buffer | null): Record<string, string> {
  return body === null ? { ...headers } : { ...headers, 'Content-Length': String(body.length) };
}
