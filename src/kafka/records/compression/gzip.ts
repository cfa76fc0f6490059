import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import type { Codec } from './codec';
import { withinLimit } from './zlib-limit';

const gzipAsync = promisify<Buffer, { level?: number }, Buffer>(gzip);

export function gzipCodec(): Codec {
  return {
    compress: (records, level) => gzipAsync(records, level === undefined ? {} : { level }),
    decompress: (compressed, limit) => withinLimit(gunzipSync, compressed, limit),
  };
}
