/** A limit for the bodies of all requests in flight, which are read before a signature is verified. Bytes. */
export class BodyBudget {
  private used = 0;

  /** @param free counted for no body, so that large ones do not keep slash commands out */
  constructor(
    private readonly max: number,
    private readonly free: number,
  ) {}

  open(): HeldBody {
    let held = 0;
    return {
      grow: (size) => {
        const more = Math.max(0, size - this.free) - held;
        if (this.used + more > this.max) return false;
        held += more;
        this.used += more;
        return true;
      },
      close: () => {
        this.used -= held;
        held = 0;
      },
    };
  }
}

export interface HeldBody {
  /** False: there is no room for a body of that size. */
  readonly grow: (size: number) => boolean;
  readonly close: () => void;
}
