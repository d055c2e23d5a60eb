import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { projectRoot } from './bundle/bundleOptions.ts';

type ReleaseIdentity = {
  /** The version in `package.json`. */
  version: string;
  /** The last commit that changed what the functions are made of, or `unknown` without Git. */
  commit: string;
};

/**
 * The sources of the functions.
 *
 * A commit that changes something else keeps their identity. Otherwise each change of a document would
 * release every function again, and each pull request would differ from AWS in all of them.
 */
const sources = ['functions', 'lib', 'infra/bundle', 'package-lock.json'];

let identity: ReleaseIdentity | undefined;

/** Returns which release the functions of this working copy belong to. */
export function releaseIdentity(): ReleaseIdentity {
  identity ??= { version: readVersion(), commit: readCommit() };
  return identity;
}

function readVersion(): string {
  return JSON.parse(readFileSync(`${projectRoot}/package.json`, 'utf8')).version;
}

/** `-modified` marks a deployment of uncommitted changes, which no checkout can reproduce. */
function readCommit(): string {
  try {
    const commit = git('log', '--max-count=1', '--format=%H', '--', ...sources).slice(0, 12);
    const isModified = git('status', '--porcelain', '--', ...sources) !== '';
    return isModified ? `${commit}-modified` : commit || 'unknown';
  } catch {
    return 'unknown';
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: projectRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
