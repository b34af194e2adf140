import { createGuard, type EntraOptions, entra, type Runtime } from '@greeting/guard'
import { guardedRouter } from '@greeting/guard/express'
import express from 'express'

/** The roles of the orders API. */
export const roles = ['Orders.Read', 'Orders.Write'] as const

/** An API with two routes, each for one role. Settings and clock are arguments, so that a test can replace them. */
export function createOrdersApi(
  settings: EntraOptions<(typeof roles)[number]>,
  runtime: Partial<Runtime> = {},
) {
  const guard = createGuard(entra(settings), runtime)
  const app = express()
  app.use(
    guardedRouter(guard, '/api', {
      'GET /orders': {
        role: 'Orders.Read',
        handler: (_request, response) => response.json([{ id: 1 }]),
      },
      'POST /orders': {
        role: 'Orders.Write',
        handler: (_request, response) => response.status(201).json({ id: 2 }),
      },
    }),
  )
  return { app, guard }
}
