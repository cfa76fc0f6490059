/**
 * A source without records whose `tasks` tasks show that they run: while a task polls, it writes its `version` to the
 * file `<connector>~<task>~<process id>` of the folder `beats`.
 */
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');

exports.source = {
  type: 'source',
  config: [],
  taskCountKey: 'tasks',
  createTask() {
    let beat;
    return {
      start({ beats, version }, { connector, task }) {
        const file = join(beats, `${connector}~${task}~${process.pid}`);
        beat = () => writeFileSync(file, version);
      },
      async poll() {
        beat();
        await new Promise((resolve) => setTimeout(resolve, 250));
        return null;
      },
      stop() {},
    };
  },
};
