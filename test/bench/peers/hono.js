import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { createPet, isAuthenticated, listPets } from './petService.js';

const json = { 'Content-Type': 'application/json' };
const app = new Hono();

app.use(async (context, next) => {
  if (await isAuthenticated(context.req.header('authorization'))) return next();
  return context.json({ code: 'unauthorized', message: 'Send a key.', status: 401 }, 401);
});
app.post('/v1/pets', async (context) =>
  context.body(await createPet(await context.req.text()), 201, json),
);
app.get('/v1/pets', async (context) => {
  const { text, link } = await listPets(context.req.query());
  return context.body(text, 200, { ...json, ...(link && { Link: link }) });
});

export const handler = handle(app);
