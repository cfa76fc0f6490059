/**
 * Lets bytes collect in the kernel. `Socket.pause` does not: Node reads on into the stream's buffer until that is full.
 * Uses the handle of Node's sockets, which a unit test checks on the installed version; without it, nothing is held.
 */
import type { Socket } from 'node:net';

/** `_handle` of lib/net.js, also of TLS sockets; null after the socket was closed. */
interface Handle {
  readStop?(): number;
  readStart?(): number;
  /** Node's own mark: it has not stopped reading, for example because its buffer is full. */
  readonly reading?: boolean;
}

export class SocketReads {
  private held: Handle | null = null;

  constructor(private readonly socket: Socket) {}

  /** False: not possible. Call in a listener of `data`, so that Node itself has not stopped reading. */
  hold(): boolean {
    const handle = this.handle;
    if (this.held !== null || handle?.reading !== true || typeof handle.readStop !== 'function') return false;
    // Node's own mark stays, so that the stream does not start reading again.
    if (handle.readStop() !== 0) return false;
    this.held = handle;
    return true;
  }

  release(): void {
    const { held } = this;
    this.held = null;
    // Where Node has stopped meanwhile, it also starts again; a second start would be an error.
    if (held !== null && held === this.handle && held.reading === true) held.readStart?.();
  }

  private get handle(): Handle | null {
    return (this.socket as unknown as { readonly _handle?: Handle | null })._handle ?? null;
  }
}
