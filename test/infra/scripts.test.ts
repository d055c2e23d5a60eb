import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import { help } from '../../infra/tools/help.ts';
import { scriptGroups } from '../../infra/tools/scripts.ts';
import { runScript } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const scripts: Record<string, string> = JSON.parse(readFileSync('package.json', 'utf8')).scripts;

/** Other people's programs, which read what follows the name of the script. */
const foreign: Record<string, string> = {
  check: 'a list of scripts',
  'check:client': 'tsc',
  'check:openapi': 'redocly, after npm run openapi',
  'check:style': 'biome',
  'check:types': 'tsc',
  'check:unused': 'knip',
  client: 'npm',
  format: 'biome',
  sbom: 'npm',
  synth: 'cdk',
  test: 'vitest',
};

const own = Object.keys(scripts).filter((name) => !(name in foreign));

/** Loads the command of a script of the form `node <file> [subcommand]`, and its subcommands. */
async function commandsOf(script: string): Promise<CommandUnknownOpts[]> {
  const file = /^node (\S+\.ts)(?: [\w-]+)?$/.exec(scripts[script] ?? '')?.[1] ?? '';
  const source = readFileSync(file, 'utf8');
  const exported = Object.entries(await import(resolve(file)));
  const [name, command] = exported.find(([, value]) => value instanceof Command) ?? [];
  expect(source).toMatch(
    new RegExp(`^if \\(import\\.meta\\.main\\)[^}]* await runCommand\\(${name}\\);`, 'm'),
  );
  const found = command as CommandUnknownOpts;
  return [found, ...found.commands];
}

/** The names that lead to a subcommand, and the options that it requires. */
function argumentsFor(command: CommandUnknownOpts): string[] {
  const required = command.options
    .filter(({ mandatory }) => mandatory)
    .flatMap(({ long, argChoices }) => [long ?? '', argChoices?.[0] ?? '2026-11-20T16:00:00Z']);
  return [...(command.parent ? [command.name()] : []), ...required];
}

describe('npm run', () => {
  it.each(own)(
    '%s prints its usage with --help, and exits with 2 for an unknown option',
    async (script) => {
      const [main, ...subcommands] = await commandsOf(script);
      if (!main) throw new Error(`${script} exports no command.`);

      for (const command of [main, ...subcommands]) {
        const args = argumentsFor(command);
        const helped = await runCommandHere(main, [...args, '--help']);
        const refused = await runCommandHere(main, [...args, '--no-such-option=x']);

        expect(helped).toMatchObject({ exitCode: 0, stderr: '' });
        expect(helped.stdout).toMatch(/^Usage: npm (run )?[\w:-]+ -- /);
        expect(helped.stdout.replaceAll(/\s+/g, ' ')).toContain(command.description());
        expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
        expect(refused.stderr).toContain("error: unknown option '--no-such-option=x'\n");
      }
    },
  );

  it('starts every script of its own by its file', () => {
    for (const name of own) expect(scripts[name]).toMatch(/^node \S+\.ts( drill)?$/);
  });

  it('help lists every script of package.json, in groups', async () => {
    const { stdout } = await runCommandHere(help, []);

    const listed = Object.values(scriptGroups).flatMap(Object.keys);
    expect(listed.sort()).toEqual(Object.keys(scripts).sort());
    for (const [title, group] of Object.entries(scriptGroups)) {
      expect(stdout).toContain(`${title}\n`);
      for (const [name, text] of Object.entries(group)) {
        expect(stdout).toContain(`\n  ${name} `);
        expect(stdout).toContain(`  ${text}\n`);
      }
    }
  });

  it('suggests the option and the subcommand that were meant', async () => {
    const [start] = await commandsOf('start');
    const [keys] = await commandsOf('keys');

    const option = await runCommandHere(start as CommandUnknownOpts, ['--prot', '1']);
    const subcommand = await runCommandHere(keys as CommandUnknownOpts, ['creat']);

    expect(option).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('(Did you mean --port?)'),
    });
    expect(subcommand).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('(Did you mean create?)'),
    });
  });

  it('never prints an API key that was typed as something else', async () => {
    const [keys] = await commandsOf('keys');
    const typed = `--id=ps_local_${'a'.repeat(49)}`;

    const { exitCode, stderr } = await runCommandHere(keys as CommandUnknownOpts, [
      'list',
      '--stage',
      'local',
      typed,
    ]);

    expect(stderr).toContain("unknown option '--id=ps_***'");
    expect(exitCode).toBe(2);
  });

  it('passes arguments, output and exit code on', async () => {
    const refused = await runScript('audit', ['--quick']);

    expect(refused).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining("unknown option '--quick'"),
    });
  });
});

describe('npm run bench:load', () => {
  it.each(['many', '0', '-1', '1.5', ''])('refuses %j clients', async (clients) => {
    const [load] = await commandsOf('bench:load');

    const { exitCode, stderr } = await runCommandHere(load as CommandUnknownOpts, [
      `--clients=${clients}`,
    ]);

    expect(stderr).toContain(
      `argument '${clients}' is invalid. It takes a whole number from 1 to 10000.`,
    );
    expect(exitCode).toBe(2);
  });
});
