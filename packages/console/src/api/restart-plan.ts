/** What Connect answers to a restart with tasks: those to restart are `RESTARTING`. */
export interface RestartPlan {
  readonly connector: { readonly state: string };
  readonly tasks: readonly { readonly id: number; readonly state: string }[];
}
