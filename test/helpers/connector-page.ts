/** The files in docs/writing-a-connector.md, unchanged. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../dev/services/paths';

interface ShownFile {
  readonly name: string;
  readonly text: string;
}

export function connectorPage(): ShownFile[] {
  const page = readFileSync(join(ROOT, 'docs', 'writing-a-connector.md'), 'utf8');
  const blocks = page.matchAll(/```\w+ file=(\S+)\n([\s\S]*?)```/g);
  return [...blocks].map(([, name = '', text = '']) => ({ name, text }));
}

/** Writes them into the folder of a plugin. */
export function writeConnectorPage(folder: string): void {
  for (const { name, text } of connectorPage()) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
