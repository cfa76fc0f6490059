/** Records of the formats json and multijson, each as JSON text. Source: analytics-sink §3.2, §5.12. */
import { KustoError } from '../kusto-error';

/** One value a line; malformed lines are passed over. */
export function jsonLines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '' && isObject(line));
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/**
 * Values one after the other, whatever stands between their lines, or in one array. @throws KustoError when one is
 * malformed.
 */
export function multiJson(text: string): string[] {
  const values = topLevelValues(text);
  const [first] = values;
  // Its members are taken as they were written: a number may have more digits than JavaScript keeps.
  return values.length === 1 && first?.startsWith('[') ? topLevelValues(first.slice(1, -1)) : values;
}

function topLevelValues(text: string): string[] {
  const values: string[] = [];
  let depth = 0;
  let start = -1;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (inString) {
      if (char === '\\') at++;
      else if (char === '"') inString = false;
      continue;
    }
    if (depth === 0) {
      if (/[\s,]/.test(char)) continue;
      if (char !== '{' && char !== '[') throw invalid(`found '${char}' at character ${at}`);
      start = at;
    }
    if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) values.push(checked(text.slice(start, at + 1)));
  }
  if (depth > 0 || inString) throw invalid('the last record is not complete');
  return values;
}

function checked(value: string): string {
  if (!isObject(value)) throw invalid(`not valid JSON: ${value.slice(0, 100)}`);
  return value;
}

function invalid(why: string): KustoError {
  return new KustoError('BadRequest_InvalidBlob', `The data is not valid JSON: ${why}`);
}
