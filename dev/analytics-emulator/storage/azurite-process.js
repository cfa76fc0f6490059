/**
 * Loaded before Azurite: ends it with who started it, and says the port, which its table service does not where it may
 * choose.
 */
const { Server } = require('node:net');

process.stdin.on('end', () => process.exit(0)).resume();

const { listen } = Server.prototype;
Server.prototype.listen = function (...given) {
  this.once('listening', () => process.stdout.write(`port ${this.address().port}\n`));
  return listen.apply(this, given);
};
