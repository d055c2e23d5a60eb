import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export type Request = {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  headers?: Record<string, string>;
  /** Changes the request before it is sent; `context` is the client's own, for one turn of the mix. */
  setupRequest?: (request: Request, context: Record<string, string>) => Request;
  onResponse?: (
    status: number,
    body: string,
    context: Record<string, string>,
    headers: Record<string, string>,
  ) => void;
};

type Distribution = { average: number; p50: number; p99: number; max: number };

export type LoadResult = {
  errors: number;
  timeouts: number;
  non2xx: number;
  duration: number;
  requests: { total: number; average: number };
  latency: Distribution;
  statusCodeStats: Record<string, { count: number } | undefined>;
};

type Autocannon = (options: {
  url: string;
  connections: number;
  duration: number;
  headers: Record<string, string>;
  requests: Request[];
}) => Promise<LoadResult>;

const folder = import.meta.dirname;

/** Installs autocannon beside this file unless it is there: `npm ci` of the project brings none of it. */
export function installAutocannon(): Autocannon {
  if (!existsSync(join(folder, 'node_modules'))) {
    const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
      cwd: folder,
      stdio: 'inherit',
    });
    if (status !== 0) throw new Error('autocannon was not installed: see the output of npm above.');
  }
  return createRequire(import.meta.url)('autocannon');
}
