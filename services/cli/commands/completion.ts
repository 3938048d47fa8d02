import type { Verb, VerbTable } from '../verb.ts';

/** Lists what may follow the words so far: `sources` → its verbs, `sources list` → its options. */
function choices(table: VerbTable): [words: string, next: readonly string[]][] {
  const entries = Object.entries(table);
  return [
    ['', [...entries.map(([name]) => name), 'help', '--help', '--version']],
    ...entries.flatMap(([name, entry]): [string, string[]][] => {
      if (!('verbs' in entry)) return [[name, optionsOf(entry)]];
      const members = Object.entries(entry.verbs);
      return [
        [name, [...Object.keys(entry.verbs), 'help', '--help']],
        ...members.map(([member, verb]): [string, string[]] => [`${name} ${member}`, optionsOf(verb)]),
      ];
    }),
  ];
}

const optionsOf = (verb: Verb): string[] => [
  ...Object.keys(verb.options).map((option) => `--${option}`),
  ...['--json', '--utc', '--help'],
];

/** Names are of lower-case letters, digits and dashes: nothing is quoted. */
const cases = (table: VerbTable): string =>
  choices(table)
    .map(([words, next]) => `    '${words}') next='${next.join(' ')}' ;;`)
    .join('\n');

/**
 * Keeps the words before the cursor that name a verb: options do not, nor what stands behind them. `words` is zsh's own name, so it is
 * `verb` here.
 */
const chooseNext = (table: VerbTable): string => `  local word verb='' next='' index
  for ((index = first; index < current; index++)); do
    word="\${given[index]}"
    case "$word" in -*) break ;; esac
    case "$verb" in
      *' '* | ${verbsWithoutGroup(table).join(' | ')}) break ;;
    esac
    verb="\${verb:+$verb }$word"
  done
  case "$verb" in
${cases(table)}
  esac`;

const verbsWithoutGroup = (table: VerbTable): string[] =>
  Object.entries(table).flatMap(([name, entry]) => ('verbs' in entry ? [] : [name]));

export const bashCompletion = (table: VerbTable): string => `# hookline: completion for bash
_hookline() {
  local given=("\${COMP_WORDS[@]}") current=$COMP_CWORD first=1
${chooseNext(table)}
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
  # Values of options and arguments may be files.
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o filenames -F _hookline hookline ./hookline
`;

export const zshCompletion = (table: VerbTable): string => `#compdef hookline
# hookline: completion for zsh
_hookline() {
  local -a given
  given=("\${words[@]}")
  local current=$CURRENT first=2
${chooseNext(table)}
  compadd -- \${=next}
  # Values of options and arguments may be files.
  case "$next" in --*) _files ;; esac
}
compdef _hookline hookline ./hookline
`;
