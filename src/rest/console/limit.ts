/** `?limit=`, of routes that read records. */
import { RestError } from '../http/rest-error';
import type { Call } from '../requests/route';

export function limitOf(call: Call, { fallback, most }: { readonly fallback: number; readonly most: number }): number {
  const text = call.query.get('limit') ?? '';
  if (text === '') return fallback;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > most) throw new RestError(400, `"limit" must be a number from 1 to ${most}`);
  return limit;
}
