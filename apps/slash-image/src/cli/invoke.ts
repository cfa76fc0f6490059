#!/usr/bin/env node
/** Runs the function on an event from a file and prints what it returns, as JSON. Log lines go to standard error. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { createFunction } from '../function/create';

const USAGE = 'usage: npm run -s invoke --workspace apps/slash-image -- [--at SECONDS] EVENT.json';

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { at: { type: 'string' } }, allowPositionals: true });
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw new Error(USAGE);
  const text = readFileSync(resolve(process.env['INIT_CWD'] ?? '.', file), 'utf8');
  const event = JSON.parse(text) as LambdaFunctionURLEvent;
  if (values.at !== undefined) {
    // A stored event was signed when it was stored.
    if (!/^\d{1,12}$/.test(values.at)) throw new Error('--at must be Unix seconds');
    const at = Number(values.at) * 1000;
    Date.now = () => at;
  }
  console.log = console.error;
  const { handler, problems } = createFunction(process.env);
  for (const problem of problems) console.error(problem);
  process.stdout.write(`${JSON.stringify(await handler(event), null, 2)}\n`);
}

run().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 2;
});
