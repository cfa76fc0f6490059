/** `npm run bench -- NAME [ARGUMENTS]` runs bench/NAME.ts; without a name it lists them. */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';

const [name = '', ...rest] = process.argv.slice(2);
const names = readdirSync(__dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  .map((file) => file.slice(0, -3));
if (!names.includes(name)) {
  console.error(`usage: npm run bench -- NAME\nNAME is one of: ${names.join(', ')}`);
  process.exit(2);
}
process.argv.splice(2, process.argv.length, ...rest);
createRequire(__filename)(`./${name}`);
