import type { ProcessingTask, RecordProcessing, SinkTaskContext, SourceTaskContext } from '../../../packages/sdk/src';
import type { JavaPlugin } from '../../../packages/java-host/src/java-plugin';
import type { HostMap } from '../../../packages/java-host/src/wire/host-value';
import type { JvmKey, Jvms } from '../../../packages/java-host/src/jvm/jvms';
import { connectHost } from '../../../packages/java-host/src/connection/connect-host';
import type { ScriptedHost } from '../scripted-host';

export const plugin: JavaPlugin = {
  type: 'source',
  class: 'my.Connector',
  version: '1',
  location: '/plugins/my',
  classPath: ['/plugins/my/my.jar'],
};

export const processing: RecordProcessing = {
  steps: [
    {
      alias: 's',
      transformation: { name: 'my.Step', settings: { a: 'b' } },
      predicate: { alias: 'p', name: 'my.Predicate', settings: {} },
      negate: true,
    },
  ],
  key: { name: 'my.Key', settings: { x: 'y' } },
  value: { name: 'my.Value', settings: {} },
  header: { name: 'my.Header', settings: {} },
};

export const of: ProcessingTask = { connector: 'c', task: 2, config: { t: '1' }, connectorConfig: { c: '1' } };

export function jvmsOf(host: ScriptedHost): { jvms: Jvms; opened: [JvmKey, HostMap][] } {
  const opened: [JvmKey, HostMap][] = [];
  const jvms: Jvms = {
    open: (key, session, signal) => {
      opened.push([key, session]);
      return connectHost(host.path, session, { signal });
    },
  };
  return { jvms, opened };
}

/** What of a context a Java task uses. */
export function contextOf<C extends SourceTaskContext | SinkTaskContext>(
  members: Partial<C>,
): {
  context: C;
  abort: () => void;
  warnings: string[];
} {
  const aborter = new AbortController();
  const warnings: string[] = [];
  const context = {
    connector: 'c',
    task: 2,
    signal: aborter.signal,
    configs: () => ({ now: '1' }),
    logger: { warn: (message: string) => warnings.push(message) },
    exactlyOnce: false,
    transactionContext: null,
    errantRecordReporter: null,
    assignment: () => [],
    ...members,
  };
  return { context: context as unknown as C, abort: () => aborter.abort(), warnings };
}
