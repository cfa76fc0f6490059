/** Runs a task one at a time: what is requested meanwhile replaces what waits, so that only the newest is run next. */
export class LatestOnly<I, O> {
  private waiting: { readonly input: I } | null = null;
  private isRunning = false;
  private isStopped = false;

  /** @param report called unless a newer input waits, or `stop` was called */
  constructor(
    private readonly run: (input: I) => Promise<O>,
    private readonly report: (input: I, outcome: { readonly value: O } | { readonly error: Error }) => void,
  ) {}

  submit(input: I): void {
    this.waiting = { input };
    if (!this.isRunning) void this.work();
  }

  stop(): void {
    this.isStopped = true;
    this.waiting = null;
  }

  private async work(): Promise<void> {
    this.isRunning = true;
    for (let next = this.waiting; next; next = this.waiting) {
      this.waiting = null;
      const { input } = next;
      const outcome = await this.run(input).then(
        (value) => ({ value }),
        (error: Error) => ({ error }),
      );
      if (this.waiting === null && !this.isStopped) this.report(input, outcome);
    }
    this.isRunning = false;
  }
}
