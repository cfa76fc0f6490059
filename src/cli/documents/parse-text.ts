/** Parses the text of a file by its format. Pure. */
import { extname } from 'node:path';
import { parseProperties } from '../../config/properties';
import { parseYaml } from './parse-yaml';

type Format = 'yaml' | 'properties';

/** JSON is a part of YAML. */
const FORMATS: Readonly<Record<string, Format>> = {
  '.json': 'yaml',
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.properties': 'properties',
};

export function isDocumentFile(path: string): boolean {
  return Object.hasOwn(FORMATS, extname(path).toLowerCase());
}

/**
 * The documents of a file. The extension names the format; otherwise, and for standard input, the first line does.
 * @throws Error with a reason and the line
 */
export function parseText(file: string, text: string): unknown[] {
  const format = FORMATS[extname(file).toLowerCase()] ?? formatOf(text);
  return format === 'properties' ? [parseProperties(text)] : parseYaml(text.replace(/^\uFEFF/, ''));
}

function formatOf(text: string): Format {
  for (const line of text.split(/\r?\n/)) {
    const content = line.trim();
    if (content === '' || content.startsWith('#')) continue;
    return /^[^\s:=[{"'-][^\s:=]*\s*=/.test(content) ? 'properties' : 'yaml';
  }
  return 'yaml';
}
