/** The installed versions of a plugin, and which one a config chooses. The worker decides; this only shows it. Pure. */

/** As `GET /connector-plugins?locations=true` lists it. */
export interface Plugin {
  readonly class: string;
  readonly type: string;
  readonly version?: string | null;
  /** Folder or jar, or `built-in`. */
  readonly location?: string;
  readonly runs_in?: 'node' | 'jvm';
  /** What the setting of its version has to be for it. Null: none is needed. Absent: nothing selects it. */
  readonly selected_by?: string | null;
}

export const VERSION_KEY = 'connector.plugin.version';

/** `a.b.C` as `C`. */
export function shortName(className: string): string {
  return className.split('.').pop() || className;
}

/** @param name as in `connector.class`: the class, or its last part with or without "Connector" */
export function installedOf(plugins: readonly Plugin[], name: string): readonly Plugin[] {
  const same = plugins.filter(({ class: className }) => className === name);
  if (same.length > 0) return same;
  const short = plugins.filter(({ class: className }) =>
    [shortName(className), shortName(className).replace(/(?<=.)Connector$/, '')].includes(name),
  );
  return new Set(short.map(({ class: className }) => className)).size === 1 ? short : [];
}

/** Null: unknown, for instance of a range. @param version value of `connector.plugin.version`; undefined: not set */
export function chosenOf(installed: readonly Plugin[], version: string | undefined): Plugin | null {
  const asked = version?.trim() ?? '';
  const isAny = asked === '' || asked === 'latest';
  return installed.find((one) => one.selected_by === (isAny ? null : exact(asked))) ?? null;
}

/** A bare version means exactly that one. */
function exact(version: string): string {
  return /^[[(]/.test(version) ? version : `[${version}]`;
}

export interface VersionChoices {
  /** Empty: the key is not set. */
  readonly value: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
}

/** The version that runs without the key first, then the others in the worker's order. */
export function choicesOf(installed: readonly Plugin[], version: string | undefined): VersionChoices {
  const chosen = chosenOf(installed, version);
  const value = chosen ? (chosen.selected_by ?? '') : (version ?? '');
  const choices = installed
    .filter(({ selected_by: selectedBy }) => selectedBy !== undefined)
    .map((one) => [one.selected_by ?? '', placeText(one)] as const)
    .sort(([a], [b]) => Number(a !== '') - Number(b !== ''));
  const isOffered = value === '' || chosen !== null;
  return { value, choices: isOffered ? choices : [...choices, [value, `${VERSION_KEY} = ${value}`]] };
}

export function runsInText(runsIn: 'node' | 'jvm' | null | undefined): string | null {
  return runsIn === 'jvm' ? 'JVM' : runsIn === 'node' ? 'Node.js' : null;
}

/** `3.4.0.Final · JVM · /usr/share/java/debezium`. */
export function placeText({ version, runs_in: runsIn, location }: Plugin): string {
  return [version ?? 'no version', runsInText(runsIn), location].filter((text) => text != null).join(' · ');
}

export function matches(plugin: Plugin, query: string): boolean {
  const text = `${plugin.class} ${plugin.type} ${placeText(plugin)}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
