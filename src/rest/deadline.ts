/** The 90 seconds that bound every request to the herder. Source: connect-rest §0.6. */
import { startTimer } from '@millrace/sdk';
import { RestError } from './rest-error';

export async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = startTimer(() => reject(new RestError(500, 'Request timed out')), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
