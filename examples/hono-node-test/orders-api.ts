import { createGuard, type EntraOptions, entra, type Runtime } from '@greeting/guard'
import { guardedApp } from '@greeting/guard/hono'

/** The roles of the orders API. */
export const roles = ['Orders.Read', 'Orders.Write'] as const

/** An API with two routes, each for one role. Settings and clock are arguments, so that a test can replace them. */
export function createOrdersApi(
  settings: EntraOptions<(typeof roles)[number]>,
  runtime: Partial<Runtime> = {},
) {
  const guard = createGuard(entra(settings), runtime)
  const app = guardedApp(guard, '/api', {
    'GET /orders': { role: 'Orders.Read', handler: (context) => context.json([{ id: 1 }]) },
    'POST /orders': { role: 'Orders.Write', handler: (context) => context.json({ id: 2 }, 201) },
  })
  return { app, guard }
}
