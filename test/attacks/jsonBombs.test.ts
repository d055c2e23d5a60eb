import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { call } from '../helpers/api.ts';

const most = 64 * 1024;

/** A valid pet with a bomb beside it, up to the largest body that is accepted. */
const beside = (bomb: string) => `{"name":"Rex","categoryId":1,"bomb":${bomb}}`;
const room = most - beside('').length;
const filled = (unit: string) => unit.repeat(Math.floor((room - 2) / unit.length)).slice(0, -1);

/** As many members as fit: the size of a body limits the cost of colliding hashes. */
const manyMembers = (nameOf: (n: number) => string) => {
  const members: string[] = [];
  for (let length = 2, n = 0; ; n += 1) {
    const member = `${JSON.stringify(nameOf(n))}:0`;
    length += member.length + 1;
    if (length > room) return `{${members.join()}}`;
    members.push(member);
  }
};

describe('JSON bombs', () => {
  it.each([
    ['wide by numbers', `[${filled('0,')}]`],
    ['wide by arrays', `[${filled('[],')}]`],
    ['wide by objects', `[${filled('{},')}]`],
    ['of thousands of members', manyMembers((n) => `member${n}`)],
    ['of one member thousands of times', `{${filled('"a":0,')}}`],
    ['of thousands of integers as names', manyMembers((n) => String(n * 2 ** 20))],
    ['of escapes', `"${'\\u0000'.repeat(Math.floor((room - 2) / 6))}"`],
    ['of one number with thousands of digits', '9'.repeat(room)],
    ['of a fraction with thousands of digits', `0.${'0'.repeat(room - 3)}1`],
    ['of numbers beyond every double', `[${filled('1e999999999,')}]`],
    ['of numbers beneath every double', `[${filled('1e-999999999,')}]`],
    ['of zeros with huge exponents', `[${filled('0e999999999,')}]`],
  ])('that are %s fit into 64 KiB and do no harm', async (_case, bomb) => {
    const body = beside(bomb);
    expect(body.length).toBeGreaterThan(most - 32);
    expect(body.length).toBeLessThanOrEqual(most);

    const { status, json } = await call(createPet, { body });

    expect(status).toBe(201);
    expect(json).not.toHaveProperty('bomb');
  });
});
