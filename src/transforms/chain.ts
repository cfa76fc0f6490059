/**
 * The transformations of one task, in the order of `transforms`, each with its predicate. Source: connect-runtime
 * §7.1.
 */
import { plainRecord, type ConnectRecord, type Predicate, type Transformation } from '@millrace/sdk';

export interface ChainStep {
  readonly transformation: Transformation;
  /** The transformation's class, for error reports. */
  readonly className: string;
  /** Null: every record is transformed. */
  readonly predicate: Predicate | null;
  /** Transform the records that do not match the predicate. */
  readonly negate: boolean;
}

/** The step that threw `cause`, and its input record. */
export class StepFailure extends Error {
  constructor(
    readonly step: number,
    readonly record: ConnectRecord,
    cause: unknown,
  ) {
    super(`Step ${step} of the chain of transformations failed.`, { cause });
  }
}

export class TransformationChain {
  /** By step. */
  private readonly takeRaw: readonly boolean[];

  constructor(private readonly steps: readonly ChainStep[]) {
    this.takeRaw = steps.map(
      ({ transformation, predicate }) => transformation.takesRaw === true && (predicate?.takesRaw ?? true),
    );
  }

  /** The record that leaves the chain; null: dropped. Throws StepFailure. `from`: resume at that step. */
  apply<R extends ConnectRecord>(record: R, from = 0): R | null {
    let current: R = record;
    for (let step = from; step < this.steps.length; step++) {
      let next: R | null;
      // A step that has to wait gets the very same record again.
      if (!this.takeRaw[step]) current = plainRecord(current);
      try {
        next = this.applyStep(current, step);
      } catch (error) {
        throw new StepFailure(step, current, error);
      }
      if (next === null) return null;
      current = next;
    }
    return current;
  }

  /** One step alone, its predicate included, of the record that it has failed with. Throws what the step throws. */
  applyStep<R extends ConnectRecord>(record: R, step: number): R | null {
    const { transformation, className, predicate, negate } = this.steps[step] as ChainStep;
    if (predicate !== null && Boolean(predicate.test(record)) === negate) return record;
    const next = transformation.apply(record);
    // A promise or undefined is a plugin error that would otherwise surface elsewhere.
    if (next !== record && next !== null && typeof next?.topic !== 'string') {
      throw new TypeError(`apply() of ${className} returned neither a record nor null.`);
    }
    return next;
  }

  classOf(step: number): string {
    return (this.steps[step] as ChainStep).className;
  }

  /** Closes every transformation and predicate, even if some throw. Returns the errors. */
  close(): unknown[] {
    const errors: unknown[] = [];
    for (const part of this.steps.flatMap(({ transformation, predicate }) => [transformation, predicate])) {
      try {
        part?.close?.();
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }
}
