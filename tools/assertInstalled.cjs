// Runs before a command. It is plain JavaScript, so that an older Node.js can read it too.
const problem = !isInstalled()
  ? 'Run "npm ci" first: it installs the packages.'
  : Number.parseInt(process.versions.node, 10) < 24 &&
    'This needs Node.js 24. On Linux with glibc and an x64 processor, "npm ci" brings it. On other systems, install it.';
if (problem) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}

function isInstalled() {
  try {
    // In a workspace, the packages are in a folder above.
    require.resolve('commander');
    return true;
  } catch {
    return false;
  }
}
