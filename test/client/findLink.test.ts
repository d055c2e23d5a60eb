import { describe, expect, it } from 'vitest';
import { PetStoreError } from '../../client/src/PetStoreError.ts';
import { collect, connect, rejection, rex } from '../helpers/petStoreClient.ts';
import { respond, startScriptedServer } from '../helpers/scriptedServer.ts';

describe('allPets', () => {
  it('continues after an empty page that has a next link', async () => {
    const next = { Link: '</v1/pets?cursor=a>; rel="next"' };
    const server = await startScriptedServer(respond(200, [], next), respond(200, [rex]));

    expect(await collect(connect(server).allPets())).toHaveLength(1);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/pets?limit=100',
      '/v1/pets?limit=100&cursor=a',
    ]);
  });

  it('finds the next link among other links', async () => {
    const others = '</v1/pets>; rel="first", </v1/pets?cursor=z>; title="next, or last"; rel=last';
    const Link = `${others}, <pets?limit=20&cursor=b>; Rel="prefetch Next"`;
    const server = await startScriptedServer(respond(200, [rex], { Link }));

    expect((await connect(server).listPets({ limit: 1 })).next).toEqual({ limit: 1, cursor: 'b' });
  });

  it.each([
    ['after a parameter without a value', '<?cursor=b>; foo; rel="next"'],
    ['without quotes', '<?cursor=b>;rel=next'],
    ['with several relations', '<?cursor=b>; rel="prev next"'],
    ['as the last of several', '<?cursor=a>; rel="prev", <?a=1,2;3&cursor=b>; rel="next"'],
    ['after a quoted quote', '<?cursor=b>; title="a \\", <c>; rel=prev"; rel=next'],
  ])('finds the next link %s', async (_, Link) => {
    const server = await startScriptedServer(respond(200, [rex], { Link }));

    expect((await connect(server).listPets()).next).toEqual({ cursor: 'b' });
  });

  it.each([
    ['is in a title', '<?cursor=x>; title="; rel=next"; rel="prev"'],
    ['is in a title, as a link', '<?cursor=x>; title=", <?cursor=y>; rel=next"; rel="prev"'],
    ['is in a target', '<?cursor=x;rel=next>; rel="prev"'],
    ['is a second rel', '<?cursor=x>; rel="prev"; rel="next"'],
    ['is part of another relation', '<?cursor=x>; rel="next-archive"; data-rel=next'],
  ])('finds no next link if "next" %s', async (_, Link) => {
    const server = await startScriptedServer(respond(200, [rex], { Link }));

    expect((await connect(server).listPets()).next).toBeUndefined();
  });

  it('rejects a next link to the same page', async () => {
    const page = respond(200, [rex], { Link: '</v1/pets?cursor=a>; rel="next"' });
    const server = await startScriptedServer(page, page);

    const error = await rejection(collect(connect(server).allPets()));

    expect(error).toBeInstanceOf(PetStoreError);
    expect(error.code).toBe('unexpected_answer');
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    'http://127.0.0.2/v1/pets?cursor=a',
    'https://127.0.0.1/v1/pets?cursor=a',
    '//example.com/v1/pets?cursor=a',
    '/v2/pets?cursor=a',
    '/v1/pets/../../other?cursor=a',
    '/v1/pets',
    'http://[',
  ])('rejects the next link %s, which leads to another address', async (target) => {
    const server = await startScriptedServer(
      respond(200, [rex], { Link: `<${target}>; rel="next"` }),
    );

    const error = await rejection(collect(connect(server).allPets()));

    expect(error).toBeInstanceOf(PetStoreError);
    expect(error.code).toBe('unexpected_answer');
    expect(server.requests).toHaveLength(1);
  });
});
