/** Plugins for tests that edit them while they run. Each marks its records with a version. */

const manifest = (type: string, className: string, more: object = {}): string =>
  JSON.stringify({ name: 'edited', version: '1.0.0', ...more, millrace: { plugins: [{ type, class: className }] } });

/** An ES module that imports the version from another file. Values are `VERSION NUMBER`. */
export const SOURCE = (version: string, className = 'com.example.EditedSource'): Record<string, string> => ({
  'label.js': `export const label = '${version}';\n`,
  'index.js': `
import { setTimeout as sleep } from 'node:timers/promises';
import { label } from './label.js';
const partition = { source: 'edited' };
class Task {
  async start(config, context) {
    this.config = config;
    this.signal = context.signal;
    this.count = Number((await context.offsets.offset(partition))?.count ?? 0);
  }
  async poll() {
    await sleep(20, undefined, { signal: this.signal }).catch(() => undefined);
    if (this.signal.aborted) return this.config['hang.in.stop'] ? await new Promise(() => undefined) : null;
    const count = this.count + 1;
    const record = { topic: this.config.topic, keySchema: null, key: null, valueSchema: null, value: label + ' ' + count };
    this.count = count;
    return [{ ...record, sourcePartition: partition, sourceOffset: { count } }];
  }
  stop() {}
}
export default { type: 'source', config: [], createTask: () => new Task() };
`,
  'package.json': manifest('source', className, { type: 'module' }),
});

/** A CommonJS module. Lines are `VERSION NUMBER VALUE`. */
export const SINK = (version: string): Record<string, string> => ({
  'index.js': `
const { appendFileSync } = require('node:fs');
class Task {
  start(config) { this.file = config.file; }
  async put(records) {
    appendFileSync(this.file, records.map(({ value }) => '${version} ' + / (\\d+)/.exec(value)[1] + ' ' + value + '\\n').join(''));
  }
  stop() {}
}
module.exports = { type: 'sink', config: [], createTask: () => new Task() };
`,
  'package.json': manifest('sink', 'com.example.EditedSink'),
});

export const TRANSFORMATION = (version: string): Record<string, string> => ({
  'index.js': `
module.exports = {
  type: 'transformation',
  config: [],
  create: () => ({ configure() {}, apply: (record) => ({ ...record, value: record.value + ' mark-${version}' }) }),
};
`,
  'package.json': manifest('transformation', 'com.example.Mark'),
});
