/** A stand-in for the image API, for the demo and for tests. The pictures that it names do not exist. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ImageApi {
  /** For `IMAGE_API_URL`. */
  readonly url: string;
  /** What was asked, in order. */
  readonly asked: URLSearchParams[];
  /** How it answers. (Default: one image, named after the term) */
  answer: RequestListener;
  close(): Promise<void>;
}

/** An answer in the shape of GIPHY's random endpoint, with what a test changes in `data` and `meta`. */
export function giphyAnswer(data: unknown, meta: Record<string, unknown> = {}): string {
  return JSON.stringify({ data, meta: { msg: 'OK', status: 200, response_id: 'r3sp0nse', ...meta } });
}

/** A GIF as GIPHY describes it. */
export function gif(title: string, name = 'cat'): Record<string, unknown> {
  const rendition = (file: string): object => ({
    url: `https://media0.giphy.com/media/${name}/${file}.gif`,
    width: '480',
    height: '270',
    size: '1000000',
  });
  return {
    type: 'gif',
    id: name,
    url: `https://giphy.com/gifs/${name}`,
    title,
    alt_text: '',
    rating: 'g',
    images: { original: rendition('giphy'), downsized: rendition('giphy-downsized'), fixed_height: rendition('200') },
  };
}

export async function startImageApi(): Promise<ImageApi> {
  const asked: URLSearchParams[] = [];
  const server = createServer((req, res) => {
    asked.push(new URL(req.url ?? '/', 'http://stub').searchParams);
    api.answer(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const api: ImageApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/gifs/random`,
    asked,
    answer: (_req, res) => {
      const term = asked.at(-1)?.get('tag') ?? '';
      res.setHeader('Content-Type', 'application/json').end(giphyAnswer(gif(`${term} GIF`, encodeURIComponent(term))));
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return api;
}
