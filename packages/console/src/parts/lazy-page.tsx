/** Pages and tabs whose script is loaded when they are opened, so that the first page is there sooner. */
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from './button';
import { Notice, Skeleton } from './placeholders';

/** `load`: imports the page. It is called once, and again after a failure. */
export function lazyPage<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let Loaded: ComponentType<P> | null = null;
  return function LazyPage(props: P): JSX.Element {
    const [attempt, setAttempt] = useState(0);
    const [failed, setFailed] = useState(false);
    const [, setLoaded] = useState(Loaded !== null);
    useEffect(() => {
      if (Loaded) return undefined;
      let isShown = true;
      setFailed(false);
      load().then(
        (page) => {
          Loaded = page;
          if (isShown) setLoaded(true);
        },
        () => isShown && setFailed(true),
      );
      return () => (isShown = false);
    }, [attempt]);
    if (Loaded) return <Loaded {...props} />;
    return failed ? <NotLoaded retry={() => setAttempt(attempt + 1)} /> : <Skeleton />;
  };
}

/** A worker of another version has other scripts. */
function NotLoaded({ retry }: { readonly retry: () => void }): JSX.Element {
  return (
    <div role="alert">
      <Notice
        kind="failed"
        title="This page could not be loaded"
        action={
          <>
            <Button onClick={retry}>Try again</Button>
            <Button onClick={() => location.reload()}>Reload the console</Button>
          </>
        }
      >
        The worker does not answer, or has been replaced by another version.
      </Notice>
    </div>
  );
}
