import type { CommandSpec } from '../program/command-spec';

export const command: CommandSpec = {
  name: 'completion',
  summary: 'print a script that completes commands in bash, zsh or fish',
  description: `Print a script that completes commands in bash, zsh or fish: commands, options, and the names of connectors, plugins, loggers and contexts. Names are asked of the worker, for a second at most.

bash: source <(millrace completion bash) in ~/.bashrc; in bash 3.2 of macOS: eval "$(millrace completion bash)"
zsh: source <(millrace completion zsh) in ~/.zshrc, after compinit
fish: millrace completion fish > ~/.config/fish/completions/millrace.fish`,
  arguments: [{ name: '<shell>', description: 'shell', choices: ['bash', 'zsh', 'fish'] }],
  examples: [{ command: 'completion bash > ~/.millrace-completion', explanation: 'The script for bash' }],
  load: () => require('../completion/completion') as typeof import('../completion/completion'),
};
