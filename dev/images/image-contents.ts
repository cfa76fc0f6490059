/** What is in an image's /app: only what a worker needs at run time, and a list of its packages. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonSync } from 'fs-extra';

const PARTS = [
  ...['LICENSE', 'bin', 'connectors', 'dist', 'docs', 'examples', 'node_modules', 'package.json', 'packages'],
  ...['sbom.cdx.json', 'worker.properties'],
];
/** `millrace explain` reads it. */
const DOCS = ['errors.md'];

export interface ImageSize {
  readonly bytes: number;
  /** Installed packages, without those of the repository. */
  readonly packages: number;
}

/** @throws Error that lists what should not be in the image, or what its list of packages omits */
export function checkImageContents(app: string): ImageSize {
  const files = readdirSync(app, { recursive: true, encoding: 'utf8' });
  const excess = [
    ...readdirSync(app).filter((name) => !PARTS.includes(name)),
    ...readdirSync(join(app, 'docs')).filter((name) => !DOCS.includes(name)),
    ...files.filter(
      (path) => !path.includes('node_modules') && /\.(ts|map)$|(^|\/)(src|test|tsconfig[^/]*)$/.test(path),
    ),
    ...files.filter((path) => /(^|\/)node_modules\/(typescript|jest|eslint|@types\/node|pino|@redis)$/.test(path)),
  ];
  if (excess.length > 0) throw new Error(`these must not be in the image: ${excess.slice(0, 20).join(', ')}`);

  const locked = readJsonSync(join(app, 'node_modules/.package-lock.json')) as {
    packages: Record<string, { name?: string; version?: string; link?: boolean }>;
  };
  const installed = Object.entries(locked.packages).filter(([path]) => path.includes('node_modules/'));
  const { components } = readJsonSync(join(app, 'sbom.cdx.json')) as {
    components: readonly { name: string; version: string }[];
  };
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
  const others = installed.filter(([, { link }]) => !link);
  const unlisted = others
    .map(([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`)
    .filter((id) => !listed.has(id));
  if (unlisted.length > 0) throw new Error(`sbom.cdx.json does not list ${unlisted.join(', ')}`);
  const bytes = files.reduce((sum, path) => sum + lstatSync(join(app, path)).blocks * 512, 0);
  return { bytes, packages: others.length };
}
