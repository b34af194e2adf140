import type { z } from 'zod'
import type { Graph } from './graph.ts'
import { inParallel } from './in-parallel.ts'

/** A part of a `registrations` run that takes long when there are many applications. */
export type Activity =
  | 'read_applications'
  | 'read_service_principals'
  | 'read_role_assignments'
  | 'read_credentials_and_owners'
  | 'apply_changes'

/** Receives the progress of an activity; `total` is undefined while it is unknown. */
export type OnProgress = (activity: Activity, done: number, total: number | undefined) => void

export const defaultRequestsInFlight = 8

export type ReadOptions = {
  /** Requests at a time: 1 to 64, default 8. */
  readonly maxRequestsInFlight?: number
  readonly onProgress?: OnProgress | undefined
}

/** Pages that several lists may read together, before they give up. */
type PageBudget = { pages: number }

/** Reads lists from the directory, with a limited number of simultaneous requests. */
export class DirectoryReader {
  readonly #graph: Graph
  readonly #options: ReadOptions & { readonly maxRequestsInFlight: number }

  constructor(graph: Graph, options: ReadOptions = {}) {
    this.#graph = graph
    this.#options = { maxRequestsInFlight: defaultRequestsInFlight, ...options }
  }

  /** The objects of all lists, one after the other. */
  async all<One>(
    activity: Activity,
    paths: readonly string[],
    schema: z.ZodType<One>,
  ): Promise<One[]> {
    const lists = await this.each(activity, paths, (path) => this.list(path, schema))
    return lists.flat()
  }

  list<One>(path: string, schema: z.ZodType<One>): Promise<One[]> {
    return this.#graph.list(path, schema)
  }

  /** Does the work for each item, and reports the progress. */
  async each<Item, Result>(
    activity: Activity,
    items: readonly Item[],
    work: (item: Item) => Promise<Result>,
  ): Promise<Result[]> {
    let done = 0
    if (items.length > 0) this.#options.onProgress?.(activity, done, items.length)
    return inParallel(items, this.#options.maxRequestsInFlight, async (item) => {
      const result = await work(item)
      done += 1
      this.#options.onProgress?.(activity, done, items.length)
      return result
    })
  }

  /** The objects of all lists, or undefined when they have more pages than the budget. */
  async within<One>(
    activity: Activity,
    paths: readonly string[],
    schema: z.ZodType<One>,
    budget: PageBudget,
  ): Promise<One[] | undefined> {
    let done = 0
    const lists = await inParallel(paths, this.#options.maxRequestsInFlight, async (path) => {
      const found: One[] = []
      for await (const page of this.#graph.pages(path, schema)) {
        budget.pages -= 1
        if (budget.pages < 0) return undefined
        for (const one of page) found.push(one)
        done += page.length
        this.#options.onProgress?.(activity, done, undefined)
      }
      return found
    })
    return lists.some((list) => list === undefined)
      ? undefined
      : lists.flatMap((list) => list ?? [])
  }
}
