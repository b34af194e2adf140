// Folder: It applies a plan through a directory that its caller passes in: the command over the network, the portal within the identity provider.

import type { Plan } from '../planning/plan.ts'
import type { Change } from '../planning/steps/change.ts'
import { applyChange } from './apply-change.ts'
import {
  ApplyContext,
  type ApplyContextOptions,
  type SecretName,
  type SecretSink,
} from './apply-context.ts'
import { defaultRequestsInFlight, type OnProgress } from './directory-reader.ts'
import type { Graph } from './graph.ts'
import { inParallel } from './in-parallel.ts'

export type ApplyOptions = Pick<ApplyContextOptions, 'onRegistered' | 'uniqueName'> & {
  readonly graph: Graph
  readonly secrets: SecretSink
  readonly onProgress?: OnProgress | undefined
  readonly now?: () => Date
  /** Ends the run after the changes that have begun. */
  readonly signal?: AbortSignal
  /** Called before the first change, when new secrets can be stored. */
  readonly onBegin?: () => Promise<void>
  /** Requests at a time: 1 to 64, default 8. Each has `changesPerRequest` changes of the graph. */
  readonly maxRequestsInFlight?: number
}

export type RefusedChange = { readonly change: Change; readonly error: unknown }

/** The result of one `apply`. Its changes are in the order of the plan. */
export type Applied = {
  readonly done: readonly Change[]
  /** The first refusal, at which the run stopped. */
  readonly stopped?: RefusedChange
  /** Refusals of changes that were in flight at the first refusal. */
  readonly alsoRefused: readonly RefusedChange[]
  /** Whether the signal ended the run before its last change. */
  readonly isInterrupted: boolean
  /** The changes that were not attempted. */
  readonly left: readonly Change[]
  /** The IDs of the applications, by their names in the file. */
  readonly applicationIds: ReadonlyMap<string, string>
}

/**
 * Applies the changes of a plan: applications in parallel, and the changes of one application in
 * their order. After the first refusal, no more changes begin, and those in flight are finished.
 * Completed changes stay and are reported, so the next run of the same file continues from there.
 */
export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<Applied> {
  const { graph, secrets, onProgress, now = () => new Date(), signal } = options
  const { maxRequestsInFlight = defaultRequestsInFlight } = options
  const { changes, located } = plan
  const run = new ApplyContext({ ...options, changes, located, now })
  await secrets.prepare(changes.flatMap(newSecretOf))
  await options.onBegin?.()
  const { done } = run
  const refused: RefusedChange[] = []
  const isEnded = () => refused.length > 0 || signal?.aborted === true

  const applyAll = async (chain: readonly Change[]) => {
    for (const change of chain) {
      if (isEnded()) return
      if (done.has(change)) continue
      try {
        await applyChange(change, run)
      } catch (error) {
        refused.push({ change, error })
        return
      }
      done.add(change)
      onProgress?.('apply_changes', done.size, changes.length)
    }
  }
  if (changes.length > 0) onProgress?.('apply_changes', 0, changes.length)
  const maxChangesInFlight = maxRequestsInFlight * (graph.changesPerRequest ?? 1)
  for (const chains of stagesOf(changes)) await inParallel(chains, maxChangesInFlight, applyAll)

  const [stopped, ...alsoRefused] = refused
  const tried = new Set([...done, ...refused.map(({ change }) => change)])
  const left = changes.filter((change) => !tried.has(change))
  return {
    done: changes.filter((change) => done.has(change)),
    ...(stopped && { stopped }),
    alsoRefused,
    isInterrupted: signal?.aborted === true && left.length > 0,
    left,
    applicationIds: run.applicationIds(),
  }
}

const newSecretOf = (change: Change): SecretName[] =>
  change.kind === 'createSecret' || change.kind === 'rotateSecret'
    ? [{ client: change.application, secret: change.secret }]
    : []

/** Changes that must be made one after the other. */
type Chain = readonly Change[]

/**
 * The changes of a plan in stages. A stage begins after the end of the previous one. Its chains do not
 * depend on each other.
 *
 * APIs form one chain, because an identifier URI may move from one to another. Later steps have a
 * stage each, because a client can be the API of another client.
 */
function stagesOf(changes: readonly Change[]): Chain[][] {
  const stages = Map.groupBy(changes, ({ kind, step }) => {
    if (['deleteApplication', 'createAgent'].includes(kind)) return kind
    return step === 'Application roles' ? 'API registration' : step
  })
  return [...stages].map(([stage, all]) =>
    stage === 'API registration'
      ? [all]
      : [...Map.groupBy(all, ({ application }) => application).values()],
  )
}

type WaitUntilVisibleOptions = {
  /** Reads the directory again and compares it with the file. */
  readonly plan: () => Promise<Plan>
  readonly sleep: (durationMs: number) => Promise<void>
  readonly monotonicMs: () => number
  /** Maximum time to wait, in milliseconds; default 60000. */
  readonly maxWaitMs?: number
}

const firstPauseMs = 100
const maxPauseMs = 5_000

/**
 * Waits until the directory shows the changes, because the next run might otherwise not see a new
 * application and create it twice.
 *
 * @returns whether the changes became visible in time
 */
export async function waitUntilVisible(options: WaitUntilVisibleOptions): Promise<boolean> {
  const { plan, sleep, monotonicMs, maxWaitMs = 60_000 } = options
  const endMs = monotonicMs() + maxWaitMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    const { changes } = await plan()
    if (changes.length === 0) return true
    if (monotonicMs() + pauseMs >= endMs) return false
    await sleep(pauseMs)
  }
}
