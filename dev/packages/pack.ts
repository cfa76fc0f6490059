/**
 * `npm run pack`: packs the packages that are installed from npm (the worker, the packages of `packages/`
 * and the built-in connectors) into the folder of the first argument.
 */
import { resolve } from 'node:path';
import { shellQuote } from '../../packages/cli/src/output/shell-quote';
import { ROOT } from '../services/paths';
import { packPackages } from './pack-packages';

const folder = resolve(ROOT, process.argv[2] ?? 'dist-packages');
packPackages(folder).then(
  (tarballs) => console.log([...tarballs, '', `npm install -g ${shellQuote(folder)}/*.tgz`].join('\n')),
  (error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);
