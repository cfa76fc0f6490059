/** Plugins as `GET /connector-plugins?connectorsOnly=false` lists them, and where they are if the worker says so. */
import type { ConnectClient } from '../rest/connect-client';
import { listOf, objectOf, textOf } from '../rest/reply';
import { byName } from './name-pattern';

export interface Plugin {
  readonly class: string;
  /** `source`, `sink`, `converter`, `header_converter`, `transformation` or `predicate`. */
  readonly type: string;
  /** Empty if unknown. */
  readonly version: string;
  /** Folder or jar, or `built-in`. Absent, as the following: a worker of Java does not tell. */
  readonly location?: string;
  readonly runsIn?: RunsIn;
  /** What the setting of its version has to be for it. Null: none is needed. Absent, too: nothing selects it. */
  readonly selectedBy?: string | null;
}

export type RunsIn = 'node' | 'jvm';

/** Java's workers ignore the second parameter. */
const LIST = '/connector-plugins?connectorsOnly=false&locations=true';

/** All plugins of the worker that answers, sorted by class. A class that is of several types is there several times. */
export async function readPlugins(client: ConnectClient): Promise<readonly Plugin[]> {
  return listOf(await client.request(LIST), `GET ${LIST}`)
    .map((entry) => objectOf(entry, `GET ${LIST}`))
    .map((entry) => ({
      ...{ class: textOf(entry.class), type: textOf(entry.type), version: textOf(entry.version) },
      ...placeOf(entry),
    }))
    .sort(byName((plugin) => `${plugin.class} ${plugin.type}`));
}

function placeOf({ location, runs_in: runsIn, selected_by: selectedBy }: Readonly<Record<string, unknown>>) {
  return {
    ...(typeof location === 'string' && { location }),
    ...((runsIn === 'node' || runsIn === 'jvm') && { runsIn }),
    ...((typeof selectedBy === 'string' || selectedBy === null) && { selectedBy }),
  } satisfies Partial<Plugin>;
}

export function runsInText(runsIn: RunsIn | null | undefined): string {
  return runsIn === 'jvm' ? 'JVM' : runsIn === 'node' ? 'Node.js' : '';
}

/** Connect accepts `FileStreamSink` for `org.apache.kafka.connect.file.FileStreamSinkConnector`. */
export function classNamed(plugins: readonly Plugin[], text: string): string {
  const found = plugins.find((plugin) => simpleName(plugin) === text || aliasOf(plugin) === text);
  return text.includes('.') ? text : (found?.class ?? text);
}

/** The short name that a config may use instead of the class. */
export function aliasOf(plugin: Plugin): string {
  const isConnector = plugin.type === 'source' || plugin.type === 'sink';
  return isConnector ? simpleName(plugin).replace(/(?<=.)Connector$/, '') : simpleName(plugin);
}

function simpleName({ class: className }: Plugin): string {
  return className.slice(className.lastIndexOf('.') + 1);
}
