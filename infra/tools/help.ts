import { defineCommand, print, runCommand } from './command.ts';
import { scriptGroups } from './scripts.ts';

export const help = defineCommand('help').action(() => {
  const width = Math.max(
    ...Object.values(scriptGroups)
      .flatMap(Object.keys)
      .map(({ length }) => length),
  );
  for (const [title, scripts] of Object.entries(scriptGroups)) {
    const lines = Object.entries(scripts).map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
    print([title, ...lines, ''].join('\n'));
  }
  print('Each takes options after --, as in: npm start -- --help');
});

if (import.meta.main) await runCommand(help);
