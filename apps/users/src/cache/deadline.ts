export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`no response within ${ms} ms`);
    this.name = 'DeadlineError';
  }
}

/** Settles as `work` does, or rejects with DeadlineError after `ms`. The work itself is not canceled. */
export async function withDeadline<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(ms)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
