/**
 * Preloaded into the worker of warm-up.js and into its threads: once the file KEEP_CODE_NOW exists, it writes the
 * bytecode of each bundle that it has loaded, with the functions that have run.
 */
const { existsSync, renameSync, statSync, writeFileSync } = require('node:fs');
const vm = require('node:vm');
const { codeCachePath } = require('../../dist/bundle/programs');

vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    const path = codeCachePath(options.filename, source);
    const timer = setInterval(() => {
      if (!existsSync(process.env.KEEP_CODE_NOW)) return;
      clearInterval(timer);
      const temporary = `${path}.${process.pid}.${require('node:worker_threads').threadId}.tmp`;
      const code = this.createCachedData();
      // Of several threads, the one in which most of it has run.
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= code.length) return;
      writeFileSync(temporary, code);
      renameSync(temporary, path);
    }, 20).unref();
  }
};
