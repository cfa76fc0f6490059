/** What the tick is doing, for the text of requests that time out. Source: connect-rest §2.6. */
export class TickStage {
  private current: { readonly text: string; readonly began: Date; completed: Date | null } | null = null;

  constructor(private readonly now: () => number = Date.now) {}

  async during<T>(text: string, run: () => Promise<T>): Promise<T> {
    const stage = { text, began: new Date(this.now()), completed: null as Date | null };
    this.current = stage;
    try {
      return await run();
    } finally {
      stage.completed = new Date(this.now());
    }
  }

  /** A sentence, to follow a blank; empty before the first stage. */
  sentence(): string {
    if (this.current === null) return '';
    const { text, began, completed } = this.current;
    return completed === null
      ? `The worker is currently ${text}, which began at ${began.toISOString()}.`
      : `The last operation the worker completed was ${text}, which began at ${began.toISOString()} and completed at ${completed.toISOString()}.`;
  }

  timedOut(): string {
    const sentence = this.sentence();
    return sentence === '' ? 'Request timed out' : `Request timed out. ${sentence}`;
  }
}
