// Runs after an installation, with the Node.js of npm. npm 10 links no command that several packages provide, and
// newer versions link a Node.js that the system cannot run too, such as on NixOS.
const { spawnSync } = require('node:child_process');
const { existsSync, linkSync, rmSync } = require('node:fs');
const { join } = require('node:path');

const isWindows = process.platform === 'win32';
const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
const modules = join(__dirname, '../node_modules');
const program = join(modules, name, 'bin', isWindows ? 'node.exe' : 'node');
const link = join(modules, '.bin/node');

if (spawnSync(program, ['--version']).status !== 0) rmSync(link, { force: true });
else if (!existsSync(link)) {
  linkSync(program, link);
  // A shell of Windows runs only names with an ending, and npx finds only names without.
  if (isWindows) linkSync(program, `${link}.exe`);
}
