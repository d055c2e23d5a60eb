import { readFileSync } from 'node:fs';
import { SourceMap, type SourceOrigin } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { bundlesFolder } from '../bundle/bundleOptions.ts';
import { defineCommand, print, runCommand } from './command.ts';

export const symbolicate = defineCommand('symbolicate')
  .option('--bundle <hash>', 'the hash of the bundle, if the input has no release')
  .option('--maps <folder>', 'the folder with the source maps', join(bundlesFolder, 'maps'))
  .addHelpText(
    'after',
    `
The input is a log line of a function, or only a stack: npm run symbolicate < line.json. The source maps
of a release are an artifact of its workflow run. Or check out the commit of the log line, then run
npm ci and npm run bundle.`,
  )
  .action(async ({ bundle, maps }) => {
    const input = await text(process.stdin);
    const hash = bundle ?? /"release":\s*"[^"]*\.(\w+)"/.exec(input)?.[1];
    if (!hash) throw new Error('The input has no release: name the bundle with --bundle.');
    const map = readMap(maps, hash);
    const stacks = stacksOf(parseJson(input));
    if (stacks.length === 0) throw new Error('The input has no stack.');
    for (const stack of stacks) print(inSource(stack, map));
  });

function readMap(folder: string, hash: string): SourceMap {
  const file = join(folder, `${hash}.map`);
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new Error(
      `${file} cannot be read. Download the source maps of the release, or check out its commit and run npm ci and npm run bundle.`,
      { cause },
    );
  }
}

/** Reads a text that is not JSON as a stack. */
function parseJson(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return { stack: input };
  }
}

/** Returns the stack of each error: our log has a string, and Lambda's log of a crash a list of lines. */
function stacksOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    /^(stack|stackTrace)$/.test(key) ? [[each].flat().join('\n').trim()] : stacksOf(each),
  );
}

/** Replaces each position in the bundle, and adds the line of source. */
function inSource(stack: string, map: SourceMap): string {
  return stack
    .split('\n')
    .map((frame) => {
      const [place, line, column] =
        /(?:file:\/\/)?[^\s()]*index\.mjs:(\d+):(\d+)/.exec(frame) ?? [];
      const origin: Partial<SourceOrigin> = map.findOrigin(Number(line), Number(column));
      const { fileName, lineNumber = 0, columnNumber } = origin;
      if (!place || !fileName) return frame;
      const { sources, sourcesContent } = map.payload;
      const source = sourcesContent[sources.indexOf(fileName)]?.split('\n')[lineNumber - 1] ?? '';
      return `${frame.replace(place, `${fileName}:${lineNumber}:${columnNumber}`)}\n        ${source.trim()}`;
    })
    .join('\n');
}

if (import.meta.main) await runCommand(symbolicate);
