/** Who is signed in, and which actions that allows at this moment. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Role, Session } from '../worker-api';
import { useGroup } from './overview-store';
import { roleObjection } from './roles';

export const SessionContext = createContext<Session | null>(null);

export const SessionControls = createContext({ signOut: (): void => undefined, reload: (): void => undefined });

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('There is no session');
  return session;
}

/** @returns why an action that needs `needed` is not possible now; null: it is */
export function useObjection(needed: Role): string | null {
  const { role } = useSession();
  const { isStale } = useGroup();
  return roleObjection(role, needed) ?? (isStale ? 'The worker does not answer' : null);
}
