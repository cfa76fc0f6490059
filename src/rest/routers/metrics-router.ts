/** `GET /metrics`: metrics of the worker that receives the request. Source: connect-runtime §9 "Prometheus form". */
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { exposition } from '../../metrics/exposition';
import { acceptsGzip } from '../http/content-negotiation';
import type { RestContext } from './context';
import type { Resource } from '../requests/route';

/** Prometheus text format. */
const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

// In a thread of libuv's.
const compress = promisify(gzip);

class Scrape {
  private compressed: Promise<Buffer> | null = null;

  constructor(readonly text: Buffer) {}

  async gzipped(): Promise<Buffer> {
    return await (this.compressed ??= compress(this.text, { level: constants.Z_BEST_SPEED }));
  }
}

export function metricsResources({ herderIfReady, version, commit, startedAt }: RestContext): readonly Resource[] {
  // Requests that arrive while one is answered get the same text, so their number costs neither time nor memory.
  let current: Promise<Scrape> | null = null;
  const scrape = async (): Promise<Scrape> => {
    const found = herderIfReady()?.figures() ?? null;
    const figures = found && { ...found, app: { clientId: found.clientId, version, commit, startedAt } };
    return new Scrape(await exposition(figures));
  };
  return [
    {
      path: '/metrics',
      anyType: ['GET'],
      textType: TEXT_TYPE,
      methods: {
        GET: async ({ request }) => {
          const shared = await (current ??= scrape().finally(() => (current = null)));
          const headers = { Vary: 'Accept-Encoding' };
          return acceptsGzip(request.headers['accept-encoding'])
            ? { status: 200, text: await shared.gzipped(), headers: { ...headers, 'Content-Encoding': 'gzip' } }
            : { status: 200, text: shared.text, headers };
        },
      },
    },
  ];
}
