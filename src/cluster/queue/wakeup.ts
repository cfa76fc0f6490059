/** Lets one loop sleep until a time or until somebody calls. A call while awake is not lost. */
import { startTimer } from '@millrace/sdk';

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
        const timer = ms === null ? undefined : startTimer(resolve, ms);
        this.wakeSleeper = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.wakeSleeper = null;
    this.called = false;
  }
}
