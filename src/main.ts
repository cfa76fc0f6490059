#!/usr/bin/env node
/** The `millrace` command. */
import { runCli } from './cli/cli';

let handlesCrashes = false;

// `millrace get connectors | head` is no failure. Commands that must stop in order get the error as a crash.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (handlesCrashes || error.code !== 'EPIPE') throw error;
  process.exit(0);
});

void runCli(process.argv.slice(2), {
  // A getter, so that only the command that reads stdin opens it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  onSignal: (listener) => {
    process.on('SIGTERM', listener);
    process.on('SIGINT', listener);
  },
  onCrash: (listener) => {
    handlesCrashes = true;
    process.on('uncaughtException', listener);
  },
}).then(
  // Timers or sockets that a plugin leaves open must not keep a stopped worker alive.
  (code) => process.exit(code),
);
