/**
 * Turns the table of verbs into a command line. Commander parses: it finds the verb, refuses what the verb does not have, suggests what was
 * meant, and writes the help. This file alone knows commander.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { isApiError, toCommandFailure } from './api-calls/failures.ts';
import { CommandFailure, usageFailure } from './command-failure.ts';
import { verbTable } from './commands/table.ts';
import { loadApiConfig } from './config.ts';
import type { Context, HostProcess } from './context.ts';
import { nameWrongFields } from './name-wrong-fields.ts';
import { inUtc } from './output/print.ts';
import type { OptionSpec, OptionSpecs, Values, Verb, VerbTable } from './verb.ts';

const mostColumns = 110;

/**
 * Runs the verb in the arguments, and resolves with the exit code.
 *
 * @throws CommandFailure for wrong usage, and for failures of the verb
 */
export async function runCommand(
  args: readonly string[],
  context: Context,
  table: VerbTable = verbTable,
): Promise<number> {
  let exitCode = 0;
  const addVerb = (parent: Command, name: string, verb: Verb): void => {
    const command = parent.command(name).summary(verb.summary).description(verb.description);
    if (verb.argument !== undefined)
      command.argument(verb.isArgumentOptional ? `[${verb.argument}]` : `<${verb.argument}>`);
    for (const [option, spec] of Object.entries(verb.options)) command.addOption(toOption(option, spec));
    command.option('--utc', 'show times in UTC, not in local time');
    command.option('--json', 'print JSON, for programs').action(async () => {
      const isInUtc = command.getOptionValue('utc') === true;
      const ownContext = isInUtc ? { ...context, screen: inUtc(context.screen) } : context;
      const running = verb.run(valuesOf(command, verb.options), argumentsOf(command, verb), ownContext);
      exitCode = await running.catch((thrown: unknown) => {
        const error = isApiError(thrown) ? toCommandFailure(thrown.failure, loadApiConfig(context).apiUrl) : thrown;
        if (!(error instanceof CommandFailure)) throw error;
        throw error.exitCode === 2
          ? withUsage(error.message, command)
          : nameWrongFields(error, Object.keys(verb.options));
      });
    });
  };

  const program = asGroup(new HooklineCommand(context.process, 'hookline')).version(
    readVersion(),
    '-V, --version',
    'print the version',
  );
  for (const [name, entry] of Object.entries(table)) {
    if (!('verbs' in entry)) addVerb(program, name, entry);
    else {
      const group = asGroup(program.command(name).summary(entry.summary).description(`${entry.summary}.`));
      for (const [member, verb] of Object.entries(entry.verbs)) addVerb(group, member, verb);
    }
  }
  await program.parseAsync(args, { from: 'user' }).catch((error: unknown) => {
    // Help and version have been printed when they are "thrown".
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  });
  return exitCode;
}

class HooklineCommand extends Command {
  private readonly host: HostProcess;

  constructor(host: HostProcess, name?: string) {
    super(name);
    this.host = host;
    this.helpOption('-h, --help', 'show this help');
    this.configureHelp({
      subcommandTerm: (command) => command.name(),
      styleTitle: (title) => title.toLowerCase(),
    });
    this.configureOutput({
      getOutHelpWidth: () => Math.min(host.stdout.columns ?? mostColumns, mostColumns),
      writeOut: (text) => void host.stdout.write(text),
      // run.ts prints the error.
      writeErr: () => undefined,
    });
    this.throwFailures();
  }

  private throwFailures(): this {
    return this.exitOverride((error) => {
      throw error.exitCode === 0 ? error : toUsageFailure(error, this);
    });
  }

  /** Commander copies the parent's exit callback too, which would show the parent's usage. */
  override copyInheritedSettings(source: Command): this {
    return super.copyInheritedSettings(source).throwFailures();
  }

  override createCommand(name?: string): Command {
    return new HooklineCommand(this.host, name);
  }

  /** Commander takes any next argument as an option's value. `--secret --json` is a mistake; `--secret=--json` is explicit. */
  override parseOptions(args: string[]): ReturnType<Command['parseOptions']> {
    const end = args.includes('--') ? args.indexOf('--') : args.length;
    const ownArgs = this.commands.length === 0 ? args.slice(0, end) : [];
    for (const [index, arg] of ownArgs.entries()) {
      const option = this.options.find((known) => known.required && known.long === arg);
      const isPreviousValue = this.options.some((known) => known.required && known.long === ownArgs[index - 1]);
      if (option !== undefined && !isPreviousValue && /^-./.test(args[index + 1] ?? ''))
        throw withUsage(`option '${option.flags}' argument missing`, this);
    }
    return super.parseOptions(args);
  }
}

/** Arguments after a verb's name are parsed by the verb, even `--`. */
const asGroup = (command: Command): Command =>
  command
    .usage('<command> [options]')
    .enablePositionalOptions()
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', () => `\n${nameOf(command)} <command> --help shows the options of a command.`);

function toOption(name: string, { kind, placeholder, help }: OptionSpec): Option {
  const option = new Option(kind === 'flag' ? `--${name}` : `--${name} <${placeholder}>`, help);
  return kind === 'list' ? option.argParser((value, before: string[] = []) => [...before, value]) : option;
}

/** Values by the verb's own names for its options; an absent flag is false. */
function valuesOf(command: Command, specs: OptionSpecs): Values<OptionSpecs> {
  const valueOf = (option: Option): unknown => command.getOptionValue(option.attributeName());
  const given = Object.fromEntries(
    // Commander takes `--no-open` for the opposite of an option `open`, which is true without it.
    command.options
      .filter((option) => option.name() !== 'utc')
      .map((option) => [option.name(), option.negate ? valueOf(option) === false : valueOf(option)]),
  );
  const flags = Object.keys(specs).filter((name) => specs[name]?.kind === 'flag');
  return {
    ...given,
    ...Object.fromEntries(['json', ...flags].map((name) => [name, given[name] === true])),
  } as Values<OptionSpecs>;
}

const argumentsOf = (command: Command, { argument }: Verb): Record<string, string> =>
  argument === undefined ? {} : { [argument]: command.args[0] ?? '' };

function toUsageFailure({ code, message }: CommanderError, command: Command): CommandFailure {
  if (code === 'commander.help') {
    const [first, second] = command.args;
    const problem = first === 'help' && second !== undefined ? `unknown command '${second}'` : 'missing command';
    return usageFailure(`${problem}\n\n${command.helpInformation().trimEnd()}`);
  }
  if (code === 'commander.excessArguments') {
    const unexpected = command.args[command.registeredArguments.length] ?? '';
    return withUsage(`unexpected argument '${unexpected}'`, command);
  }
  return withUsage(message.replace(/^error: /, ''), command);
}

const withUsage = (message: string, command: Command): CommandFailure =>
  usageFailure(`${message}\nusage: ${command.createHelp().commandUsage(command)}`);

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;

function readVersion(): string {
  const file = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  return (JSON.parse(file) as { version: string }).version;
}
