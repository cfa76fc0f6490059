/** A mock of the image API, for the demo and for tests. The images in its responses do not exist. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ImageApi {
  /** For `IMAGE_API_URL`. */
  readonly url: string;
  /** Query parameters of the requests so far, in order. */
  readonly asked: URLSearchParams[];
  /** Handles a request. (Default: responds with one image, named after the term) */
  answer: RequestListener;
  close(): Promise<void>;
}

/** A response of GIPHY's random endpoint, with the given `data` and changes of `meta`. */
export function giphyAnswer(data: unknown, meta: Record<string, unknown> = {}): string {
  return JSON.stringify({ data, meta: { msg: 'OK', status: 200, response_id: 'r3sp0nse', ...meta } });
}

/** A GIF object of GIPHY's API. */
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
