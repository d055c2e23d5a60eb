import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A bash that runs what is pasted into it. Variables stay for the next block. */
export type Bash = {
  /** Returns what a block prints, and its exit status at the end: `exit 0`. */
  paste(block: string | undefined): Promise<string>;
  close(): void;
};

export function openBash(options: { cwd: string; env: NodeJS.ProcessEnv }): Bash {
  const bash = spawn('bash', { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(bash.stdout)[Symbol.asyncIterator]();
  return {
    async paste(block = '') {
      // `eval` keeps a command of the block from reading the lines after it.
      const quoted = `'${block.replaceAll("'", `'\\''`)}'`;
      bash.stdin.write(`eval ${quoted} < /dev/null 2>&1\nprintf '\\nexit %s\\n' $?\n`);
      let output = '';
      while (!/\nexit \d+\n$/.test(output)) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`bash ended:\n${output}`);
        output += `${value}\n`;
      }
      return output;
    },
    close() {
      bash.stdin.end();
    },
  };
}
