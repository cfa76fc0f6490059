/** Settings for plugins in jars, and for the JVMs that run them. All are Millrace's. */
import { atLeast, between, settingsOf } from './setting';

const java = settingsOf('Java plugins');

export const JAVA_SETTINGS = {
  home: java.text('java.home', null, {
    doc: 'Millrace only. Folder of the Java that runs plugins in jars, version 17 or newer. (Default: `JAVA_HOME`, or else the `java` on the `PATH`)',
    read: (home) => home || null,
  }),
  options: java.text('jvm.options', '', {
    doc: 'Millrace only. Options of all JVMs, with spaces between them. Those in a file `jvm.options` of a plugin’s folder come after them.',
  }),
  heapMb: java.int('jvm.heap.mb', 512, {
    doc: 'Millrace only. Heap limit of a JVM in MiB, unless its folder or the connector sets its own.',
    check: atLeast(16),
  }),
  maxHeapMb: java.int('jvm.heap.max.mb', 4096, {
    doc: 'Millrace only. Largest `jvm.heap.mb` that a connector may set.',
    check: atLeast(16),
  }),
  environment: java.list('jvm.environment', [], {
    doc: 'Millrace only. Names of environment variables that JVMs get besides `PATH`, `HOME`, `USER`, `LOGNAME`, `TZ`, `JAVA_HOME`, `LD_LIBRARY_PATH` and those of the language; with `*` at the end, all that begin so, e.g. `AWS_*`. Variables that begin with `CONNECT_`, `KAFKA_` or `MILLRACE_` stay with the worker.',
  }),
  startTimeoutMs: java.long('jvm.start.timeout.ms', 60_000, {
    doc: 'Millrace only. How long the start of a JVM may take before it is ended and its tasks fail.',
    check: between(1_000, 240_000),
  }),
  idleMs: java.long('jvm.idle.timeout.ms', 45_000, {
    doc: 'Millrace only. How long a JVM that nothing uses stays.',
    check: atLeast(0),
  }),
  silenceMs: java.long('jvm.silence.ms', 120_000, {
    doc: 'Millrace only. How long a JVM may be unresponsive before it is killed. 0: no limit.',
    check: atLeast(0),
  }),
  maxJvms: java.int('jvm.max.count', null, {
    doc: 'Millrace only. How many JVMs may run at once. (Default: no limit)',
    check: atLeast(1),
  }),
  mbeanDomains: java.list('jvm.metrics.domains', ['debezium.*', 'kafka.connect*'], {
    doc: 'Millrace only. Domains of MBeans whose numbers are in `GET /metrics`; with `*` at the end, all that begin so.',
  }),
};
