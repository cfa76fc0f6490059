#!/usr/bin/env node
/** The `millrace` command. */
import { runCli } from './cli/cli';

void runCli(process.argv.slice(2), {
  // Opened by the verb that reads it, and by no other.
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
  onCrash: (listener) => void process.on('uncaughtException', listener),
}).then(
  // Whatever a plug-in left running must not keep a stopped worker alive.
  (code) => process.exit(code),
);
