import { connectHost } from '../connection/connect-host';
import type { HostSession } from '../connection/host-session';
import type { HostMap } from '../wire/host-value';
import { failureError, failureOf } from './jvm-errors';
import type { JvmKey, Jvms } from './jvms';
import type { Grant, Supervision } from './supervision';

/** Connects directly to the JVMs that the supervisor grants. */
export class SessionOpener implements Jvms {
  constructor(private readonly supervision: Supervision) {}

  async open(key: JvmKey, session: HostMap, signal?: AbortSignal): Promise<HostSession> {
    const connector = typeof session['connector'] === 'string' ? session['connector'] : null;
    const first = await this.grant(key, connector);
    try {
      return await this.connect(first, session, signal);
    } catch (error) {
      // It had nothing to do and has ended just now.
      if ((error as { code?: unknown }).code !== 'JVM_UNREACHABLE') throw error;
      return await this.connect(await this.grant(key, connector), session, signal);
    }
  }

  private async connect(
    { socketPath, jvm, hold }: Grant,
    session: HostMap,
    signal?: AbortSignal,
  ): Promise<HostSession> {
    const cause = async (): Promise<Error | null> => {
      const failure = await this.supervision.cause(jvm);
      return failure && failureError(failure);
    };
    try {
      return await connectHost(socketPath, session, { cause, signal });
    } finally {
      this.supervision.settled(jvm, hold);
    }
  }

  private async grant(key: JvmKey, connector: string | null): Promise<Grant> {
    try {
      return await this.supervision.grant(key, connector);
    } catch (error) {
      throw failureError(failureOf(error));
    }
  }
}
