/** One warning per subject and minute: a stream of records with the same trouble must not flood the log. */
const EVERY_MS = 60_000;

export class WarningLimit<Subject> {
  private readonly last = new Map<Subject, { at: number; suppressed: number }>();

  /**
   * Null: suppress this warning. Otherwise the number of warnings suppressed since the last one.
   * @param now milliseconds of a monotonic clock
   */
  pass(subject: Subject, now: number): number | null {
    const last = this.last.get(subject);
    if (last !== undefined && now - last.at < EVERY_MS) {
      last.suppressed++;
      return null;
    }
    this.last.set(subject, { at: now, suppressed: 0 });
    return last?.suppressed ?? 0;
  }
}
