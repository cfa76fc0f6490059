/**
 * A source with `tasks` tasks that never produces a record, to test and measure what happens to tasks. Each start of a
 * task is a line with the process id in the file `journal`, if there is one.
 */
const fs = require('node:fs');

exports.source = {
  type: 'source',
  config: [],
  taskCountKey: 'tasks',
  createTask() {
    let wake = () => undefined;
    return {
      start({ journal }) {
        if (journal) fs.appendFileSync(journal, `${process.pid}\n`);
      },
      async poll() {
        await new Promise((resolve) => {
          const timer = setTimeout(resolve, 1_000);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        return null;
      },
      stop() {
        wake();
      },
    };
  },
};
