// Runs before a command (`node -r`). It is plain JavaScript, because an older Node.js reads it too.
if (!require('node:fs').existsSync(`${__dirname}/../../node_modules/.package-lock.json`)) {
  process.stderr.write(
    'Run "npm ci" first: it installs the packages and the Node.js that run this.\n',
  );
  process.exit(1);
}
