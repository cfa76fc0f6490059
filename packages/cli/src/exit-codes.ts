/** Exit codes of all commands. They are stable: scripts depend on them. Listed in docs/cli.md. */
export const EXIT = {
  success: 0,
  /** The command was carried out in part, or not at all. */
  failed: 1,
  /** The command line is wrong; nothing was done. */
  usage: 2,
  /** The REST API, Kafka or a database does not answer. */
  unreachable: 3,
  /** What the command line names does not exist. */
  notFound: 4,
  /** The question was answered, and it is no: a difference, an invalid config, a finding, a failed task, bad health. */
  no: 5,
  /** 128 + SIGINT, as shells expect. */
  interrupted: 130,
} as const;
