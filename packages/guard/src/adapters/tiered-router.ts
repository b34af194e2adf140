import type { Result, Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'

/**
 * A Hono router in tiers: a route is used only if no earlier tier has one for the path. So a path has
 * a single handler, and Hono calls a single handler without chaining.
 */
export class TieredRouter<T> implements Router<T> {
  readonly name = 'TieredRouter'
  readonly #tiers: Router<T>[] = [defaultRouter<T>()]

  /** Starts a new last tier for the routes that follow. */
  addTier(): void {
    this.#tiers.push(defaultRouter<T>())
  }

  add(method: string, path: string, handler: T): void {
    this.#tiers.at(-1)?.add(method, path, handler)
  }

  match(method: string, path: string): Result<T> {
    let result: Result<T> = [[]]
    for (const tier of this.#tiers) {
      result = tier.match(method, path)
      if (result[0].length > 0) break
    }
    return result
  }
}

/** The default router of `new Hono()`. */
function defaultRouter<T>(): Router<T> {
  return new SmartRouter({ routers: [new RegExpRouter(), new TrieRouter()] })
}
