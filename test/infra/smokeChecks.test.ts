import { describe, expect, it } from 'vitest';
import { CheckSkipped } from '../../infra/tools/smoke/Check.ts';
import { editLinks, type Lie, serveLie } from '../helpers/lyingService.ts';
import { broken, outcomesOf } from '../helpers/smokeOutcomes.ts';

describe('smokeChecks', () => {
  it('takes what gateways change: the name of the challenge and, where told, links', async () => {
    const likeGateway: Lie = {
      answered(answer) {
        editLinks(answer, (link) => link.replace(/http:\/\/[^/]+/, ''));
        const { 'WWW-Authenticate': challenge } = answer.headers;
        if (challenge) answer.headers['x-amzn-remapped-www-authenticate'] = challenge;
        delete answer.headers['WWW-Authenticate'];
      },
    };

    const told = await outcomesOf(likeGateway, { areRelativeLinksTaken: true });

    expect(broken(told)).toEqual([]);
  });

  it('follows no link to another host, which would get the key', async () => {
    let strangersRequests = 0;
    const stranger = await serveLie({
      asked() {
        strangersRequests += 1;
      },
    });

    const outcomes = await outcomesOf({
      answered: (answer) => editLinks(answer, (link) => link.replace(/http:.+?\/v1/, stranger)),
    });

    expect(broken(outcomes)).toEqual([
      'createPet gives the Location of the pet, which getPet answers at once',
      'pages of 1, by their links, are the first pets of a page of 3',
      'a link to the next page keeps limit and status',
      'listPets answers 400 for a cursor of another list',
      'getPet announces its end on every answer',
    ]);
    expect(strangersRequests).toBe(0);
  });

  it('waits as long as a rate limit tells it to', async () => {
    let refusals = 0;

    const outcomes = await outcomesOf({
      answered(answer) {
        if (refusals === 3) return;
        refusals += 1;
        answer.statusCode = 429;
        answer.headers['Retry-After'] = '0';
      },
    });

    expect(refusals).toBe(3);
    expect(broken(outcomes)).toEqual([]);
  });

  it('gives up the walk to its pets in a store of very many, and says so', async () => {
    let pages = 0;

    const outcomes = await outcomesOf({
      answered(answer, { headers, queryStringParameters: query }) {
        if (query?.limit !== '100' || query.status !== 'sold') return;
        pages += 1;
        answer.body = '[]';
        answer.headers.Link = `<http://${headers.host}/v1/pets?limit=100&status=sold>; rel="next"`;
      },
    });

    const skipped = outcomes.filter(({ trouble }) => trouble instanceof CheckSkipped);
    expect(broken(outcomes)).toEqual([]);
    expect(skipped.map(({ title }) => title)).toEqual([
      'listPets shows each new pet once, in the order of ids',
    ]);
    expect(pages).toBeLessThan(110);
  });
});
