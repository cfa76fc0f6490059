/** `millrace completion`: the scripts of shells. */
import type { Invocation, VerbSpec } from '../program/command-spec';

export const command: VerbSpec = {
  name: 'completion',
  description: `Print a script that completes commands in bash, zsh or fish: commands, options, and the names of connectors, plugins, loggers and contexts. Names are asked of the worker, for a second at most.

bash: source <(millrace completion bash) in ~/.bashrc; in bash 3.2 of macOS: eval "$(millrace completion bash)"
zsh: source <(millrace completion zsh) in ~/.zshrc, after compinit
fish: millrace completion fish > ~/.config/fish/completions/millrace.fish`,
  arguments: [{ name: '<shell>', description: 'shell', choices: ['bash', 'zsh', 'fish'] }],
  examples: [{ command: 'completion bash > ~/.millrace-completion', explanation: 'The script for bash' }],
  run,
};

function run({ args, io }: Invocation): number {
  io.stdout.write(SCRIPTS[args[0] as keyof typeof SCRIPTS]);
  return 0;
}

/** The scripts of `millrace completion`. They ask `millrace __complete` what can follow. */

/** Also for bash 3.2 of macOS, which has neither `mapfile` nor `compopt`. */
const BASH = `# Completion of millrace for bash.
_millrace() {
  local reply replies
  COMPREPLY=()
  replies=$(millrace __complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null </dev/null) || return 0
  if [ "$replies" = $'\\t:files' ]; then
    compopt -o default 2>/dev/null
    return 0
  fi
  while IFS= read -r reply; do
    [ -z "$reply" ] || COMPREPLY+=("$reply")
  done <<<"$replies"
}
complete -F _millrace millrace
`;

const ZSH = `#compdef millrace
# Completion of millrace for zsh.
_millrace() {
  local line word
  local -a lines candidates
  lines=("\${(@f)$(millrace __complete words "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  if [[ $lines[1] == $'\\t:files' ]]; then
    _files
    return
  fi
  for line in $lines; do
    # _describe ends the word at a colon and removes backslashes.
    word=\${line%%$'\\t'*}
    word=\${\${word//\\\\/\\\\\\\\}//:/\\\\:}
    [[ $line == *$'\\t'* ]] && word+=":\${line#*$'\\t'}"
    candidates+=("$word")
  done
  _describe millrace candidates
}
if [ "$funcstack[1]" = "_millrace" ]; then
  _millrace
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _millrace millrace
fi
`;

const FISH = `# Completion of millrace for fish.
function __millrace_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l lines (millrace __complete words $words "$current" 2>/dev/null </dev/null)
    if test "$lines[1]" = \\t:files
        __fish_complete_path "$current"
    else if set -q lines[1]
        printf '%s\\n' $lines
    end
end
complete -c millrace -f -a '(__millrace_complete)'
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
