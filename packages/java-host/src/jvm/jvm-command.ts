/** The command line of a JVM. Pure. */

const MAIN_CLASS = 'io.millrace.host.Main';

/** Plugins set others; the last of two options counts. */
const DEFAULTS: readonly string[] = [
  // One plugin's few threads, and often many JVMs on a machine: the others keep a thread for each core, and memory.
  '-XX:+UseSerialGC',
  // Java would go on with a thread that has ended anywhere.
  '-XX:+ExitOnOutOfMemoryError',
  // A file that is written all the time, in a folder that all users share.
  '-XX:-UsePerfData',
  '-Djava.awt.headless=true',
  // Otherwise that of the system, which in containers often is ASCII. Java's own default since 18.
  '-Dfile.encoding=UTF-8',
  '-Dstdout.encoding=UTF-8',
  '-Dstderr.encoding=UTF-8',
];

/** Otherwise Java begins with a 64th of the machine's memory, and uses a third of that before it collects anything. */
const INITIAL_HEAP_MB = 64;
/** Options that may set a limit below it: the JVM would not start. */
const HEAP_OPTION = /^-Xm[sx]|^-XX:(?:(?:Min|Max|Initial)(?:Heap|RAM))/;

export interface JvmCommand {
  /** The jars of the package: Kafka's API with the host, and Kafka's own converters and transformations. */
  readonly jars: { readonly api: readonly string[]; readonly kafka: readonly string[] };
  /** Of the plugin. */
  readonly classPath: readonly string[];
  /** Of the worker, then of the plugin's folder. */
  readonly options: readonly string[];
  /** The worker's. Options may have another one. */
  readonly heapMb: number;
  /** A connector's: before all others. */
  readonly ownHeapMb: number | null;
  readonly tmp: string;
  readonly socketPath: string;
}

/** The text of the file whose name after an `@` is Java's only argument: other users see that of all processes. */
export function argumentFile(command: JvmCommand): string {
  const { jars, classPath, options, heapMb, ownHeapMb, tmp, socketPath } = command;
  const all = [
    ...DEFAULTS,
    `-Djava.io.tmpdir=${tmp}`,
    // Not in the worker's folder: a plugin may crash often. Its first lines are in the log.
    `-XX:ErrorFile=${tmp}/hs_err_%p.log`,
    ...(options.some((option) => HEAP_OPTION.test(option)) ? [] : [initialHeap(ownHeapMb ?? heapMb)]),
    `-Xmx${heapMb}m`,
    ...options,
    ...(ownHeapMb === null ? [] : [`-Xmx${ownHeapMb}m`]),
    '-cp',
    // The API first, so that a plugin's copy of it does not replace it; Kafka's plugins last, so that its own do.
    [...jars.api, ...classPath, ...jars.kafka].join(':'),
    MAIN_CLASS,
    socketPath,
  ];
  return all.map((argument) => `${quoted(argument)}\n`).join('');
}

function initialHeap(limitMb: number): string {
  return `-Xms${Math.min(INITIAL_HEAP_MB, limitMb)}m`;
}

/** Java reads backslashes and quotes in it, and a # outside of quotes begins a comment. */
function quoted(argument: string): string {
  const escaped = argument
    .replace(/["\\]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`);
  return `"${escaped}"`;
}
