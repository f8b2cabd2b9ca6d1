/** The shells that can complete our command lines. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

/** A candidate that stands for the files of the folder. */
export const FILES = ":files";

/** What each shell runs once: it asks `salvor completion SHELL --candidates` whenever somebody asks for a completion. */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_salvor() {
  local value what
  COMPREPLY=()
  while IFS=$'\\t' read -r value what; do
    if [[ $value == ${FILES} ]]; then compopt -o default; else COMPREPLY+=("$value"); fi
  done < <("\${COMP_WORDS[0]}" completion bash --candidates -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _salvor salvor`,
  zsh: `#compdef salvor
_salvor() {
  local value what
  local -a found
  while IFS=$'\\t' read -r value what; do
    if [[ $value == ${FILES} ]]; then _files; else found+=("\${value//:/\\\\:}\${what:+:$what}"); fi
  done < <("\${words[1]}" completion zsh --candidates -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && _describe salvor found
}
compdef _salvor salvor`,
  fish: `function __salvor_candidates
  set -l typed (commandline -opc) (commandline -ct)
  for line in ($typed[1] completion fish --candidates -- $typed[2..-1] 2>/dev/null)
    if test "$line" = "${FILES}"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c salvor -f -a '(__salvor_candidates)'`,
};
