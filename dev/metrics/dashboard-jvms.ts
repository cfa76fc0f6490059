/** The row of JVMs. Without plugins in jars it has no data, and shows no zeros. */
import { about, critical, graph, perSecond, query, type Row, stat, warning, WORKER } from './dashboard-panels';

const jvm = (name: string): string => `millrace_jvm_${name}{${WORKER}}`;
/** A connector with a heap of its own has a JVM of its own; the others of its folder share one. */
const JVM = '{{instance}} {{folder}} {{connector}}';

export const JVMS: Row = {
  title: 'JVMs of plugins in jars',
  panels: [
    stat('JVMs up', 'none', `sum(${jvm('up')})`),
    about(critical('MillraceJvmSilent', 60), stat('Longest silence of a JVM', 's', `max(${jvm('silent_seconds')})`)),
    about(
      warning('MillraceJvmRestarts', 2),
      graph('Restarts in 30 minutes', 'none', query(`increase(${jvm('restarts_total')}[30m])`, JVM)),
    ),
    about(
      warning('MillraceJvmThreadsHang', 0),
      graph('Threads that do not end', 'none', query(`${jvm('hung_threads')} > 0`, JVM)),
    ),
    about(critical('MillraceJvmSilent', 60), graph('Silence of a JVM', 's', query(jvm('silent_seconds'), JVM))),
    about(
      warning('MillraceJvmHeapNearLimit', 0.85),
      graph(
        'Heap in use, of its limit',
        'percentunit',
        query(`${jvm('heap_used_bytes')} / ${jvm('heap_max_bytes')}`, JVM),
      ),
    ),
    graph('Heap', 'bytes', query(jvm('heap_used_bytes'), `${JVM} used`), query(jvm('heap_max_bytes'), `${JVM} limit`)),
    graph(
      'Memory of JVMs',
      'bytes',
      query(jvm('resident_memory_bytes'), `${JVM} process`),
      query(jvm('non_heap_used_bytes'), `${JVM} classes and code`),
    ),
    graph('CPU cores of JVMs', 'short', query(perSecond(jvm('cpu_seconds_total')), JVM)),
    graph('Garbage collection of JVMs', 'percentunit', query(perSecond(jvm('gc_seconds_total')), JVM)),
    graph('Threads of JVMs', 'none', query(jvm('threads'), JVM)),
    graph('Sessions of JVMs', 'none', query(jvm('sessions'), JVM)),
  ],
};
