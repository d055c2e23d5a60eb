import { Router } from '@aws-lambda-powertools/event-handler/http';
import { createPet, isAuthenticated, listPets } from './petService.js';

const json = { 'Content-Type': 'application/json' };
const app = new Router();

app.use(async ({ reqCtx, next }) => {
  if (await isAuthenticated(reqCtx.req.headers.get('authorization') ?? '')) return next();
  const body = JSON.stringify({ code: 'unauthorized', message: 'Send a key.', status: 401 });
  return new Response(body, { status: 401, headers: json });
});
app.post('/v1/pets', async ({ req }) => {
  return new Response(await createPet(await req.text()), { status: 201, headers: json });
});
app.get('/v1/pets', async ({ req }) => {
  const { text, link } = await listPets(Object.fromEntries(new URL(req.url).searchParams));
  return new Response(text, { status: 200, headers: { ...json, ...(link && { Link: link }) } });
});

export const handler = async (event, context) => app.resolve(event, context);
