import type { Result, Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'

/**
 * A router of Hono in tiers: a route is found only where no earlier tier has one. A single handler
 * is then found for a path of the first tier, and Hono calls a single one without chaining.
 */
export class TieredRouter<T> implements Router<T> {
  readonly name = 'TieredRouter'
  readonly #tiers: Router<T>[] = [routerOfHono<T>()]

  /** Routes that are added from now on belong to a new last tier. */
  addTier(): void {
    this.#tiers.push(routerOfHono<T>())
  }

  add(method: string, path: string, handler: T): void {
    this.#tiers.at(-1)?.add(method, path, handler)
  }

  match(method: string, path: string): Result<T> {
    let found: Result<T> = [[]]
    for (const tier of this.#tiers) {
      found = tier.match(method, path)
      if (found[0].length > 0) break
    }
    return found
  }
}

/** What `new Hono()` uses by default. */
function routerOfHono<T>(): Router<T> {
  return new SmartRouter({ routers: [new RegExpRouter(), new TrieRouter()] })
}
