/**
 * A request that cannot be validated at all. Create and update respond with `status` and the message, and the
 * validation endpoint with 500 and the Java class before the message. Sources: connect-rest §1.21, §2.3, §2.6.
 */
import { startTimer } from '@millrace/sdk';

export class ValidationError extends Error {
  readonly status: number;
  readonly javaClass: string;

  constructor(status: number, message: string, options: { javaClass?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ValidationError';
    this.status = status;
    this.javaClass = options.javaClass ?? 'org.apache.kafka.connect.runtime.rest.errors.BadRequestException';
  }
}

/** Resolves with the promise, or rejects with a 500 that names the stage once `limitMs` have passed. */
export async function withinStage<T>(promise: Promise<T>, limitMs: number, stage: string): Promise<T> {
  const began = new Date().toISOString();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = startTimer(() => {
      const message = `Request timed out. The worker is currently ${stage}, which began at ${began}.`;
      reject(new ValidationError(500, message, { javaClass: 'org.apache.kafka.connect.errors.ConnectException' }));
    }, limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
