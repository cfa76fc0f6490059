/**
 * Loaded before Azurite: exits when the parent process exits, and reports the port, which the table service does not
 * report if it chooses the port itself.
 */
const { Server } = require('node:net');

process.stdin.on('end', () => process.exit(0)).resume();

const { listen } = Server.prototype;
Server.prototype.listen = function (...given) {
  this.once('listening', () => process.stdout.write(`port ${this.address().port}\n`));
  return listen.apply(this, given);
};
