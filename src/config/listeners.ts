/** REST listeners and the advertised URL for other workers. Pure. Sources: connect-rest §0.4, §5.2. */
export interface Listener {
  readonly protocol: 'http' | 'https';
  /** Empty: all interfaces. IPv6 without brackets. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

/** Values of `ssl.client.auth`. */
export const CLIENT_AUTH = ['none', 'requested', 'required'] as const;
const LISTENER = /^([^:/]*):\/\/(?:\[([0-9a-fA-F:.%]+)\]|([0-9a-zA-Z\-%._]*)):(\d{1,5})\/?$/;
const BAD_LISTENER = "Listener doesn't have the right format (protocol://hostname:port).";
const BAD_LISTENER_PROTOCOL = 'Listener protocol must be either "http" or "https".';

/** Throws an Error whose message is Java's text. */
export function parseListener(text: string): Listener {
  const match = LISTENER.exec(text.trim());
  if (!match) throw new Error(BAD_LISTENER);
  const protocol = (match[1] as string).toLowerCase();
  if (protocol !== 'http' && protocol !== 'https') throw new Error(BAD_LISTENER_PROTOCOL);
  const port = Number(match[4]);
  if (port > 65535) throw new Error(BAD_LISTENER);
  return { protocol, host: match[2] ?? match[3] ?? '', port };
}

/** Names and addresses, IPv6 without brackets. */
export function isHostName(text: string): boolean {
  try {
    const { host, pathname } = new URL(`http://${text.includes(':') ? `[${text}]` : text}`);
    return host !== '' && pathname === '/' && !/[@/?#\\\s]/.test(text);
  } catch {
    return false;
  }
}

export interface ServedListener extends Listener {
  /** `connect`: everything but the admin routes. */
  readonly serves: readonly ('connect' | 'admin')[];
}

/**
 * `adminListeners` null: all listeners serve the admin routes. Empty: none does. Otherwise only these do. A listener in
 * both lists serves both; Java fails to open it a second time.
 */
export function servedListeners(
  listeners: readonly Listener[],
  adminListeners: readonly Listener[] | null,
): ServedListener[] {
  if (adminListeners === null) return listeners.map((listener) => ({ ...listener, serves: ['connect', 'admin'] }));
  const same = (a: Listener) => (b: Listener) =>
    a.port !== 0 && a.protocol === b.protocol && a.host === b.host && a.port === b.port;
  return [
    ...listeners.map((listener): ServedListener => ({
      ...listener,
      serves: adminListeners.some(same(listener)) ? ['connect', 'admin'] : ['connect'],
    })),
    ...adminListeners
      .filter((admin) => !listeners.some(same(admin)))
      .map((admin): ServedListener => ({ ...admin, serves: ['admin'] })),
  ];
}

export interface AdvertisedSettings {
  readonly advertisedHost: string | null;
  readonly advertisedPort: number | null;
  readonly advertisedListener: 'http' | 'https' | null;
}

const ALL_INTERFACES = new Set(['', '0.0.0.0', '::', '0:0:0:0:0:0:0:0']);

/**
 * `http://host:port/`, as workers write it into their group metadata. `bound` are the listeners with their actual
 * ports. `detectHost` is called when neither a setting nor the listener names this machine.
 */
export function advertisedUrl(
  settings: AdvertisedSettings,
  bound: readonly Listener[],
  detectHost: () => string,
): string {
  const protocol = settings.advertisedListener ?? (bound.some((l) => l.protocol === 'http') ? 'http' : 'https');
  const listener = bound.find((l) => l.protocol === protocol) ?? bound[0];
  const host =
    settings.advertisedHost ?? (listener && !ALL_INTERFACES.has(listener.host) ? listener.host : detectHost());
  const port = settings.advertisedPort ?? listener?.port ?? 8083;
  return `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}/`;
}
