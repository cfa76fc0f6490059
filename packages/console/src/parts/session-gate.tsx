/** Finds out who asks, and shows the sign-in form while the worker wants credentials. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Session, SignIn } from '../worker-api';
import { onSignedOut, signedOut } from '../api/credentials';
import { request, RequestError } from '../api/request';
import { Dialog } from './dialog';
import { ErrorNotice, Skeleton } from './placeholders';
import { SIGNED_IN } from './poll';
import { SessionContext, SessionControls } from './session';
import { SignInForm } from './sign-in';

type Accepts = SignIn['accepts'];

export function SessionGate({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const [session, setSession] = useState<Session | null>(null);
  const [accepts, setAccepts] = useState<Accepts | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const isLoading = useRef(false);
  const load = async (): Promise<void> => {
    // Its own 401 calls this again.
    if (isLoading.current) return;
    isLoading.current = true;
    try {
      enter(await request<Session>('api/session'));
    } catch (failure) {
      if (failure instanceof RequestError && failure.status === 401) setAccepts(acceptedBy(failure));
      else setError(failure as Error);
    }
    isLoading.current = false;
  };
  const enter = (entered: Session): void => {
    setError(null);
    setAccepts(null);
    setSession(entered);
    document.dispatchEvent(new Event(SIGNED_IN));
  };
  const signOut = (): void => {
    // What the person saw goes, too.
    setSession(null);
    signedOut();
  };
  useEffect(() => {
    onSignedOut(() => void load());
    void load();
  }, []);
  const form = accepts && <SignInForm accepts={accepts} onSignedIn={enter} />;
  if (session !== null) {
    return (
      <SessionContext.Provider value={session}>
        <SessionControls.Provider value={{ signOut, reload: () => void load() }}>
          {children}
          {/* The credentials have expired: what the person was typing remains. */}
          {form && <Dialog title="Sign in again">{form}</Dialog>}
        </SessionControls.Provider>
      </SessionContext.Provider>
    );
  }
  return (
    <main class="alone">
      <h1>Millrace</h1>
      {form ?? (error === null ? <Skeleton lines={3} /> : <ErrorNotice error={error} retry={() => void load()} />)}
    </main>
  );
}

function acceptedBy({ body }: RequestError): Accepts {
  const { accepts } = (body ?? {}) as { accepts?: unknown };
  return Array.isArray(accepts) && accepts.length > 0 ? (accepts as Accepts) : ['basic'];
}
