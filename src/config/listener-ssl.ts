/** Which `ssl.*` settings HTTPS listeners use. Pure. Source: connect-rest §5.2. */
import { withoutPrefix } from './client-config';

export interface ListenerSsl {
  /** What stands before `ssl.` in the worker's properties: `listeners.https.`, `admin.listeners.https.` or nothing. */
  readonly prefix: string;
  /** `ssl.*`, without the prefix. */
  readonly settings: Readonly<Record<string, string>>;
}

/** All or nothing: where one key has the prefix, no unprefixed one counts. */
export function listenerSsl(
  raw: Readonly<Record<string, string>>,
  kind: 'listeners' | 'admin.listeners' = 'listeners',
): ListenerSsl {
  const prefix = `${kind}.https.`;
  const own = withoutPrefix(raw, prefix);
  if (Object.keys(own).length > 0) return { prefix, settings: own };
  return { prefix: '', settings: Object.fromEntries(Object.entries(raw).filter(([key]) => key.startsWith('ssl.'))) };
}
