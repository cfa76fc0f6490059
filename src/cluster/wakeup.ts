/** Lets one loop sleep until a time or until somebody calls. A call while awake is not lost. */
export class Wakeup {
  private called = false;
  private wakeSleeper: (() => void) | null = null;

  wake(): void {
    this.called = true;
    this.wakeSleeper?.();
  }

  /** `ms` null: as long as it takes. */
  async wait(ms: number | null): Promise<void> {
    if (!this.called && (ms === null || ms > 0))
      await new Promise<void>((resolve) => {
        // A timer holds at most 2^31 - 1 ms.
        const timer = ms === null ? undefined : setTimeout(resolve, Math.min(ms, 2 ** 31 - 1));
        this.wakeSleeper = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.wakeSleeper = null;
    this.called = false;
  }
}
