/** Loaded before a child's own program: standard input is a pipe from the parent, and its end is the child's. */
process.stdin.on('end', () => process.exit(0)).resume();
