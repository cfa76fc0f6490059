#!/usr/bin/env node
/** Serves the function over HTTP on this machine. */
import type { AddressInfo } from 'node:net';
import { createFunction } from '../function/create';
import { createLog } from '../function/log';
import { readOptions, USAGE, type AdapterOptions } from './options';
import { createAdapter, type AnyHandler } from './server';

const STOP_MS = 10_000;
const log = createLog('info');

function fail(problem: string): never {
  log('error', problem);
  process.exit(1);
}

function options(): AdapterOptions {
  try {
    const chosen = readOptions(process.argv.slice(2), process.env);
    if (chosen) return chosen;
    console.log(USAGE);
    process.exit(0);
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}

const chosen = options();
const { handler, problems } = createFunction(process.env);
for (const problem of problems) log('error', problem);
if (problems.length > 0 && !chosen.allowUnconfigured) process.exit(1);

const server = createAdapter(handler as AnyHandler, chosen);
server.on('error', (error: NodeJS.ErrnoException) =>
  fail(`cannot listen on ${chosen.host}:${chosen.port}: ${error.code}`),
);
server.listen(chosen.port, chosen.host, () => {
  const { port } = server.address() as AddressInfo;
  log('info', 'listening', { host: chosen.host, port, authType: chosen.authType });
});

let isStopping = false;
function stop(): void {
  if (isStopping) process.exit(1);
  isStopping = true;
  log('info', 'stopping');
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  setTimeout(() => server.closeAllConnections(), STOP_MS).unref();
  server.close(() => {
    clearInterval(idle);
    log('info', 'stopped');
  });
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
