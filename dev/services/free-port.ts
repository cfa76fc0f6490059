import { createServer } from 'node:net';

/**
 * The ports are below the ephemeral range, so that the system does not assign one to a connection before its server
 * opens it, or while a killed server restarts, and a client that reconnects to a dead server cannot connect to itself.
 * They start above 10080, which `fetch` blocks.
 */
const FIRST = 11_000;
const RANGES = 8;
const RANGE_SIZE = 2_600;

/** Each worker of a test run has its own range, so that no two get the same port. */
const first = FIRST + RANGE_SIZE * (Number(process.env.JEST_WORKER_ID ?? 0) % RANGES);
let next = Math.floor(Math.random() * RANGE_SIZE);

/**
 * Returns a different unused port of 127.0.0.1 at each call. Another process may take it first: be prepared to retry.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < RANGE_SIZE; tries++) {
    const port = first + (next++ % RANGE_SIZE);
    if (await isFree(port)) return port;
  }
  throw new Error(`none of the ports ${first} to ${first + RANGE_SIZE - 1} of 127.0.0.1 is free`);
}

/** Returns different ports. */
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
