/** Which `ssl.*` settings HTTPS listeners use. Pure. Source: connect-rest §5.2. */
import { withoutPrefix } from './client-config';

export interface ListenerSsl {
  /** Prefix of `ssl.` in the worker's properties: `listeners.https.`, `admin.listeners.https.` or empty. */
  readonly prefix: string;
  /** `ssl.*`, without the prefix. */
  readonly settings: Readonly<Record<string, string>>;
}

/** If any key has the prefix, all unprefixed keys are ignored. */
export function listenerSsl(
  raw: Readonly<Record<string, string>>,
  kind: 'listeners' | 'admin.listeners' = 'listeners',
): ListenerSsl {
  const prefix = `${kind}.https.`;
  const prefixed = withoutPrefix(raw, prefix);
  if (Object.keys(prefixed).length > 0) return { prefix, settings: prefixed };
  return { prefix: '', settings: Object.fromEntries(Object.entries(raw).filter(([key]) => key.startsWith('ssl.'))) };
}
