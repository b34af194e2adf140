import { createGuard, entra } from '@greeting/guard'
import { guardedRoutes } from '@greeting/guard/fastify'
import fastify from 'fastify'

/** The roles of the orders API. */
export const roles = ['Orders.Read', 'Orders.Write']

/** An API with two routes, each for one role. Settings and clock are arguments, so that a test can replace them. */
export function createOrdersApi(settings, runtime = {}) {
  const guard = createGuard(entra(settings), runtime)
  const app = fastify()
  app.register(
    guardedRoutes(guard, '/api', {
      'GET /orders': { role: 'Orders.Read', handler: () => [{ id: 1 }] },
      'POST /orders': {
        role: 'Orders.Write',
        handler: (_request, reply) => reply.code(201).send({ id: 2 }),
      },
    }),
  )
  return { app, guard }
}
