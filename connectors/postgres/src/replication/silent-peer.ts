/** Detects a server that is gone although its connection seems open: nothing arrives, not even what was requested. */
interface Peer {
  /** Bytes received so far. */
  readonly received: number;
  /** The reader is slower than the server, so nothing is received by intent. */
  readonly paused: boolean;
  /** Asks the server for a message. */
  ask(): void;
  /** Nothing was received for the whole time. */
  lost(): void;
}

/** Checks in a timeout. */
export const SILENT_CHECKS = 3;

/** Call `check` every third of the timeout. Counts checks, not time, which also passes while the machine sleeps. */
export class SilentPeer {
  private last = 0;
  private silent = 0;

  constructor(private readonly peer: Peer) {}

  check(): void {
    const { peer } = this;
    const { received } = peer;
    const isSilent = received === this.last && !peer.paused;
    this.last = received;
    this.silent = isSilent ? this.silent + 1 : 0;
    if (this.silent >= SILENT_CHECKS) peer.lost();
    else if (this.silent > 0) peer.ask();
  }
}
