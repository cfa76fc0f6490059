/**
 * The caller's credentials, kept by the tab alone: closing it forgets them. Sent explicitly, so that no other page's
 * request carries them.
 */
const KEY = 'millrace.authorization';

let listener: () => void = () => undefined;

/** `then`: called when the worker refuses the credentials, or asks for some. */
export function onSignedOut(then: () => void): void {
  listener = then;
}

export function authorization(): { Authorization?: string } {
  const value = sessionStorage.getItem(KEY);
  return value === null ? {} : { Authorization: value };
}

export function signInBasic(user: string, password: string): void {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  sessionStorage.setItem(KEY, `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`);
}

export function signInBearer(token: string): void {
  sessionStorage.setItem(KEY, `Bearer ${token.trim()}`);
}

export function signedOut(): void {
  sessionStorage.removeItem(KEY);
  listener();
}
