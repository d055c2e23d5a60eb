import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { request, startService } from '../helpers/npmScript.ts';
import { copyOfProject, replaceIn } from '../helpers/projectCopy.ts';

it('npm start prints a 500 as a stack with paths of the project', { timeout: 30_000 }, async () => {
  const project = await copyOfProject();
  const body = 'const { json, nextCursor }';
  await replaceIn(join(project, 'functions/listPets.ts'), body, `Object(null).x.y();\n  ${body}`);
  const service = await startService(['--in-memory'], {}, project);

  const response = await request(service, '/pets');

  expect(response.status).toBe(500);
  await vi.waitUntil(() => service.stdout.includes('  500  '), { timeout: 10_000 });
  const [title, message, frame] = service.stderr.split('\n');
  const requestId = response.headers.get('X-Request-Id');
  expect(title).toContain(`code=request_failed requestId=${requestId} operation=listPets`);
  expect(message).toMatch(/^TypeError: Cannot read properties of undefined/);
  expect(frame).toMatch(/^ {4}at functions\/listPets\.ts:6:\d+$/);
  expect(service.stderr).not.toMatch(/node_modules|node:|\{"/);
  expect(service.stdout).toMatch(new RegExp(`/v1/pets  500  .+  internal_error  ${requestId}\\n`));
});
