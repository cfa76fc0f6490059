/**
 * `npm run pin:images -- REGISTRY [--check]`: looks up the current digests of the image tags in Dockerfiles and compose
 * files, and writes them to these files. With `--check` it only lists the files that are out of date, and exits with 1
 * if there are any.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../services/paths';
import { imageDigest } from './image-digest';
import { COMPOSE_FILES, CONTAINER_FILES, imagesIn, withDigests } from './pinned-images';

const args = process.argv.slice(2);
const registry = args.find((arg) => !arg.startsWith('-'));
const isCheck = args.includes('--check');

/** @param folder the repository, or a copy of its container files */
async function pin(folder: string, address: string): Promise<void> {
  const files = [...CONTAINER_FILES, ...COMPOSE_FILES].map((file) => ({
    file,
    text: readFileSync(join(folder, file), 'utf8'),
  }));
  const digests = new Map<string, string>();
  for (const { image, digest } of files.flatMap(({ text }) => imagesIn(text))) {
    const now = digests.get(image) ?? (await imageDigest(address, image));
    if (!digests.has(image)) console.log(`${now === digest ? 'same' : 'new '}  ${image}@${now}`);
    digests.set(image, now);
  }
  for (const { file, text } of files) {
    const renewed = withDigests(text, digests);
    if (renewed === text) continue;
    if (isCheck) process.exitCode = 1;
    else writeFileSync(join(folder, file), renewed);
    console.log(`${isCheck ? 'out of date' : 'written'}: ${file}`);
  }
}

if (registry === undefined) {
  console.error('Name the registry whose tags count: npm run pin:images -- https://REGISTRY [--check]');
  process.exitCode = 2;
} else {
  pin(process.env.PIN_IMAGES_FOLDER ?? ROOT, registry).catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
