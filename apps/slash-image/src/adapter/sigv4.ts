/** Verifies AWS Signature Version 4 in the `Authorization` header, for auth type AWS_IAM. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { KeyPair } from './options';

const SERVICE = 'lambda';
const MAX_SKEW_MS = 300_000;
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/\s,]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

type Request = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

export function isSignedBy(pair: KeyPair, req: Request, body: Buffer, nowMs: number): boolean {
  const match = AUTHORIZATION.exec(req.headers.authorization ?? '');
  if (!match) return false;
  const [, accessKeyId, date = '', region = '', service = '', signedHeaders = '', signature = ''] = match;
  const time = String(req.headers['x-amz-date'] ?? '');
  const names = signedHeaders.split(';');
  if (accessKeyId !== pair.accessKeyId || service !== SERVICE || !time.startsWith(date)) return false;
  if (!names.includes('host') || !names.includes('x-amz-date') || !isFresh(time, nowMs)) return false;
  const hash = sha256(body);
  const declared = req.headers['x-amz-content-sha256'];
  if (declared !== undefined && declared !== hash) return false;

  const canonical = canonicalRequest(req, names, signedHeaders, hash);
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${pair.secretAccessKey}`, date), region), service), 'aws4_request');
  return timingSafeEqual(hmac(key, toSign), Buffer.from(signature, 'hex'));
}

function canonicalRequest(req: Request, names: readonly string[], signedHeaders: string, bodyHash: string): string {
  const [path = '/', query = ''] = (req.url ?? '/').split(/\?(.*)/s);
  const headers = names.map((name) => {
    const value = req.headers[name];
    return `${name}:${String(value ?? '')
      .trim()
      .replace(/ +/g, ' ')}\n`;
  });
  // The path is encoded again on top of its transmitted form, except for slashes.
  const uri = path.split('/').map(encode).join('/');
  return [req.method, uri, canonicalQuery(query), headers.join(''), signedHeaders, bodyHash].join('\n');
}

function canonicalQuery(query: string): string {
  if (query === '') return '';
  const decode = (text: string): string => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const pairs = query.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    return [encode(decode(name)), encode(decode(value))] as const;
  });
  const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  pairs.sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]));
  return pairs.map((pair) => pair.join('=')).join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Whether `time`, such as `20220805T081439Z`, is at most five minutes from now. */
function isFresh(time: string, nowMs: number): boolean {
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? [];
  const ms = Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
  return Math.abs(nowMs - ms) <= MAX_SKEW_MS;
}
