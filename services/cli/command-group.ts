import { type Command, CommandFailure, usageFailure } from './command.ts';

/** A command is loaded when it is run: none waits for what only another one needs. */
type Member = { summary: string } & ({ load(): Promise<Command> } | { group: Command });

/** A command that is made of others: `hookline` itself, and `hookline sources`. */
export function createCommandGroup(name: string, members: Readonly<Record<string, Member>>): Command {
  const width = Math.max(...Object.keys(members).map((member) => member.length));
  const lines = Object.entries(members).map(([member, { summary }]) => `  ${member.padEnd(width)}  ${summary}`);
  const help = [`usage: ${name} <command> [options]`, '', ...lines, '', `${name} <command> --help tells more.`].join(
    '\n',
  );

  return {
    help,
    async run([given, ...args]) {
      if (given === undefined) throw usageFailure(`which command?\n\n${help}`);
      if (given === 'help' || isHelp(given)) return show(help);
      const member = Object.hasOwn(members, given) ? members[given] : undefined;
      if (member === undefined) throw usageFailure(`there is no command \`${name} ${given}\`\n\n${help}`);
      if ('group' in member) return member.group.run(args);
      const command = await member.load();
      if (asksForHelp(args)) return show(command.help);
      return command.run(args).catch((error: unknown) => {
        if (!(error instanceof CommandFailure) || error.exitCode !== 2) throw error;
        const [usage = ''] = command.help.split('\n', 1);
        throw usageFailure(`${error.message}\n${usage}`);
      });
    },
  };
}

const isHelp = (arg: string): boolean => arg === '--help' || arg === '-h';

/** What stands behind `--` is no option any more. */
const asksForHelp = (args: readonly string[]): boolean =>
  args.slice(0, args.includes('--') ? args.indexOf('--') : args.length).some(isHelp);

function show(help: string): number {
  process.stdout.write(`${help}\n`);
  return 0;
}
