import { createServer } from 'node:net';

/**
 * Ports lie below those that a system gives to connections and to whoever asks for any port. So nobody gets one by
 * chance before its server opens it or while a killed server is away, and a client that tries a dead server again and
 * again does not meet itself at its port. Beginning above 10080, which `fetch` refuses.
 */
const FIRST = 11_000;
const RANGES = 8;
const RANGE_SIZE = 2_600;

/** The workers of a test run look in ranges of their own, so that no two are told the same port. */
const first = FIRST + RANGE_SIZE * (Number(process.env.JEST_WORKER_ID ?? 0) % RANGES);
let next = Math.floor(Math.random() * RANGE_SIZE);

/**
 * A port of 127.0.0.1 that nobody listens on, another one each time. Somebody may take it before you do: be ready to
 * try again.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < RANGE_SIZE; tries++) {
    const port = first + (next++ % RANGE_SIZE);
    if (await isFree(port)) return port;
  }
  throw new Error(`none of the ports ${first} to ${first + RANGE_SIZE - 1} of 127.0.0.1 is free`);
}

/** All different. */
export async function freePorts(count: number): Promise<number[]> {
  return await Promise.all(Array.from({ length: count }, freePort));
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
