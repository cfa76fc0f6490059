/** The body of several responses, compressed at most once. */
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { acceptsGzip } from './content-negotiation';

// In a thread of libuv's.
const compress = promisify(gzip);

export class SharedText {
  private compressed: Promise<Buffer> | null = null;

  constructor(private readonly text: Buffer) {}

  /** Body and headers of a response to the request. */
  async reply(
    request: Pick<IncomingMessage, 'headers'>,
  ): Promise<{ readonly text: Buffer; readonly headers: Readonly<Record<string, string>> }> {
    const headers = { Vary: 'Accept-Encoding' };
    return acceptsGzip(request.headers['accept-encoding'])
      ? { text: await this.gzipped(), headers: { ...headers, 'Content-Encoding': 'gzip' } }
      : { text: this.text, headers };
  }

  private async gzipped(): Promise<Buffer> {
    return await (this.compressed ??= compress(this.text, { level: constants.Z_BEST_SPEED }));
  }
}
