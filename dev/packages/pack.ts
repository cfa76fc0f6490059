/**
 * `npm run pack`: packs the packages that are installed from npm (the worker, the packages of `packages/`
 * and the built-in connectors) into the folder of the first argument.
 */
import { join, resolve } from 'node:path';
import { remove } from 'fs-extra';
import { shellQuote } from '../../packages/cli/src/output/shell-quote';
import { builtJavaHost } from '../services/java-host';
import { ROOT } from '../services/paths';
import { packPackages } from './pack-packages';

const folder = resolve(ROOT, process.argv[2] ?? 'dist-packages');
packAll().then(
  (tarballs) => console.log([...tarballs, '', `npm install -g ${shellQuote(folder)}/*.tgz`].join('\n')),
  (error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);

async function packAll(): Promise<string[]> {
  await builtJavaHost().catch((error: Error) => {
    console.error(`${error.message}\nThe package of the Java host (@millrace/java-host) is left out.\n`);
    return remove(join(ROOT, 'packages', 'java-host', 'jars'));
  });
  return await packPackages(folder);
}
