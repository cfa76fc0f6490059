#!/usr/bin/env node
/**
 * Creates the zip to upload: the compiled function, which needs only Node.js. The same sources give the same bytes.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { zipSync, type Zippable } from 'fflate';

const FOLDER = join(__dirname, '..', 'function');
const TARGET = join(__dirname, '..', 'slash-image.zip');
/** The earliest time of the zip format, which has no time zone. */
const MTIME = new Date(1980, 0, 1);

const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
  .map((entry) => join(entry.parentPath, entry.name))
  .sort();
const content: Zippable = { 'package.json': Buffer.from('{"type":"commonjs"}\n') };
for (const file of files) {
  // The zip has no source maps.
  const code = readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
  content[relative(FOLDER, file).split(sep).join('/')] = Buffer.from(code);
}
const zip = zipSync(content, { mtime: MTIME, level: 9 });
writeFileSync(TARGET, zip);
console.log(`${TARGET}: ${files.length} files, ${zip.length} bytes`);
