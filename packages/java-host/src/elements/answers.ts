import { ConverterNotReady, isConfigError, isConnectError, isRetriable } from '@millrace/sdk';
import { JavaError } from '../wire/java-error';

interface Answer<T> {
  readonly question: readonly unknown[];
  readonly ready: Promise<void>;
  /** Null: it is not there yet. */
  outcome: { readonly value: T } | { readonly error: unknown } | null;
}

/**
 * Makes questions to a JVM synchronous: the first time a question is asked it throws `ConverterNotReady`, and returns
 * the answer when the runtime asks again. The answer is kept, because what follows in the chain may have to wait, too.
 */
export class Answers<T> {
  private answers: Answer<T>[] = [];
  /** Those that were used since a question was new: the record that needs an answer to that one needs these, too. */
  private used = new Set<Answer<T>>();

  /**
   * @param ask resolves with the answer. JavaError and DataError are those of the record; anything else means that
   *   there is no answer, and the question is asked again.
   */
  answer(question: readonly unknown[], ask: () => Promise<T>): T {
    const known = this.answers.find((one) => isSame(one.question, question));
    if (known?.outcome == null) throw new ConverterNotReady((known ?? this.start(question, ask)).ready);
    if ('value' in known.outcome) {
      this.used.add(known);
      return known.outcome.value;
    }
    // The runtime may try again.
    this.forget(known);
    throw known.outcome.error;
  }

  private start(question: readonly unknown[], ask: () => Promise<T>): Answer<T> {
    const answer: Answer<T> = {
      question: question.map((part) => (part instanceof Uint8Array ? Buffer.from(part) : part)),
      outcome: null,
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
    this.answers = [...this.used, answer];
    this.used.clear();
    return answer;
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

/** By identity; bytes by content: the runtime may cut them from its buffers again. */
function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return (
    one.length === other.length && one.every((part, i) => Object.is(part, other[i]) || isSameBytes(part, other[i]))
  );
}

function isSameBytes(one: unknown, other: unknown): boolean {
  if (!(one instanceof Uint8Array) || !(other instanceof Uint8Array)) return false;
  return one.length === other.length && Buffer.compare(one, other) === 0;
}
