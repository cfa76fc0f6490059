/** Sends HTTP requests byte for byte: `fetch` normalizes paths and headers. */
import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case, without `date`, `server` and what belongs to the connection. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const OF_CONNECTION = new Set(['date', 'server', 'connection', 'keep-alive']);

/** @param head request line and headers, each without its line end; `Host` and `Connection` are added */
export async function rawRequest(url: string, head: readonly string[], body = ''): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const [line = '', ...headers] = head;
  const lines = [`${line} HTTP/1.1`, `Host: ${hostname}:${port}`, 'Connection: close', ...headers, '', body];
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(lines.join('\r\n'), 'latin1'));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    socket.on('error', reject);
  });
  const end = answer.indexOf('\r\n\r\n');
  const [status = '', ...fields] = answer.slice(0, end).split('\r\n');
  const pairs = fields.map((field) => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const;
  });
  return {
    status: Number(status.split(' ')[1]),
    headers: Object.fromEntries(pairs.filter(([name]) => !OF_CONNECTION.has(name))),
    body: answer.slice(end + 4),
  };
}
