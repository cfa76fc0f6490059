/** An installed worker that moves lines from a file through a topic into a file. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../dev/services/free-port';
import { textOf, waitForProcess, type Installation } from './installation';

const TEXT = 'org.apache.kafka.connect.storage.StringConverter';

export interface MoveOptions {
  /** Of the source's producer. Files and topics are named after it, so it differs in each call for an installation. */
  readonly compression: string;
  readonly variables?: NodeJS.ProcessEnv;
  /** Of both connectors. */
  readonly config?: Readonly<Record<string, string>>;
}

/** Returns the log of `millrace dev`, which has stopped with exit code 0. */
export async function movesLines(installation: Installation, options: MoveOptions): Promise<string> {
  const { folder } = installation;
  const { compression, variables, config: more } = options;
  const port = await freePort();
  const args = ['dev', '--port', `${port}`, '--broker-port', '0', '--data-dir', `.${compression}`];
  const millrace = installation.start('node_modules/.bin/millrace', args, folder, variables);
  const [source, sink] = [join(folder, `${compression}-in.txt`), join(folder, `${compression}-out.txt`)];
  writeFileSync(source, 'one\ntwo\n');
  const register = async (name: string, config: Record<string, string>) => {
    const response = await fetch(`http://127.0.0.1:${port}/connectors`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name, config: { 'key.converter': TEXT, 'value.converter': TEXT, ...more, ...config } }),
    });
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  };
  const ready = () => millrace.log().includes('Millrace is ready');
  await waitForProcess('the worker to be ready', { process: millrace, probe: ready });
  await register(`source-${compression}`, {
    'connector.class': 'FileStreamSource',
    ...{ file: source, topic: compression, 'producer.override.compression.type': compression },
  });
  await register(`sink-${compression}`, { 'connector.class': 'FileStreamSink', file: sink, topics: compression });
  await waitForProcess('both lines', { process: millrace, probe: () => textOf(sink) === 'one\ntwo\n' });
  const log = millrace.log();
  expect(await millrace.stop()).toBe(0);
  return log;
}
