import assert from 'node:assert/strict'
import { UnguardedRoutesError } from '../../src/index.ts'

/** The lines of the error, or nothing. */
export function unguarded(check: () => void): readonly string[] {
  try {
    check()
    return []
  } catch (error) {
    assert.ok(error instanceof UnguardedRoutesError)
    assert.equal(error.code, 'unguarded_routes')
    assert.ok(error.routes.length > 0, error.message)
    for (const route of error.routes) assert.ok(error.message.includes(`\n${route}`))
    return error.routes
  }
}

/** An app, and the routes without a guard that the check must list. */
export type Row<App> = [name: string, build: (app: App) => unknown, unguarded: readonly string[]]
