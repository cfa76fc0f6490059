/**
 * Decompresses blobs. Detects the format by the first bytes, since names given by clients are unreliable. Source:
 * analytics-sink §6, §7.4.
 */
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { KustoError } from '../kusto-error';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;

/**
 * One file, or those of a ZIP archive that `zipPattern` names; empty: all. @throws KustoError `BadRequest_InvalidBlob`
 */
export function unpack(data: Buffer, zipPattern: string): Buffer[] {
  try {
    if (data[0] === 0x1f && data[1] === 0x8b) return [gunzipSync(data)];
    return data.toString('latin1', 0, 4) === 'PK\u0003\u0004' ? filesOf(data, zipPattern) : [data];
  } catch (error) {
    if (error instanceof KustoError) throw error;
    throw invalid(error instanceof Error ? error.message : String(error));
  }
}

/** Reads the archive's central directory, at its end. */
function filesOf(data: Buffer, zipPattern: string): Buffer[] {
  const end = data.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'));
  if (end < 0 || data.readUInt32LE(end) !== END) throw invalid('the archive has no end');
  const wanted = new RegExp(`^(?:${zipPattern || '.*'})$`, 's');
  const files: Buffer[] = [];
  let at = data.readUInt32LE(end + 16);
  for (let left = data.readUInt16LE(end + 10); left > 0; left--) {
    if (data.readUInt32LE(at) !== ENTRY) throw invalid('its directory cannot be read');
    const lengths = [28, 30, 32].map((offset) => data.readUInt16LE(at + offset)) as [number, number, number];
    const name = data.toString('utf8', at + 46, at + 46 + lengths[0]);
    if (!name.endsWith('/') && wanted.test(name)) files.push(fileAt(data, at, name));
    at += 46 + lengths[0] + lengths[1] + lengths[2];
  }
  return files;
}

function fileAt(data: Buffer, entry: number, name: string): Buffer {
  const method = data.readUInt16LE(entry + 10);
  if (data.readUInt16LE(entry + 8) & ENCRYPTED) throw invalid(`'${name}' is encrypted`);
  const local = data.readUInt32LE(entry + 42);
  const start = local + 30 + data.readUInt16LE(local + 26) + data.readUInt16LE(local + 28);
  const packed = data.subarray(start, start + data.readUInt32LE(entry + 20));
  if (method === STORED) return packed;
  if (method === DEFLATED) return inflateRawSync(packed);
  throw invalid(`'${name}' is packed by method ${method}`);
}

function invalid(why: string): KustoError {
  return new KustoError('BadRequest_InvalidBlob', `The data cannot be unpacked: ${why}`);
}
