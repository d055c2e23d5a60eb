import { createLocalGateway, loadFunctions } from '../../infra/local/localGateway.ts';

// A process of the service that will be killed: the deployed functions with the environment and the
// time-outs of production. (`npm start` allows its engine, in the same process, more time.)
const server = createLocalGateway(await loadFunctions());
process.send?.(await server.listen({ host: '127.0.0.1', port: 0 }));
process.on('disconnect', () => process.exit());
