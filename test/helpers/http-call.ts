/** One HTTP request with exactly these headers, which `fetch` does not send: Host, Origin, a custom Content-Length. */
import { request, type IncomingHttpHeaders } from 'node:http';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface HttpCall {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Of this machine, from which the request comes: on Linux, all of 127.0.0.0/8. */
  readonly localAddress?: string;
}

export async function httpCall(
  url: string,
  { method = 'GET', headers = {}, body, localAddress }: HttpCall = {},
): Promise<HttpAnswer> {
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: false, localAddress }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
