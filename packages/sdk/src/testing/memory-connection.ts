import type { ConnectionProblem, TaskConnection } from '../task-connection';

/** What a task has said about its connection. */
export class MemoryConnection implements TaskConnection {
  /** Null: unknown, because the task has said nothing yet. */
  isUp: boolean | null = null;
  /** Of each call of `down`, the newest last. */
  readonly problems: ConnectionProblem[] = [];

  up(): void {
    this.isUp = true;
  }

  down(problem: ConnectionProblem): void {
    this.isUp = false;
    this.problems.push(problem);
  }
}
