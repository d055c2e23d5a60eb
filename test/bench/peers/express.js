import serverlessExpress from '@codegenie/serverless-express';
import express from 'express';
import { createPet, isAuthenticated, listPets } from './petService.js';

const app = express();

app.use(async (request, response, next) => {
  if (await isAuthenticated(request.get('authorization'))) return next();
  response.status(401).json({ code: 'unauthorized', message: 'Send a key.', status: 401 });
});
app.post('/v1/pets', express.text({ type: 'application/json' }), async (request, response) => {
  response
    .status(201)
    .type('json')
    .send(await createPet(request.body));
});
app.get('/v1/pets', async (request, response) => {
  const { text, link } = await listPets(request.query);
  if (link) response.set('Link', link);
  response.type('json').send(text);
});

export const handler = serverlessExpress({ app });
