/**
 * The program that `startSchemaRegistry` of `schema-registry.ts` runs: a registry on the port of the first argument,
 * with its log in the file of the second one. Prints one line when it serves.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { startSchemaRegistry, type RegistryLog } from '../../packages/schema-registry/src';

const [port, path] = process.argv.slice(2) as [string, string];

/** Without a flush to the disk: the process is killed, not the machine. */
function fileLog(): RegistryLog {
  let notify: Parameters<RegistryLog['start']>[0] = () => undefined;
  return {
    start: async (listener) => {
      notify = listener;
      const lines = readFileSync(path, { encoding: 'utf8', flag: 'a+' }).split('\n').slice(0, -1);
      for (const line of lines) listener(...(JSON.parse(line) as Parameters<typeof listener>));
    },
    append: async (key, value) => {
      appendFileSync(path, `${JSON.stringify([key, value])}\n`);
      notify(key, value);
    },
    close: async () => undefined,
  };
}

void startSchemaRegistry({ port: Number(port), log: fileLog() }).then(({ url }) => console.log(`serving at ${url}`));
