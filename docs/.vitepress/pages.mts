/** Which Markdown files of the repository are pages of the site, and where. */

/** Of a file in the repository's root. */
const AT_THE_ROOT: Readonly<Record<string, string>> = {
  'README.md': 'readme.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security.md',
};
const OF_A_PACKAGE = /^((?:connectors|apps|packages|deploy)(?:\/.+)?)\/(\w+)\.md$/;

/** Folders with Markdown files that are no pages. */
export const NOT_PAGES = [
  'src',
  'test',
  'dev',
  'bench',
  'examples',
  'changes',
  'reports',
  'coverage',
  '.*',
  'dist-*',
].map((folder) => `${folder}/**`);

/** Tables of settings, and the pages of the site that `npm run docs:reference` writes from them. */
export const REFERENCE: Readonly<Record<string, string>> = {
  'src/config/worker-settings.ts': 'reference/worker-settings.md',
  'src/config/connector-config.ts': 'reference/connector-keys.md',
  'src/transforms': 'reference/transformations.md',
  'connectors/converters-schema-registry/src/config/registry-config.ts': 'reference/schema-registry-converters.md',
  'connectors/postgres/src/config/definitions.ts': 'reference/postgres-source.md',
  'connectors/file/src/sink/config.ts': 'reference/file-connectors.md',
  'connectors/analytics/src/config/definitions.ts': 'reference/analytics-sink.md',
};

/** The page of a Markdown file, both relative to their root. Undefined: the file is no page. */
export function pageOf(file: string): string | undefined {
  if (file.startsWith('docs/')) return file.slice('docs/'.length).replace(/\bREADME\.md$/, 'index.md');
  const [, folder, name = ''] = OF_A_PACKAGE.exec(file) ?? [];
  if (folder === undefined) return AT_THE_ROOT[file];
  return name === 'README' ? `${folder}.md` : `${folder}/${name.toLowerCase()}.md`;
}
