/** Answers that records depend on for as long as a task runs, though the registry may be replaced meanwhile. */
import { monotonicNow } from '@millrace/sdk';

/** What the registry says of an answer that it gave before: it has it, has it no longer, or has another one. */
export type Finding = 'same' | 'gone' | 'other';

export interface Lease {
  /**
   * Whether the answer holds, and its use is known. It is unset from time to time, so that uses are noticed at no cost:
   * who sees that calls `use`.
   */
  readonly isUsed: boolean;
  readonly finding: Finding;
  use(): void;
}

/** Of answers that cannot change. */
export const FOR_EVER: Lease = { isUsed: true, finding: 'same', use: () => undefined };

export class VerifiedLease implements Lease {
  isUsed = false;
  finding: Finding = 'same';
  /** By `monotonicNow()`. */
  checkedAt = monotonicNow();

  /** @param check asks the registry; rejects if it does not say */
  constructor(
    readonly check: () => Promise<Finding>,
    private readonly used: (lease: VerifiedLease) => void,
  ) {}

  use(): void {
    this.isUsed = this.finding === 'same';
    this.used(this);
  }

  found(finding: Finding): void {
    // Who used another answer meanwhile has a lease of that.
    if (this.finding === 'other') return;
    this.finding = finding;
    if (finding !== 'same') this.isUsed = false;
  }
}
