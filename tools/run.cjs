// Runs a program of this project: node tools/run.cjs tools/keys.ts list. Without a program, it only checks what all
// programs need. It is plain JavaScript, so that an older Node.js can read it too.
const [file, ...args] = process.argv.slice(2);

const problem = !isInstalled()
  ? 'Run "npm ci" first: it installs the packages.'
  : process.versions.node.localeCompare('24.3', 'en', { numeric: true }) < 0 &&
    'This needs Node.js 24.3 or newer. On Linux with glibc and an x64 processor, "npm ci" brings it. On other systems, install it.';
if (problem) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
if (file) run();

function isInstalled() {
  try {
    // In a workspace, the packages are in a folder above.
    require.resolve('commander');
    return true;
  } catch {
    return false;
  }
}

/** Runs what the file exports under its own name: a command with the arguments, or a function. */
async function run() {
  const { [file.replace(/^.*\/|\.ts$/g, '')]: program } = await import(`../${file}`);
  if (typeof program === 'function') return program();
  const { runCommand } = await import('./command.ts');
  await runCommand(program, args);
  // After a failure, a server or the embedded database would keep the process alive.
  if (process.exitCode) process.exit();
}
