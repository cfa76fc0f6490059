#!/usr/bin/env node
/** Runs the function on an event from a file and prints what it returns, as JSON. Log lines go to standard error. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { createFunction } from '../function/create';

const USAGE = 'usage: npm run -s invoke --workspace apps/slash-image -- [--at SECONDS] EVENT.json';

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { at: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
    allowPositionals: true,
  });
  if (values.help) return console.log(USAGE);
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw new Error(USAGE);
  const text = readFileSync(resolve(process.env['INIT_CWD'] ?? '.', file), 'utf8');
  const event = readEvent(file, text);
  if (values.at !== undefined) {
    // The signature of a stored event has the time of its creation.
    if (!/^\d{1,12}$/.test(values.at)) throw new Error('--at must be Unix seconds');
    const at = Number(values.at) * 1000;
    Date.now = () => at;
  }
  console.log = console.error;
  const { handler, problems } = createFunction(process.env);
  for (const problem of problems) console.error(problem);
  process.stdout.write(`${JSON.stringify(await handler(event), null, 2)}\n`);
}

function readEvent(file: string, text: string): LambdaFunctionURLEvent {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (typeof event === 'object' && event !== null && !Array.isArray(event)) return event as LambdaFunctionURLEvent;
  throw new Error(`${file} does not contain an event: it must be a JSON object, like examples/event.json`);
}

run().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 2;
});
