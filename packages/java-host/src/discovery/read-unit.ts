/** Reads the service files and versions of a unit: of its jars, or of its folder of classes. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf, readRegularFile } from '@millrace/sdk';
import type { Entry } from 'yauzl';
import type { JarProblem, JavaUnit } from '../java-plugin';
import { withJar } from './jar-file';
import type { Service } from './services';
import { implementationVersion, MANIFEST, UNDEFINED_VERSION, versionInName } from './jar-version';
import { classFile, parseServiceFile, SERVICE_NAMES, SERVICES, serviceType, type ServiceType } from './service-files';

/** Bytes. */
const MAX_SERVICE_FILE = 1024 * 1024;
/** The main section comes first; signatures of single entries may follow for megabytes. Bytes. */
const MANIFEST_START = 64 * 1024;
const MAX_CLASSES = 10_000;

/** A jar, or a folder of classes. */
interface Place {
  readonly path: string;
  readonly version: string;
  /** That its service files name. */
  readonly services: readonly Omit<Service, 'version'>[];
}

export interface UnitContents {
  /** With the version of the jar that has the class. */
  readonly services: readonly Service[];
  readonly problems: readonly JarProblem[];
}

/** Never rejects: what cannot be read is a problem, and the others are read. */
export async function readUnit(unit: JavaUnit): Promise<UnitContents> {
  const { location } = unit;
  const problems: JarProblem[] = [];
  const report = (path: string, reason: string): void =>
    void problems.push({ location, message: `The Java plugins in ${path} are not found: ${reason}` });
  const places = await readPlaces(unit, report);
  const found = new Map<string, Service>();
  for (const place of places) {
    const services = place.services.filter(({ type, class: name }) => !found.has(`${type} ${name}`));
    const versions = await versionsOf(new Set(services.map((service) => service.class)), place, places);
    for (const service of services) {
      const version = versions.get(service.class);
      if (version === undefined) report(place.path, `it names ${service.class}, which no jar of ${location} has.`);
      else if (found.size < MAX_CLASSES) found.set(`${service.type} ${service.class}`, { ...service, version });
    }
  }
  return { services: [...found.values()], problems };
}

/** Of the jars that have the classes. Never rejects. */
export async function classVersions(
  unit: JavaUnit,
  classes: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  if (classes.size === 0) return new Map();
  const [first, ...others] = await readPlaces(unit, () => undefined);
  return first === undefined ? new Map() : await versionsOf(new Set(classes), first, others);
}

type Report = (path: string, reason: string) => void;

async function readPlaces({ location, classPath }: JavaUnit, report: Report): Promise<Place[]> {
  const places: Place[] = [];
  for (const path of classPath) {
    try {
      places.push(path === location && !isJar(path) ? await readFolder(path, report) : await readJar(path, report));
    } catch (error) {
      report(path, `it cannot be read as a jar: ${messageOf(error)}.`);
    }
  }
  return places;
}

const isJar = (path: string): boolean => /\.(?:jar|zip)$/i.test(path);

async function readJar(path: string, report: Report): Promise<Place> {
  return await withJar(path, async (jar) => {
    const files = new Map<string, Entry>();
    await jar.entries((name, entry) => {
      if (name === MANIFEST || serviceType(name) !== null) files.set(name, entry);
      return true;
    });
    const read = async (name: string, limit: number) => {
      const entry = files.get(name);
      return entry === undefined ? null : await jar.read(entry, limit);
    };
    const manifest = await read(MANIFEST, MANIFEST_START);
    const texts = new Map<string, string>();
    for (const name of files.keys()) {
      if (name === MANIFEST) continue;
      const content = await read(name, MAX_SERVICE_FILE);
      if (content?.isWhole === true) texts.set(name, content.bytes.toString('utf8'));
      else report(path, `${name} has more than ${MAX_SERVICE_FILE} bytes.`);
    }
    return place(path, manifest?.bytes.toString('utf8') ?? '', texts, report);
  });
}

async function readFolder(path: string, report: Report): Promise<Place> {
  const read = async (name: string): Promise<string | null> => {
    const file = join(path, name);
    try {
      return existsSync(file) ? (await readRegularFile(file, MAX_SERVICE_FILE)).toString('utf8') : null;
    } catch (error) {
      report(path, `${name} cannot be read: ${messageOf(error)}.`);
      return null;
    }
  };
  const texts = new Map<string, string>();
  for (const name of SERVICE_NAMES) {
    const text = await read(SERVICES + name);
    if (text !== null) texts.set(SERVICES + name, text);
  }
  return place(path, (await read(MANIFEST)) ?? '', texts, report);
}

function place(path: string, manifest: string, texts: ReadonlyMap<string, string>, report: Report): Place {
  const services = [...texts].flatMap(([name, text]) => {
    const { classes, fault } = parseServiceFile(text);
    if (fault !== null) report(path, `${name} has a line that is not a class name: ${JSON.stringify(fault)}.`);
    return classes.map((one) => ({ type: serviceType(name) as ServiceType, class: one }));
  });
  const version = implementationVersion(manifest) ?? versionInName(basename(path)) ?? UNDEFINED_VERSION;
  return { path, version, services };
}

/** Versions of the jars that have the classes: usually the one that names them. */
async function versionsOf(
  classes: Set<string>,
  declaring: Place,
  places: readonly Place[],
): Promise<ReadonlyMap<string, string>> {
  const versions = new Map<string, string>();
  for (const { path, version } of [declaring, ...places.filter((one) => one !== declaring)]) {
    if (classes.size === 0) break;
    for (const found of await classesIn(path, classes)) {
      versions.set(found, version);
      classes.delete(found);
    }
  }
  return versions;
}

async function classesIn(path: string, classes: ReadonlySet<string>): Promise<string[]> {
  const byFile = new Map([...classes].map((name) => [classFile(name), name]));
  if (!isJar(path)) return [...byFile].filter(([file]) => existsSync(join(path, file))).map(([, name]) => name);
  const found = new Set<string>();
  await withJar(path, (jar) =>
    jar.entries((name) => {
      const one = byFile.get(name);
      if (one !== undefined) found.add(one);
      return found.size < byFile.size;
    }),
  ).catch(() => undefined);
  return [...found];
}
