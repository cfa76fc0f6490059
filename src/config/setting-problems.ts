/** Collects the problems of the worker's settings, so that all of them are reported at once. */
import { ConfigError, isConnectError, type ConnectError } from '@millrace/sdk';
import { boundedText } from '@millrace/texts/redaction';

/** Of one sentence, which may quote a value. Characters. */
const LONGEST = 500;

/** Several problems, one sentence each. */
class SettingsError extends ConfigError {
  constructor(readonly problems: readonly [ConnectError, ...ConnectError[]]) {
    const sentences = problems.map(({ message }) => `\n${boundedText(message, LONGEST)}`);
    super(`${problems.length} worker settings are invalid:${sentences.join('')}`, {
      code: problems[0].code,
      place: problems[0].place,
    });
  }
}

/** Each problem of an error about settings; only the error itself if it has one. */
export function problemsOf(error: ConnectError): readonly ConnectError[] {
  return error instanceof SettingsError ? error.problems : [error];
}

export class SettingProblems {
  private readonly found: ConnectError[] = [];

  /** Undefined if the check throws a ConnectError, which is kept. */
  attempt<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      this.add(error);
      return undefined;
    }
  }

  async attemptAsync<T>(check: () => Promise<T>): Promise<T | undefined> {
    try {
      return await check();
    } catch (error) {
      this.add(error);
      return undefined;
    }
  }

  /** @throws the error if it is not a ConnectError */
  add(error: unknown): void {
    if (!isConnectError(error)) throw error;
    for (const problem of problemsOf(error)) if (!this.has(keyOf(problem))) this.found.push(problem);
  }

  /** Whether one of the keys has a problem. */
  has(...keys: readonly (string | null)[]): boolean {
    return this.found.some((problem) => keys.includes(keyOf(problem) ?? ''));
  }

  get all(): readonly ConnectError[] {
    return this.found;
  }

  /** One problem as it is, several as one error. Each key has one problem. */
  throwAny(): void {
    const [first, ...others] = this.found;
    if (first !== undefined) throw others.length === 0 ? first : new SettingsError([first, ...others]);
  }
}

/** Null: the problem is not about one key. */
export function keyOf({ place }: Pick<ConnectError, 'place'>): string | null {
  return typeof place.key === 'string' ? place.key : null;
}
