import { ConverterNotReady, isConfigError, isConnectError, isRetriable } from '@millrace/sdk';
import { JavaError } from '../wire/java-error';

/** Questions that may wait for their answers, and answers that nobody has fetched. */
const MOST_OPEN = 16;

interface Answer<T> {
  question: readonly unknown[];
  readonly ready: Promise<void>;
  /** Null: it is not there yet. */
  outcome: { readonly value: T } | { readonly error: unknown } | null;
  isFetched: boolean;
}

/**
 * Makes questions to a JVM synchronous: the first time a question is asked it throws `ConverterNotReady`, and returns
 * the answer when the runtime asks again. The answer is kept, because what follows in the chain may have to wait, too.
 * A sink may have something else to do meanwhile, and asks again later with a record that it has consumed again.
 */
export class Answers<T> {
  private answers: Answer<T>[] = [];
  /** Those that were used since a question was new: the record that needs an answer to that one needs these, too. */
  private used = new Set<Answer<T>>();

  /**
   * @param call that is waited for, for health and log
   * @param meansSame whether parts of two questions that are not the same, such as a record that is consumed again,
   *   have the same answer
   */
  constructor(
    private readonly call: string,
    private readonly meansSame: (part: unknown, other: unknown) => boolean = () => false,
  ) {}

  /**
   * @param ask resolves with the answer. JavaError and DataError are those of the record; anything else means that
   *   there is no answer, and the question is asked again.
   */
  answer(question: readonly unknown[], ask: () => Promise<T>): T {
    const known = this.find(question);
    if (known === undefined) throw this.wait(this.start(question, ask));
    if (known.outcome === null) throw this.wait(known.ready);
    known.question = known.isFetched ? known.question : kept(question);
    known.isFetched = true;
    if ('value' in known.outcome) {
      this.used.add(known);
      return known.outcome.value;
    }
    // The runtime may try again.
    this.forget(known);
    throw known.outcome.error;
  }

  private find(question: readonly unknown[]): Answer<T> | undefined {
    return (
      this.answers.find((one) => matches(one.question, question, isSame)) ??
      // Whoever has fetched an answer may have changed it.
      this.answers.find((one) => !one.isFetched && matches(one.question, question, this.meansSame))
    );
  }

  private wait(ready: Promise<unknown>): ConverterNotReady {
    return new ConverterNotReady(ready, this.call);
  }

  /** What is to be waited for. */
  private start(question: readonly unknown[], ask: () => Promise<T>): Promise<unknown> {
    const waiting = this.answers.filter(({ outcome }) => outcome === null);
    // Calls are answered one after the other: another one would only wait behind these.
    if (waiting.length >= MOST_OPEN) return Promise.race(waiting.map(({ ready }) => ready));
    const answer: Answer<T> = {
      question: kept(question),
      outcome: null,
      isFetched: false,
      ready: ask().then(
        (value) => {
          answer.outcome = { value };
        },
        (error: unknown) => {
          if (!isOfRecord(error)) {
            this.forget(answer);
            throw error;
          }
          answer.outcome = { error };
        },
      ),
    };
    const idle = this.answers.filter(({ outcome, isFetched }) => outcome !== null && !isFetched);
    const open = new Set([...waiting, ...idle.slice(-MOST_OPEN)]);
    this.answers = [...this.answers.filter((one) => open.has(one) || this.used.has(one)), answer];
    this.used.clear();
    return answer.ready;
  }

  private forget(answer: Answer<T>): void {
    this.answers = this.answers.filter((one) => one !== answer);
    this.used.delete(answer);
  }
}

/** What the runtime decides about as about any error of a record, with its retries and its tolerance. */
function isOfRecord(error: unknown): boolean {
  if (error instanceof JavaError) return true;
  return isConnectError(error) && !isRetriable(error) && !isConfigError(error);
}

/** Bytes may be in a buffer that is used again. */
function kept(question: readonly unknown[]): readonly unknown[] {
  return question.map((part) => (part instanceof Uint8Array ? Buffer.from(part) : part));
}

function matches(
  one: readonly unknown[],
  other: readonly unknown[],
  same: (part: unknown, other: unknown) => boolean,
): boolean {
  return one.length === other.length && one.every((part, i) => isSame(part, other[i]) || same(part, other[i]));
}

/** By identity; bytes by content: the runtime may cut them from its buffers again. */
function isSame(one: unknown, other: unknown): boolean {
  return Object.is(one, other) || isSameBytes(one, other);
}

function isSameBytes(one: unknown, other: unknown): boolean {
  if (!(one instanceof Uint8Array) || !(other instanceof Uint8Array)) return false;
  return one.length === other.length && Buffer.compare(one, other) === 0;
}
