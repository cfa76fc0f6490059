/** The JVM's side of an element's session, by a function. */
import type { HostSession } from '../../../packages/java-host/src/jvm/jvms';
import type { JavaElement } from '../../../packages/java-host/src/elements/java-element';
import type { HostMap, HostValue } from '../../../packages/java-host/src/wire/host-value';

export type Answer = (method: string, args: readonly HostValue[]) => HostValue | Promise<HostValue>;

export class ScriptedSession implements HostSession {
  readonly opened: HostMap = {};
  readonly ended: Promise<Error | null>;
  isClosed = false;
  private settle: (reason: Error | null) => void = () => undefined;
  private failure: ((reason: Error) => void)[] = [];

  constructor(
    readonly session: HostMap,
    private readonly answer: Answer,
  ) {
    this.ended = new Promise((resolve) => (this.settle = resolve));
  }

  call(method: string, ...args: readonly HostValue[]): Promise<HostValue> {
    return new Promise((resolve, reject) => {
      this.failure.push(reject);
      Promise.resolve()
        .then(() => this.answer(method, args))
        .then(resolve, reject);
    });
  }

  callWithBytes(): Promise<HostValue> {
    return Promise.reject(new Error('Elements do not call it.'));
  }

  event(): void {}
  eventWithBytes(): void {}
  handle(): void {}

  flushed(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    this.isClosed = true;
    this.settle(null);
  }

  /** The JVM ends. */
  end(reason: Error): void {
    for (const reject of this.failure) reject(reason);
    this.settle(reason);
  }
}

/** An element whose sessions answer so. `sessions` has those that were opened. */
export function scriptedElement(
  answer: Answer,
  open: (session: ScriptedSession) => Promise<HostSession> = (session) => Promise.resolve(session),
): JavaElement & { readonly sessions: ScriptedSession[] } {
  const sessions: ScriptedSession[] = [];
  return {
    sessions,
    class: 'com.example.Element',
    config: [],
    checkValues: () => Promise.resolve([]),
    open: (map) => {
      const session = new ScriptedSession(map, answer);
      sessions.push(session);
      return open(session);
    },
  };
}
