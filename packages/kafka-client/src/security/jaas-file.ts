/** Sections of a JAAS file: `Name { LoginModuleClass required key="value"; … };`. Pure. */
import { JaasTokens, type JaasEntry, type JaasError } from './jaas-tokens';

/** Login modules by section, in their order. Throws an error of `invalid`, which never repeats any value. */
export function parseJaasFile(source: string, invalid: JaasError): ReadonlyMap<string, readonly JaasEntry[]> {
  const tokens = new JaasTokens(source.replace(/^\uFEFF/, ''), invalid, true);
  const sections = new Map<string, readonly JaasEntry[]>();
  while (!tokens.isAtEnd) {
    const name = tokens.next();
    if (name?.kind !== 'word' && name?.kind !== 'quoted') throw invalid('must start with the name of a section');
    if (sections.has(name.text)) throw invalid(`has the section ${name.text} twice`);
    if (tokens.next()?.kind !== '{') throw invalid(`needs '{' after the name of the section ${name.text}`);
    const entries: JaasEntry[] = [];
    while (tokens.kind !== '}') {
      if (tokens.isAtEnd) throw invalid(`does not close the section ${name.text} with '};'`);
      entries.push(tokens.entry());
    }
    tokens.next();
    if (tokens.next()?.kind !== ';') throw invalid(`needs ';' after the '}' of the section ${name.text}`);
    sections.set(name.text, entries);
  }
  return sections;
}
