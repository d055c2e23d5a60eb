import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  type LocalService,
  type RunningScript,
  request,
  runScript,
  startScript,
  startService,
} from '../helpers/npmScript.ts';
import { copyOfProject, replaceIn } from '../helpers/projectCopy.ts';

/** Makes the service print its process id and hang before it handles signals. */
async function neverServe(project: string): Promise<void> {
  const hang = 'console.error(process.pid);\nawait new Promise(() => setInterval(() => {}, 1000));';
  const text = '/** Requests under way have';
  await replaceIn(join(project, 'infra/local/serve.ts'), text, `${hang}\n${text}`);
}

async function printedProcessId(watching: RunningScript): Promise<number> {
  await vi.waitUntil(() => watching.stderr.endsWith('\n'), { timeout: 10_000 });
  const processId = Number(watching.stderr);
  expect(processId).toBeGreaterThan(0);
  return processId;
}

const starts = ({ stdout }: LocalService) => stdout.match(/"started"/g)?.length ?? 0;

async function waitForStart(service: LocalService, number: number): Promise<void> {
  await vi.waitUntil(() => starts(service) === number, { timeout: 10_000 });
}

async function waitForFailure(service: LocalService, number: number): Promise<void> {
  const failures = () => service.stderr.match(/It restarts when/g)?.length;
  await vi.waitUntil(() => failures() === number, { timeout: 10_000 });
}

async function ask(service: LocalService) {
  const response = await request(service, '/pets');
  const pets = (await response.json()) as { id: number }[];
  const missing = (await (await request(service, '/pets/none')).json()) as { message: string };
  return { ids: pets.map(({ id }) => id), missing: missing.message };
}

describe('npm start -- --watch', { timeout: 60_000 }, () => {
  it('runs each change with the same port, key and pets, also after one broke it', async () => {
    const project = await copyOfProject();
    const file = join(project, 'lib/schemas.ts');
    const service = await startService(['--watch', '--json', '--seed', '3'], {}, project);
    const before = await ask(service);

    await replaceIn(file, 'There is no pet with', 'No animal has');
    await waitForStart(service, 2);
    const afterChange = await ask(service);
    expect(service.stderr).toBe('');
    await replaceIn(file, 'import', 'imp ort');
    await waitForFailure(service, 1);
    const broken = service.stderr;
    await replaceIn(file, 'imp ort', 'import');
    await waitForStart(service, 3);
    const afterRepair = await ask(service);
    await replaceIn(file, 'import', 'imp ort');
    await waitForFailure(service, 2);
    service.process.kill('SIGINT');

    expect(await service.exited).toBe(0);
    expect(broken).toMatch(
      /^lib\/schemas\.ts:\d+\nimp ort .+\n\s+\^+\n[\s\S]*SyntaxError.+\nThe service/,
    );
    expect(before).toEqual({ ids: [1, 2, 3], missing: 'There is no pet with this id.' });
    expect(afterChange).toEqual({ ids: [1, 2, 3], missing: 'No animal has this id.' });
    expect(afterRepair).toEqual(afterChange);
    const events = service.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.filter(({ event }) => event === 'restarting')).toMatchObject(
      Array(4).fill({ file: 'lib/schemas.ts' }),
    );
    expect(events.filter(({ event }) => event === 'stopped')).toHaveLength(3);
  });

  it('exits 0 silently if Ctrl+C arrives during a restart', async () => {
    const project = await copyOfProject();
    const service = await startService(['--watch', '--json', '--in-memory'], {}, project);
    await neverServe(project);
    const starting = await printedProcessId(service);

    // A terminal sends Ctrl+C to both processes.
    service.process.kill('SIGINT');
    process.kill(starting, 'SIGINT');

    expect(await service.exited).toBe(0);
    expect(service.stderr).toBe(`${starting}\n`);
  });

  it.each([
    ['both processes', true],
    ['only the service at first', false],
  ])('exits 0 silently if Ctrl+C reaches %s during the first start', async (_, reachesBoth) => {
    const project = await copyOfProject();
    await neverServe(project);
    const args = ['--watch', '--in-memory', '--port', '0'];
    const service = startScript('start', args, {}, project);
    const starting = await printedProcessId(service);

    if (reachesBoth) service.process.kill('SIGINT');
    // The service can die before the process that watches it handles its own SIGINT.
    process.kill(starting, 'SIGINT');

    expect(await service.exited).toBe(0);
    expect(service.stderr).toBe(`${starting}\n`);
  });

  it('ends after its service on Ctrl+C', async () => {
    const project = await copyOfProject();
    const end = '  report.stopped();';
    const slowEnd = `  console.error(process.pid);\n  await setTimeout(500);\n${end}`;
    await replaceIn(join(project, 'infra/local/serve.ts'), end, slowEnd);
    const service = await startService(['--watch', '--json', '--in-memory'], {}, project);
    await request(service, '/pets');

    service.process.kill('SIGINT');
    await once(service.process, 'exit');

    const ended = await printedProcessId(service);
    expect(() => process.kill(ended, 0)).toThrow('ESRCH');
  });

  it('leaves no service behind if it is killed', async () => {
    const service = await startService(['--watch', '--json', '--in-memory']);

    service.process.kill('SIGKILL');
    // Waits for both processes, which share the pipe.
    await service.exited;

    expect(service.stdout).toMatch(/"stopped".+\n$/);
  });

  it('exits 1 if the service cannot start', async () => {
    const args = ['--watch', '--port', '0', '--data', 'package.json'];

    const { exitCode, stdout, stderr } = await runScript('start', args);

    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^The data in package\.json\/dynamodb is not usable: .+\n$/);
  });
});
